import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import type { RateLimit } from './config.ts';
import { serviceUnavailable } from './errors.ts';
import { countInMemory, type Taken, type TakePoints } from './http/rate-counts.ts';

/** A worker that ends sooner than this after its start will not do better the next time. */
const shortestLifeMs = 2000;
const longestAnswerMs = 1000;
const longestCountMs = 5000;

/**
 * What the processes ask each other: a worker for the figures of all and for points of a key's rate, the first process
 * for the figures of one.
 */
type Message =
  | { readonly kind: 'figures of all wanted'; readonly id: number }
  | { readonly kind: 'figures of all'; readonly id: number; readonly text: string }
  | { readonly kind: 'own figures wanted'; readonly id: number }
  | { readonly kind: 'own figures'; readonly id: number; readonly figures: object[] }
  | { readonly kind: 'points wanted'; readonly id: number; readonly keyId: string; readonly points: number }
  | { readonly kind: 'points'; readonly id: number; readonly taken: Taken };

/**
 * Runs several processes that share one port, and starts a new one where one ends unasked. The connections are handed
 * out by this first process, which answers none itself. Resolves when all of them are ready.
 */
export async function runWorkers(
  { workers: count, rateLimit }: { workers: number; rateLimit: RateLimit | null },
  logger: Logger,
  onReady: (port: number) => void,
): Promise<void> {
  cluster.setupPrimary({ exec: process.argv[1] as string, args: process.argv.slice(2) });
  // One count of requests for all workers: it is kept here, and they take from it.
  if (rateLimit !== null) answerPoints(countInMemory(rateLimit));
  answerFigures();
  let isStopping = false;
  let ready = 0;

  const start = (): void => {
    const startedAt = performance.now();
    const worker = cluster.fork();
    worker.once('listening', ({ port }) => {
      ready += 1;
      if (ready === count) onReady(port);
    });
    worker.once('exit', (code, signal) => {
      if (isStopping) {
        if (Object.keys(cluster.workers ?? {}).length === 0) end(0);
        return;
      }
      logger.error({ pid: worker.process.pid, code, signal }, 'a worker ended');
      if (ready < count || performance.now() - startedAt < shortestLifeMs) {
        isStopping = true;
        for (const other of Object.values(cluster.workers ?? {})) other?.process.kill('SIGTERM');
        end(code || 1);
      } else start();
    });
  };
  const end = (code: number): void => logger.flush(() => process.exit(code));

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      isStopping = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    });
  }
  for (let number = 0; number < count; number += 1) start();
}

/** In the first process: asks every worker for its figures and puts them together. */
function answerFigures(): void {
  let questions = 0;
  const pending = new Map<number, (figures: object[]) => void>();

  const ask = (worker: Worker): Promise<object[]> =>
    new Promise((resolve) => {
      questions += 1;
      const id = questions;
      const answer = (figures: object[]): void => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(figures);
      };
      // A worker that is too busy to answer, or just ending, is left out.
      const timer = setTimeout(() => answer([]), longestAnswerMs);
      pending.set(id, answer);
      worker.send({ kind: 'own figures wanted', id } satisfies Message, (error) => error && answer([]));
    });

  cluster.on('message', async (worker, message: Message) => {
    if (message.kind === 'own figures') pending.get(message.id)?.(message.figures);
    if (message.kind !== 'figures of all wanted') return;
    const workers = Object.values(cluster.workers ?? {}).filter((other) => other !== undefined);
    const figures = await Promise.all(workers.map(ask));
    const text = await AggregatorRegistry.aggregate(figures.filter((own) => own.length > 0)).metrics();
    worker.send({ kind: 'figures of all', id: message.id, text } satisfies Message, () => {});
  });
}

/** In the first process: counts for every worker. */
function answerPoints(take: (keyId: string, points: number) => Taken): void {
  cluster.on('message', (worker, message: Message) => {
    if (message.kind !== 'points wanted') return;
    const taken = take(message.keyId, message.points);
    worker.send({ kind: 'points', id: message.id, taken } satisfies Message, () => {});
  });
}

/** In a worker: takes points from the count of the first process. */
export function takeFromFirstProcess(): TakePoints {
  let questions = 0;
  const pending = new Map<number, (taken: Taken) => void>();
  process.on('message', (message: Message) => {
    if (message.kind === 'points') pending.get(message.id)?.(message.taken);
  });
  return (keyId, points) =>
    new Promise((resolve, reject) => {
      questions += 1;
      const id = questions;
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(serviceUnavailable('The count of requests is away.'));
      }, longestCountMs);
      pending.set(id, (taken) => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(taken);
      });
      process.send?.({ kind: 'points wanted', id, keyId, points } satisfies Message);
    });
}

/** In a worker: answers for its own figures, and asks for those of all. */
export function shareFigures(ownFigures: () => Promise<object[]>): () => Promise<string> {
  let questions = 0;
  const pending = new Map<number, (text: string) => void>();
  process.on('message', async (message: Message) => {
    if (message.kind === 'figures of all') pending.get(message.id)?.(message.text);
    if (message.kind !== 'own figures wanted') return;
    process.send?.({ kind: 'own figures', id: message.id, figures: await ownFigures() } satisfies Message);
  });
  return () =>
    new Promise((resolve) => {
      questions += 1;
      const id = questions;
      pending.set(id, (text) => {
        pending.delete(id);
        resolve(text);
      });
      process.send?.({ kind: 'figures of all wanted', id } satisfies Message);
    });
}
