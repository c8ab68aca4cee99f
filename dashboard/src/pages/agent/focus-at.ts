import { placeOf } from './fields.ts';
import { placeInJson } from './json-place.ts';

/** Focuses the element at a path, or its field. In a JSON field, the value at the path is selected. */
export function focusAt(path: string): void {
  const names = path.split('.');
  for (let length = names.length; length > 0; length -= 1) {
    const place = document.getElementById(placeOf(names.slice(0, length).join('.')));
    if (place === null) continue;
    place.scrollIntoView({ block: 'center' });
    place.focus({ preventScroll: true });
    if (place instanceof HTMLTextAreaElement) select(place, names.slice(length));
    return;
  }
}

function select(area: HTMLTextAreaElement, path: readonly string[]): void {
  const place = path.length === 0 ? null : placeInJson(area.value, path);
  if (place === null) return;
  area.setSelectionRange(place.start, place.end, 'backward');
  // Setting a selection does not scroll to it.
  const linesBefore = area.value.slice(0, place.start).split('\n').length - 1;
  const line = area.scrollHeight / area.value.split('\n').length;
  area.scrollTop = linesBefore * line - area.clientHeight / 3;
}

/** Focuses the field in the URL, such as `#field-agentSettings.flow`, after the page has taken the focus itself. */
export function focusAtHash(): () => void {
  const prefix = `#${placeOf('')}`;
  const { hash } = location;
  if (!hash.startsWith(prefix)) return () => {};
  const timer = setTimeout(() => focusAt(decodeURIComponent(hash.slice(prefix.length))), 50);
  return () => clearTimeout(timer);
}
