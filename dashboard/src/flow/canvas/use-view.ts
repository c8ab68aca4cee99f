import { getViewportForBounds, useOnViewportChange, useReactFlow, type Viewport } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { type Box, boundsOf, nodeHeight, nodeWidth, type Point } from '../layout/geometry.ts';
import type { CanvasStep } from './canvas-steps.ts';

/** Below this, only the names of the steps are shown, in large letters. */
const readableZoom = 0.62;
const smallestFit = 0.1;
/** What is farther away than this is not found again by looking. */
const smallestName = 0.22;
const padding = 0.04;

interface Shown {
  readonly active: number | null;
  readonly isCurrent: boolean;
  /** The layout of an edit may be another one altogether. */
  readonly isAutomatic: boolean;
}

/** What the canvas shows: everything, until the user moves it; then what the user looks for. */
export function useView(
  wrapper: RefObject<HTMLElement | null>,
  places: readonly (Point | null)[],
  steps: readonly CanvasStep[],
  { active, isCurrent, isAutomatic }: Shown,
) {
  const { setViewport, setCenter, getViewport } = useReactFlow();
  const isFitted = useRef(true);
  const hasShown = useRef(false);
  const latest = useRef({ places, steps });
  latest.current = { places, steps };
  const note = useCallback(
    ({ zoom }: Viewport) => {
      wrapper.current?.style.setProperty('--zoom', String(zoom));
      wrapper.current?.toggleAttribute('data-is-far', zoom < readableZoom);
      wrapper.current?.toggleAttribute('data-is-whole', isFitted.current);
    },
    [wrapper],
  );
  useOnViewportChange({ onStart: note, onChange: note, onEnd: note });
  const fit = useCallback(() => {
    const boxes = boxesOf(latest.current);
    const bounds = boundsOf(boxes);
    const element = wrapper.current;
    isFitted.current = true;
    if (boxes.length === 0 || element === null || element.clientWidth === 0) return;
    const all = getViewportForBounds(bounds, element.clientWidth, element.clientHeight, smallestFit, 1, padding);
    // A flow that is too large for names begins at its left side.
    const isTooFar = all.zoom < smallestName;
    const zoom = Math.max(all.zoom, smallestName);
    const viewport = isTooFar ? { x: 16 - bounds.x * zoom, y: all.y, zoom } : all;
    setViewport(viewport);
    note(viewport);
  }, [wrapper, setViewport, note]);

  const count = places.filter((place) => place !== null).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when another layout has arrived.
  useLayoutEffect(() => {
    if (!isFitted.current || count === 0) return;
    // What the user has placed does not move, and neither does the view.
    if (hasShown.current && !isAutomatic) return;
    hasShown.current = true;
    fit();
  }, [count > 0, isAutomatic && isCurrent, fit]);
  useEffect(() => {
    const element = wrapper.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (isFitted.current) fit();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [wrapper, fit]);

  const center = useCallback(
    (position: number, smallest = 0) => {
      const place = latest.current.places[position];
      if (place == null) return;
      isFitted.current = false;
      const zoom = Math.max(getViewport().zoom, smallest);
      const height = nodeHeight(latest.current.steps[position]?.ways.length ?? 0);
      setCenter(place.x + nodeWidth / 2, place.y + height / 2, { zoom });
    },
    [setCenter, getViewport],
  );
  const isInView = useCallback(
    (position: number) => {
      const place = latest.current.places[position];
      const element = wrapper.current;
      if (place == null || element === null) return true;
      const { x, y, zoom } = getViewport();
      const [left, top] = [place.x * zoom + x, place.y * zoom + y];
      const bottom = top + nodeHeight(latest.current.steps[position]?.ways.length ?? 0) * zoom;
      return left >= 0 && top >= 0 && left + nodeWidth * zoom <= element.clientWidth && bottom <= element.clientHeight;
    },
    [wrapper, getViewport],
  );
  // The canvas follows the call.
  useEffect(() => {
    if (active !== null && !isInView(active)) center(active);
  }, [active, isInView, center]);
  return {
    fit,
    center,
    /** The user looks somewhere else. */
    leave: () => {
      isFitted.current = false;
    },
    /** The browser scrolls the canvas for a moment to show what has the focus, so that places are those of the flow. */
    showFocused: (canvas: HTMLElement, focused: HTMLElement) => {
      if (!focused.matches('.react-flow__node:focus-visible')) return;
      canvas.scrollIntoView({ block: 'nearest' });
      const position = Number(focused.dataset.id);
      if (!isInView(position)) center(position);
    },
  };
}

interface Latest {
  readonly places: readonly (Point | null)[];
  readonly steps: readonly CanvasStep[];
}

function boxesOf({ places, steps }: Latest): readonly Box[] {
  return places.flatMap((place, position) =>
    place === null ? [] : [{ ...place, width: nodeWidth, height: nodeHeight(steps[position]?.ways.length ?? 0) }],
  );
}
