import { type MouseEvent, useCallback, useLayoutEffect, useRef } from 'react';
import type { Column } from './virtual-table-column.ts';

/**
 * Puts the hint of a cell on its row when somebody points at it. On every cell they would cost more than its text: a
 * browser looks anew how an element looks whenever its title has changed. `rows` are those in the page.
 */
export function useHint<Item>(columns: readonly Column<Item>[], items: readonly Item[], rows: readonly unknown[]) {
  const pointed = useRef<{ readonly row: HTMLElement; readonly cell: Element }>(null);
  const forget = useCallback(() => {
    pointed.current?.row.removeAttribute('title');
    pointed.current = null;
  }, []);
  // The elements that were pointed at may show another row by now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the rows have changed.
  useLayoutEffect(forget, [rows]);
  return (event: MouseEvent) => {
    // A link as large as its row lies over the cells.
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
