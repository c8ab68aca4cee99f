import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Extra rows rendered above and below the visible ones, to bridge the time until the next render. */
const maxSpare = 6;
/** Rendered in small steps, so that frames with new rows stay fast. */
const moreSpare = 2;
/** The delay after fast scrolling before the extra rows are rendered. */
const restMs = 100;

/** The range of rendered rows; `end` is exclusive. */
interface Range {
  readonly first: number;
  readonly end: number;
  readonly spare: number;
  /** Whether most of the visible rows are new. */
  readonly isFast: boolean;
}

/** A rendered row: its index, and the React key of its elements. */
interface PlacedRow {
  readonly index: number;
  readonly key: number;
}

export interface PlacedRows extends Pick<Range, 'first' | 'end'> {
  /** In order: from `first` to `end`, with the active row before or after them. */
  readonly rows: readonly PlacedRow[];
}

/** The rendered rows: the visible ones, some around them, and the active one, which may have the focus. */
export function usePlacedRows(
  scroller: RefObject<HTMLElement | null>,
  rowHeight: number,
  count: number,
  active: number,
): PlacedRows {
  const range = useRange(scroller, rowHeight);
  const end = Math.min(range.end, count);
  const first = Math.min(range.first, end);
  const before = useRef<readonly PlacedRow[]>([]);
  const rows = useMemo(() => {
    const indexes = indexesOf(first, end, active < count ? active : null);
    return placeRows(before.current, indexes, active, range.isFast);
  }, [first, end, count, active, range.isFast]);
  useLayoutEffect(() => {
    before.current = rows;
  }, [rows]);
  return { first, end, rows };
}

/** All rows have the same height, so the visible range is computed without measuring. */
function useRange(scroller: RefObject<HTMLElement | null>, rowHeight: number): Range {
  const [range, setRange] = useState<Range>({ first: 0, end: 0, spare: 0, isFast: true });
  useLayoutEffect(() => {
    const element = scroller.current as HTMLElement;
    let height = element.clientHeight;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const update = (isAtRest: boolean) => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const end = Math.ceil((element.scrollTop + height) / rowHeight);
      setRange((before) => nextRange(before, first, end, isAtRest));
    };
    const onScroll = () => {
      // Synchronously, because otherwise the next frame would show an empty table.
      flushSync(() => update(false));
      clearTimeout(rest);
      rest = setTimeout(update, restMs, true);
    };
    const observer = new ResizeObserver(() => {
      height = element.clientHeight;
      update(true);
    });
    update(false);
    element.addEventListener('scroll', onScroll, { passive: true });
    observer.observe(element);
    return () => {
      clearTimeout(rest);
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [scroller, rowHeight]);
  return range;
}

/** During fast scrolling, rendering rows outside the viewport would be wasted work. */
function nextRange(before: Range, firstInSight: number, endInSight: number, isAtRest: boolean): Range {
  const staying = Math.min(endInSight, before.end) - Math.max(firstInSight, before.first);
  const isFast = !isAtRest && staying < (endInSight - firstInSight) / 2;
  const spare = isFast ? 0 : isAtRest ? maxSpare : Math.min(maxSpare, before.spare + moreSpare);
  const first = Math.max(0, firstInSight - spare);
  const end = endInSight + spare;
  const isSame = first === before.first && end === before.end;
  return isSame ? before : { first, end, spare, isFast };
}

function indexesOf(first: number, end: number, active: number | null): number[] {
  const indexes = Array.from({ length: end - first }, (_, place) => first + place);
  if (active === null || (active >= first && active < end)) return indexes;
  return active < first ? [active, ...indexes] : [...indexes, active];
}

/**
 * Rows that stay keep their elements, and new elements are created for the others. During fast scrolling, existing
 * elements are recycled for new rows, which costs less than half. The active row always keeps its elements, because they
 * may have the focus and must not be moved.
 */
function placeRows(
  before: readonly PlacedRow[],
  indexes: readonly number[],
  active: number,
  isFast: boolean,
): PlacedRow[] {
  const keys = new Map(before.map(({ index, key }) => [index, key]));
  const isActiveInPlace = before.findIndex(({ index }) => index === active) === indexes.indexOf(active);
  const hasNewContent = isFast && isActiveInPlace;
  let unused = Math.max(-1, ...keys.values()) + 1;
  return indexes.map((index, place) => {
    const key = hasNewContent ? before[place]?.key : keys.get(index);
    return { index, key: key ?? unused++ };
  });
}
