import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** So many rows are in the page above and below those in sight, for the moment until the next ones are drawn. */
const maxSpare = 6;
/** Fewer at a time, so that a frame that also shows new rows has little more to do. */
const moreSpare = 2;
/** So long after the last fast step, the spare rows are drawn. */
const restMs = 100;

/** The rows around those in sight, `end` not among them. */
interface Range {
  readonly first: number;
  readonly end: number;
  readonly spare: number;
  /** Whether most of what is in sight has just come into the page. */
  readonly isFast: boolean;
}

/** A row that is in the page: which one, and the key of the elements that show it. */
interface PlacedRow {
  readonly index: number;
  readonly key: number;
}

export interface PlacedRows extends Pick<Range, 'first' | 'end'> {
  /** In their order: from `first` to `end`, and before or after them the active one. */
  readonly rows: readonly PlacedRow[];
}

/** The rows that are in the page: those in sight, some around them, and the active one, which may have the focus. */
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

/** Every row is equally high: what is in sight is reckoned, and no row is measured. */
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
      // At once, and not when React finds the time: the next frame would show an empty table.
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

/** While one scrolls so fast that hardly a row stays, those out of sight would be drawn for nothing. */
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
 * A row that stays keeps its elements, and those of the others are made. In fast scrolling, the elements that are there
 * show the new rows instead, one after the other: to change their texts costs less than half. The active row always
 * keeps its own, which may have the focus, and which must not be moved among the others either.
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
