import { setTimeout as delay } from 'node:timers/promises';
import type { Job, JobContext, JobKind } from '../../src/jobs/kind.ts';

/** The expected outcome of the jobs of a kind, whatever happens to the workers. */
export interface Expected {
  readonly state: 'succeeded' | 'failed';
  /** The expected last error, unless the last attempt was lost. */
  readonly lastError: RegExp | null;
  readonly kind: JobKind;
  /** Percentage of all jobs. */
  readonly share: number;
}

/** Enough that a job hit by kill after kill still completes. */
const manyAttempts = 30;
const retryDelaysMs = [20, 60];
export const leaseMs = 900;
export const pollMs = 100;
/** Never fails by itself, and takes long, so that it shows how a worker stops. */
export const longKind = 'outlasts-its-lease';

type Run = (job: Job, context: JobContext) => Promise<void>;

function kindOf(name: string, run: Run, change: Partial<JobKind> = {}): JobKind {
  return { name, maxAttempts: 3, retryDelaysMs, timeoutMs: 30_000, concurrency: 8, run, ...change };
}

/** Runs until its signal is aborted, then throws. */
function hang(signal: AbortSignal): Promise<void> {
  return delay(60_000, undefined, { signal });
}

const thrownThings: readonly unknown[] = ['a text', null, undefined, 0, { a: 1 }, Object.create(null)];

export const expectations: readonly Expected[] = [
  {
    share: 55,
    state: 'succeeded',
    lastError: null,
    kind: kindOf(
      'succeeds',
      async (_job, { signal }) => void (await delay(Math.random() * 20, undefined, { signal })),
      {
        maxAttempts: manyAttempts,
      },
    ),
  },
  {
    share: 10,
    state: 'succeeded',
    lastError: null,
    kind: kindOf(
      'recovers',
      async ({ attempt }) => {
        if (attempt <= 2) throw new Error(`attempt ${attempt} fails`);
      },
      { maxAttempts: manyAttempts },
    ),
  },
  {
    share: 10,
    state: 'failed',
    lastError: /^attempt 3 fails$/,
    kind: kindOf('fails', async ({ attempt }) => {
      throw new Error(`attempt ${attempt} fails`);
    }),
  },
  {
    share: 8,
    state: 'succeeded',
    lastError: null,
    kind: kindOf(longKind, (_job, { signal }) => delay(leaseMs * 1.5, undefined, { signal }), {
      maxAttempts: manyAttempts,
    }),
  },
  {
    share: 5,
    state: 'failed',
    lastError: /^The attempt took longer than 100 ms\.$/,
    kind: kindOf('hangs', (_job, { signal }) => hang(signal), { timeoutMs: 100, maxAttempts: 2 }),
  },
  {
    share: 4,
    state: 'failed',
    lastError: /^The attempt took longer than 50 ms\.$/,
    kind: kindOf('ignores-its-signal', () => delay(200), { timeoutMs: 50, maxAttempts: 2, retryDelaysMs: [0] }),
  },
  {
    share: 4,
    state: 'failed',
    lastError: /./,
    kind: kindOf('throws-no-error', async ({ attempt, id }) => {
      throw thrownThings[(attempt + id.charCodeAt(id.length - 1)) % thrownThings.length];
    }),
  },
  {
    share: 4,
    state: 'failed',
    lastError: /^x+$/,
    kind: kindOf('huge-error', async () => {
      throw new Error(`${'x'.repeat(1_000_000)}\u0000\ud800`);
    }),
  },
];
