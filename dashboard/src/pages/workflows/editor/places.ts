import type { Part } from './workflow-graph.tsx';

const maxWaitMs = 5000;

/** The prefix of the ids of a form. */
export function placeOf(part: Part): string {
  return part === 'trigger' ? 'workflow-trigger' : `workflow-steps.${part}`;
}

/**
 * Focuses a field of the form of a part, once it is there, or what is around it. Null: the editor. Returns before: the
 * form is rendered first.
 */
export function focusPart(part: Part | null, path: string): void {
  const place = part === null ? 'workflow-definition' : placeOf(part);
  const deadline = performance.now() + maxWaitMs;
  const look = () => {
    const form = document.getElementById(place);
    if (form === null) {
      if (performance.now() < deadline) setTimeout(look, 20);
      return;
    }
    const found = part === null ? form : fieldAt(place, path.split('.'), form);
    found.scrollIntoView({ block: 'nearest' });
    found.focus({ preventScroll: true });
  };
  setTimeout(look);
}

function fieldAt(place: string, names: readonly string[], form: HTMLElement): HTMLElement {
  for (let length = names.length; length > 0; length -= 1) {
    const element = document.getElementById(`${place}.${names.slice(0, length).join('.')}`);
    if (element === null) continue;
    // In a hidden part of the form.
    element.closest('details')?.setAttribute('open', '');
    // What is around a field of another kind.
    const inner = element.tabIndex < 0 ? element.querySelector<HTMLElement>('input, select, textarea, button') : null;
    return inner ?? element;
  }
  return form;
}
