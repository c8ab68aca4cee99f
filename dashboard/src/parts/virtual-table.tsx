// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot contain absolutely positioned rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the link in each row is focusable.

import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import classes from './virtual-table.module.css';
import type { Column } from './virtual-table-column.ts';
import { useHint } from './virtual-table-hint.ts';
import { type PlacedRows, usePlacedRows } from './virtual-table-rows.ts';

interface VirtualTableProps<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly rowHeight: number;
  /** The column widths, as `grid-template-columns`. */
  readonly template: string;
  readonly hasMore: boolean;
  /** Called near the end of the list. May be called again while the next items are loading. */
  readonly onNearEnd: () => void;
  /** Shown below the last row: a loading indicator or an error. */
  readonly footer?: ReactNode;
  readonly isDimmed?: boolean;
}

/** The next items are requested this many rows before the end. */
const nearEnd = 40;

/**
 * A virtualized table: only the visible rows are rendered. Arrow keys, Home and End move between rows, which have one
 * link each; the focused row stays rendered while it is scrolled out of view.
 */
export function VirtualTable<Item>(props: VirtualTableProps<Item>) {
  const { label, columns, items, rowHeight, template, hasMore, onNearEnd, footer, isDimmed = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const placed = usePlacedRows(scroller, rowHeight, items.length, active);
  const showHint = useHint(columns, items, placed.rows);
  const frame = useScrollbarWidth(scroller);
  const [, navigate] = useLocation();
  const { end } = placed;
  useEffect(() => {
    if (hasMore && end >= items.length - nearEnd) onNearEnd();
  }, [hasMore, end, items.length, onNearEnd]);

  const move = (index: number) => {
    const next = Math.max(0, Math.min(items.length - 1, index));
    // From now on the row is rendered, wherever it is.
    flushSync(() => setActive(next));
    showRow(scroller.current, next, rowHeight);
    focusRow(scroller.current, next);
  };
  const sizes = { '--row-height': `${rowHeight}px`, '--columns': template } as CSSProperties;
  return (
    <div
      ref={frame}
      className={classes.frame}
      style={sizes}
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
    >
      <Head columns={columns} />
      <div
        ref={scroller}
        role="rowgroup"
        className={classes.scroller}
        data-is-dimmed={isDimmed || undefined}
        onFocus={({ target }) => setActive(indexOf(target) ?? active)}
        onMouseMove={showHint}
        onClick={(event) => followLink(event, navigate)}
        onKeyDown={(event) => onKey(event, active, rowsInSight(scroller.current, rowHeight), move)}
      >
        <Canvas columns={columns} items={items} rowHeight={rowHeight} placed={placed} />
      </div>
      {footer && <div className={classes.footer}>{footer}</div>}
    </div>
  );
}

/** Tells the header how much room the scrollbar takes beside the rows, where it takes any. */
function useScrollbarWidth(scroller: RefObject<HTMLElement | null>): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = scroller.current as HTMLElement;
    const measure = () => {
      frame.current?.style.setProperty('--scrollbar-width', `${element.offsetWidth - element.clientWidth}px`);
    };
    // The content box also changes when the scrollbar appears.
    const observer = new ResizeObserver(measure);
    measure();
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return frame;
}

function Head<Item>({ columns }: Pick<VirtualTableProps<Item>, 'columns'>) {
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.row}>
        {columns.map(({ id, title }) => (
          <div role="columnheader" key={id} data-column={id}>
            {title}
          </div>
        ))}
      </div>
    </div>
  );
}

interface CanvasProps<Item> extends Pick<VirtualTableProps<Item>, 'columns' | 'items' | 'rowHeight'> {
  readonly placed: PlacedRows;
}

/** As high as all rows together. The rendered rows follow each other, offset by the height of the rows before them. */
function Canvas<Item>({ columns, items, rowHeight, placed }: CanvasProps<Item>) {
  const { first, end, rows } = placed;
  return (
    <div
      role="presentation"
      className={classes.canvas}
      style={{ height: items.length * rowHeight, paddingTop: first * rowHeight }}
    >
      {rows.map(({ index, key }) => (
        <Row
          key={key}
          columns={columns}
          item={items[index] as Item}
          index={index}
          top={index < first || index >= end ? index * rowHeight : null}
        />
      ))}
    </div>
  );
}

interface RowProps<Item> extends Pick<VirtualTableProps<Item>, 'columns'> {
  readonly item: Item;
  readonly index: number;
  /** Its offset, if it does not follow the previous row. */
  readonly top: number | null;
}

/** Memoized, so that it does not rerender while scrolling. */
const Row = memo(function Row<Item>({ columns, item, index, top }: RowProps<Item>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={classes.row}
      style={top === null ? undefined : { position: 'absolute', top }}
    >
      {columns.map(({ id, cell }) => (
        <div role="cell" key={id} data-column={id}>
          {cell(item)}
        </div>
      ))}
    </div>
  );
}) as <Item>(props: RowProps<Item>) => ReactNode;

/** Focuses the first rendered row, such as from the search field above the table. */
export function focusFirstRow(container: HTMLElement | null): void {
  container?.querySelector<HTMLElement>('[data-index] :is(a, button)')?.focus();
}

function focusRow(container: HTMLElement | null, index: number): void {
  container?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)?.focus({ preventScroll: true });
}

/** Scrolls only as far as needed to show the row. */
function showRow(scroller: HTMLElement | null, index: number, rowHeight: number): void {
  if (scroller === null) return;
  const top = index * rowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else scroller.scrollTop = Math.max(scroller.scrollTop, top + rowHeight - scroller.clientHeight);
}

function indexOf(target: Element): number | null {
  const row = target.closest<HTMLElement>('[data-index]');
  return row === null ? null : Number(row.dataset.index);
}

/** One handler for all links of the table. Clicks that open a tab or window, or download, are left to the browser. */
function followLink(event: MouseEvent, navigate: (address: string) => void): void {
  const link = (event.target as Element).closest('a');
  const isForBrowser = event.button !== 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (link === null || isForBrowser) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
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
