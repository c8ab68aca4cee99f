// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot hold rows that are placed one by one.
// biome-ignore-all lint/a11y/useFocusableInteractive: the link in a row takes the focus.
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import classes from './virtual-table.module.css';

export interface Column<Item> {
  readonly id: string;
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
}

interface VirtualTableProps<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly rowHeight: number;
  /** How wide the columns are, as `grid-template-columns`. */
  readonly template: string;
  readonly hasMore: boolean;
  /** Called when the end comes near. May be called again while the next items are on their way. */
  readonly onNearEnd: () => void;
  /** Below the last row: that more is on its way, or why it is not. */
  readonly footer?: ReactNode;
  readonly isDimmed?: boolean;
}

/** So many rows before the end, the next ones are asked for. */
const nearEnd = 40;

/**
 * A table of any length: only the rows in sight are in the page. Arrow keys, Home and End move from row to row, which
 * each have one link; the row with the focus stays in the page while it is scrolled out of sight.
 */
export function VirtualTable<Item>(props: VirtualTableProps<Item>) {
  const { label, columns, items, idOf, rowHeight, template, hasMore, onNearEnd, footer, isDimmed = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const rangeExtractor = useCallback(
    (range: Range) => withActive(defaultRangeExtractor(range), active, items.length),
    [active, items.length],
  );
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    rangeExtractor,
  });
  const rows = virtualizer.getVirtualItems();
  const lastIndex = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex >= items.length - nearEnd) onNearEnd();
  }, [hasMore, lastIndex, items.length, onNearEnd]);

  const move = (index: number) => {
    const next = Math.max(0, Math.min(items.length - 1, index));
    setActive(next);
    virtualizer.scrollToIndex(next);
    // The row may have to be put into the page first.
    requestAnimationFrame(() => requestAnimationFrame(() => focusRow(scroller.current, next)));
  };
  return (
    <div className={classes.frame} role="table" aria-label={label} aria-rowcount={hasMore ? -1 : items.length + 1}>
      <Head columns={columns} template={template} />
      <div
        ref={scroller}
        role="rowgroup"
        className={classes.scroller}
        data-is-dimmed={isDimmed || undefined}
        onKeyDown={(event) => onKey(event, active, rowsInSight(scroller.current, rowHeight), move)}
      >
        <div role="presentation" style={{ height: virtualizer.getTotalSize() }} className={classes.canvas}>
          {rows.map(({ index, start }) => (
            <Row
              key={idOf(items[index] as Item)}
              columns={columns}
              item={items[index] as Item}
              index={index}
              style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${start}px)` }}
              isActive={index === active}
              onFocus={setActive}
            />
          ))}
        </div>
      </div>
      {footer && <div className={classes.footer}>{footer}</div>}
    </div>
  );
}

function Head<Item>({ columns, template }: Pick<VirtualTableProps<Item>, 'columns' | 'template'>) {
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.row} style={{ gridTemplateColumns: template }}>
        {columns.map(({ id, title }) => (
          <div role="columnheader" key={id} data-column={id}>
            {title}
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowProps<Item> extends Pick<VirtualTableProps<Item>, 'columns'> {
  readonly item: Item;
  readonly index: number;
  readonly style: CSSProperties;
  readonly isActive: boolean;
  readonly onFocus: (index: number) => void;
}

function Row<Item>({ columns, item, index, style, isActive, onFocus }: RowProps<Item>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-is-active={isActive || undefined}
      className={classes.row}
      style={style}
      onFocus={() => onFocus(index)}
    >
      {columns.map(({ id, cell }) => (
        <div role="cell" key={id} data-column={id}>
          {cell(item)}
        </div>
      ))}
    </div>
  );
}

/** Focuses the first row of a table, as from a search field above it. */
export function focusFirstRow(container: HTMLElement | null): void {
  focusRow(container, 0);
}

function withActive(indexes: number[], active: number, count: number): number[] {
  if (active >= count || indexes.includes(active)) return indexes;
  return [...indexes, active].sort((a, b) => a - b);
}

function focusRow(container: HTMLElement | null, index: number): void {
  container?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)?.focus({ preventScroll: true });
}

function rowsInSight(scroller: HTMLElement | null, rowHeight: number): number {
  return Math.max(1, Math.floor((scroller?.clientHeight ?? rowHeight) / rowHeight) - 1);
}

function onKey(event: KeyboardEvent, active: number, pageSize: number, move: (index: number) => void): void {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageSize,
    PageUp: active - pageSize,
    Home: 0,
    End: Number.POSITIVE_INFINITY,
  };
  const next = steps[event.key];
  if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  move(next);
}
