import { placeOf } from './fields.ts';
import { placeInJson } from './json-place.ts';

/** How long a place is awaited that is still being loaded or rendered, unless the user does something else meanwhile. */
const maxWaitMs = 10_000;

/**
 * Focuses the element at a path, or its field. In a JSON field, the value at the path is selected. A path in the flow
 * waits for the editor of the flow, which is loaded on demand.
 */
export function focusAt(path: string): () => void {
  const wanted = /^agentSettings\.flow\.skills\.\d+/.exec(path)?.[0] ?? path;
  const deadline = performance.now() + maxWaitMs;
  const waiting = new AbortController();
  // Later, because the key or the click that leads here is still being handled.
  let timer = setTimeout(begin);
  const stop = (): void => {
    clearTimeout(timer);
    waiting.abort();
  };
  function begin(): void {
    for (const event of ['keydown', 'pointerdown']) addEventListener(event, stop, { signal: waiting.signal });
    look();
  }
  function look(): void {
    const isLate = performance.now() > deadline;
    const isThere = document.getElementById(placeOf(wanted)) !== null;
    if (!isThere && !isLate && (wanted !== path || nearest(path) === null)) {
      timer = setTimeout(look, 20);
      return;
    }
    stop();
    focusNearest(path);
  }
  return stop;
}

interface Nearest {
  readonly element: HTMLElement;
  /** The part of the path inside of it. */
  readonly rest: readonly string[];
}

function nearest(path: string): Nearest | null {
  const names = path.split('.');
  for (let length = names.length; length > 0; length -= 1) {
    const element = document.getElementById(placeOf(names.slice(0, length).join('.')));
    if (element !== null) return { element, rest: names.slice(length) };
  }
  return null;
}

function focusNearest(path: string): void {
  const place = nearest(path);
  if (place === null) return;
  const { element, rest } = place;
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
  if (element instanceof HTMLTextAreaElement) select(element, rest);
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

/** The path of the field in the address of the page, such as `#field-agentSettings.flow`. */
export function pathInHash(): string | null {
  const prefix = `#${placeOf('')}`;
  return location.hash.startsWith(prefix) ? decodeURIComponent(location.hash.slice(prefix.length)) : null;
}
