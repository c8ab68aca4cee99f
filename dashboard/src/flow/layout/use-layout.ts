import { useQuery } from '@tanstack/react-query';
import type { ELK } from 'elkjs/lib/elk-api.js';
import { useEffect, useMemo, useRef } from 'react';
import { elkGraphOf, layoutOf } from './elk-graph.ts';
import type { Layout, LayoutRequest, Point } from './geometry.ts';

interface Shown {
  readonly ids: readonly string[];
  readonly layout: Layout;
}

interface ShownLayout {
  /** By position of the step. Null: not known yet. */
  readonly places: readonly (Point | null)[];
  readonly edges: Layout['edges'];
  /** False until the layout of the present flow has arrived. */
  readonly isCurrent: boolean;
}

interface LayoutState extends ShownLayout {
  /** Tries again. Null: nothing went wrong. */
  readonly retry: (() => void) | null;
}

/** The places of the steps and the corners of their edges. Until they are known, those that have not changed. */
export function useLayout(request: LayoutRequest, ids: readonly string[]): LayoutState {
  const key = useMemo(() => JSON.stringify(request), [request]);
  const workers = useWorkers();
  // The same flow has the same layout on every page.
  const { data, error, refetch } = useQuery({
    queryKey: ['flow-layout', key],
    queryFn: () => workers.layout(request),
    enabled: request.nodes.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const last = useRef<Shown | null>(null);
  if (data !== undefined) last.current = { ids, layout: data };
  const shown = useMemo(() => {
    if (data !== undefined) return { ...data, isCurrent: true };
    // Where the user puts a step, it is at once; the edges follow.
    const kept = request.places;
    if (last.current === null) return { places: kept, edges: {}, isCurrent: false };
    const { places, edges } = moved(last.current, ids);
    return { places: places.map((place, position) => kept[position] ?? place), edges, isCurrent: false };
  }, [data, ids, request]);
  return { ...shown, retry: error === null || data !== undefined ? null : () => void refetch() };
}

/** The same steps at other positions of the list. */
function moved({ ids: before, layout }: Shown, ids: readonly string[]): Omit<ShownLayout, 'isCurrent'> {
  const positions = new Map(ids.map((id, position) => [id, position]));
  const edges = Object.entries(layout.edges).flatMap(([edge, points]) => {
    const [position = '', path = ''] = edge.split(' ');
    const now = positions.get(before[Number(position)] ?? '');
    return now === undefined ? [] : [[`${now} ${path}`, points] as const];
  });
  const places = ids.map((id) => layout.places[before.indexOf(id)] ?? null);
  return { places, edges: Object.fromEntries(edges) };
}

function useWorkers() {
  const workers = useMemo(createWorkers, []);
  useEffect(() => () => workers.close(), [workers]);
  return workers;
}

/** Each worker is started when it is first needed. */
function createWorkers() {
  let elk: Promise<{ readonly elk: ELK; readonly worker: Worker; readonly failure: Promise<never> }> | null = null;
  let router: Worker | null = null;
  const waiting = new Map<number, (layout: Layout) => void>();
  let last = 0;
  const startElk = async () => {
    const { default: Elk } = await import('elkjs/lib/elk-api.js');
    const worker = new Worker(new URL('./elk.worker.ts', import.meta.url), { type: 'module' });
    return { elk: new Elk({ workerFactory: () => worker }), worker, failure: failureOf(worker) };
  };
  const startRouter = () => {
    const worker = new Worker(new URL('./router.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data: { id, layout } }: MessageEvent<{ id: number; layout: Layout }>) => {
      waiting.get(id)?.(layout);
      waiting.delete(id);
    };
    return worker;
  };
  return {
    layout: async (request: LayoutRequest): Promise<Layout> => {
      if (request.places.every((place) => place === null)) {
        elk ??= startElk();
        try {
          const { elk: ready, failure } = await elk;
          return layoutOf(await Promise.race([ready.layout(elkGraphOf(request)), failure]));
        } catch (error) {
          // Another attempt begins anew.
          elk = null;
          throw error;
        }
      }
      router ??= startRouter();
      const id = ++last;
      const answer = new Promise<Layout>((resolve) => waiting.set(id, resolve));
      router.postMessage({ id, request });
      return await Promise.race([answer, failureOf(router)]);
    },
    close: () => {
      elk?.then(({ worker }) => worker.terminate());
      router?.terminate();
      elk = null;
      router = null;
    },
  };
}

/** A worker that cannot be loaded, such as without a network, says so only once. */
function failureOf(worker: Worker): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    worker.addEventListener('error', () => reject(new Error('the worker of the layout failed')));
  });
  // Nobody may be waiting.
  failure.catch(() => {});
  return failure;
}
