import { figuresContract, periods } from '../../contract/figures/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { RequestCounts } from './request-counts.ts';
import { type CountAgents, createFiguresStore, type FiguresStore } from './store.ts';

/** Request counts and latencies per workspace. `count` is called for every request. */
export function createFigures(
  { database, now }: Kernel,
  countAgents: CountAgents,
): { area: Area; count: (workspaceId: string, status: number, durationMs: number | null) => void } {
  const store = createFiguresStore(database, countAgents, now);
  const steps = Object.values(periods).map(({ stepSeconds }) => stepSeconds);
  const counts = new RequestCounts(steps, store.save, now);
  const area = defineArea(figuresContract, {
    handlers: figuresRoutes(store),
    tasks: [
      { name: 'save request figures', everyMs: 5000, run: () => counts.flush().then(() => false) },
      { name: 'remove old request figures', everyMs: 300_000, run: store.removeOld },
    ],
    onClose: () => counts.flush(),
  });
  return { area, count: counts.note.bind(counts) };
}

function figuresRoutes(store: FiguresStore): Handlers<(typeof figuresContract.operations)[number]> {
  return {
    'figures.get': async ({ caller, query }) => ({ body: await store.read(caller.workspaceId, query.period) }),
  };
}
