import { randomBytes } from 'node:crypto';
import { type Figures, maxAgentsCounted, type Period, periods } from '../../contract/figures/index.ts';
import type { Database } from '../../storage/database.ts';
import { quantile } from './latencies.ts';
import { type Counts, type CountsRow, noCounts } from './request-counts.ts';

/** Data older than a period is not shown; a little more is kept because clocks differ. */
const retainedPeriods = 1.1;

/** The number of agents in a workspace, up to a maximum. */
export type CountAgents = (workspaceId: string, max: number) => Promise<number>;

export type FiguresStore = ReturnType<typeof createFiguresStore>;

/**
 * SQL for request statistics. Each process replaces its own rows as they grow; reads return the sum over all processes.
 */
export function createFiguresStore(database: Database, countAgents: CountAgents, now: () => number) {
  const instance = randomBytes(6).toString('base64url');
  const insertSql = `INSERT INTO request_figures (workspace_id, step_seconds, at, instance, doc)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (workspace_id, step_seconds, at, instance) DO UPDATE SET doc = excluded.doc`;
  const readSql = `SELECT at, doc FROM request_figures
    WHERE workspace_id = $1 AND step_seconds = $2 AND at >= $3`;

  return {
    save: async (rows: readonly CountsRow[]): Promise<void> => {
      await database.transaction(async (queries) => {
        for (const { workspaceId, stepSeconds, at, counts } of rows) {
          await queries.write(insertSql, [workspaceId, stepSeconds, at, instance, textOf(counts)]);
        }
      });
    },

    read: async (workspaceId: string, period: Period): Promise<Figures> => {
      const { seconds, stepSeconds } = periods[period];
      const second = Math.floor(now() / 1000);
      const last = second - (second % stepSeconds);
      const first = last - seconds + stepSeconds;
      const rows = await database.all<{ at: number; doc: string }>(readSql, [workspaceId, stepSeconds, first]);
      const agents = await countAgents(workspaceId, maxAgentsCounted + 1);
      return {
        period,
        stepSeconds,
        agents: Math.min(agents, maxAgentsCounted),
        hasMoreAgents: agents > maxAgentsCounted,
        points: pointsOf(rows, first, last, stepSeconds),
      };
    },

    /** Resolves to true if more work is pending. */
    removeOld: async (): Promise<boolean> => {
      const second = Math.floor(now() / 1000);
      for (const { seconds, stepSeconds } of Object.values(periods)) {
        await database.run('DELETE FROM request_figures WHERE step_seconds = $1 AND at < $2', [
          stepSeconds,
          Math.floor(second - retainedPeriods * seconds),
        ]);
      }
      return false;
    },
  };
}

function pointsOf(
  rows: readonly { at: number; doc: string }[],
  first: number,
  last: number,
  stepSeconds: number,
): Figures['points'] {
  const sums = new Map<number, Counts>();
  for (const { at, doc } of rows) {
    const sum = sums.get(at) ?? noCounts();
    add(sum, doc);
    sums.set(at, sum);
  }
  const points: Figures['points'] = [];
  for (let at = first; at <= last; at += stepSeconds) {
    const { requests, refusals, errors, latencies } = sums.get(at) ?? noCounts();
    points.push({
      at: new Date(at * 1000).toISOString(),
      requests,
      refusals,
      errors,
      p50Ms: quantile(latencies, 0.5),
      p95Ms: quantile(latencies, 0.95),
      p99Ms: quantile(latencies, 0.99),
    });
  }
  return points;
}

/** Most buckets are empty: only the others are written, as alternating index and count. */
function textOf({ requests, refusals, errors, latencies }: Counts): string {
  const filled = latencies.flatMap((count, bucket) => (count > 0 ? [bucket, count] : []));
  return JSON.stringify([requests, refusals, errors, ...filled]);
}

function add(sum: Counts, text: string): void {
  const [requests = 0, refusals = 0, errors = 0, ...filled] = JSON.parse(text) as number[];
  sum.requests += requests;
  sum.refusals += refusals;
  sum.errors += errors;
  for (let place = 0; place < filled.length; place += 2) {
    const bucket = filled[place] as number;
    sum.latencies[bucket] = (sum.latencies[bucket] ?? 0) + (filled[place + 1] as number);
  }
}
