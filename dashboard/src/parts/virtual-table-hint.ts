import { type MouseEvent, useCallback, useLayoutEffect, useRef } from 'react';
import type { Column } from './virtual-table-column.ts';

/**
 * Sets the tooltip of a cell on its row on hover. A `title` on every cell would cost more than its text, because browsers
 * recompute the style of an element when its title changes. `rows` are the rendered rows.
 */
export function useHint<Item>(columns: readonly Column<Item>[], items: readonly Item[], rows: readonly unknown[]) {
  const pointed = useRef<{ readonly row: HTMLElement; readonly cell: Element }>(null);
  const forget = useCallback(() => {
    pointed.current?.row.removeAttribute('title');
    pointed.current = null;
  }, []);
  // The hovered elements may show another row by now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the rows change.
  useLayoutEffect(forget, [rows]);
  return (event: MouseEvent) => {
    // A link that covers the row is on top of the cells.
    const cell = document.elementsFromPoint(event.clientX, event.clientY).find(({ role }) => role === 'cell');
    if (cell === pointed.current?.cell) return;
    forget();
    const row = cell?.closest<HTMLElement>('[data-index]');
    const item = items[Number(row?.dataset.index)];
    if (!cell || !row || item === undefined) return;
    pointed.current = { row, cell };
    const hint = columns.find(({ id }) => id === cell.getAttribute('data-column'))?.hint?.(item);
    if (hint) row.title = hint;
  };
}
