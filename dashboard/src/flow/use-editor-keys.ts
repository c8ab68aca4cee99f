import { useEffect, useRef } from 'react';

export interface EditorKeys {
  /** Null if there is nothing to undo. */
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
  readonly isReadOnly: boolean;
  duplicate(): void;
  remove(): void;
  selectAll(): void;
  clear(): void;
  fit(): void;
  zoom(by: number): void;
  search(): void;
}

const zoomStep = 1.3;

/** Keys that mean something wherever the focus is on the page, except in fields, menus, dialogs and the panel. */
export function useEditorKeys(keys: EditorKeys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey || !isForEditor(event.target)) return;
      if (handle(event, current.current)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Not what is typed into a field, and not what happens in front of the page or beside it. */
export function isForEditor(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : document.body;
  return (
    element.closest('input:not([type=radio]), textarea, select, [role=dialog], [role=menu], [data-is-trial]') === null
  );
}

/** Returns whether the key means something. */
function handle({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent, keys: EditorKeys): boolean {
  if (ctrlKey || metaKey) return handleCommand(key.toLowerCase(), shiftKey, keys);
  switch (key) {
    case '/':
      keys.search();
      return true;
    case 'f':
    case 'F':
      keys.fit();
      return true;
    case '+':
    case '=':
      keys.zoom(zoomStep);
      return true;
    case '-':
      keys.zoom(1 / zoomStep);
      return true;
    case 'Delete':
    case 'Backspace':
      keys.remove();
      return true;
    case 'Escape':
      keys.clear();
      return true;
    default:
      return false;
  }
}

function handleCommand(key: string, isShift: boolean, keys: EditorKeys): boolean {
  if (key === 'f') keys.search();
  else if (key === 'a') keys.selectAll();
  else if (keys.isReadOnly) return false;
  else if (key === 'd') keys.duplicate();
  else if (key === 'z' && !isShift) keys.undo?.();
  else if (key === 'y' || key === 'z') keys.redo?.();
  else return false;
  return true;
}
