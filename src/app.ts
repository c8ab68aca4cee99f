import type { Logger } from 'pino';
import { agentRoutes } from './areas/agents/routes.ts';
import { createAgentStore } from './areas/agents/store.ts';
import { auditRoutes } from './areas/audit/routes.ts';
import { createAuditStore } from './areas/audit/store.ts';
import { createAuthenticator, secretIn } from './areas/keys/authenticate.ts';
import { createCallerCheck } from './areas/keys/caller-check.ts';
import { LastUses } from './areas/keys/last-uses.ts';
import { keyRoutes } from './areas/keys/routes.ts';
import { createKeyStore } from './areas/keys/store.ts';
import { RequestCounts } from './areas/traffic/request-counts.ts';
import { figuresRoutes } from './areas/traffic/routes.ts';
import { createFiguresStore } from './areas/traffic/store.ts';
import { createWriter } from './changes/change.ts';
import { createIdempotencyStore } from './changes/idempotency/store.ts';
import { defaultLimits, defaultTimeouts, type Limits, type RateLimit, type Timeouts } from './config.ts';
import { periods } from './contract/traffic.ts';
import { createCursorCodec } from './core/cursor.ts';
import { serviceUnavailable } from './core/errors.ts';
import { createIdGenerator } from './core/ids.ts';
import { ByteBudget } from './http/admission/byte-budget.ts';
import { OverloadGuard } from './http/admission/overload.ts';
import { countInDatabase, countInMemory } from './http/admission/rate-counts.ts';
import { createRateLimiter, noRateLimit } from './http/admission/rate-limit.ts';
import { UnsentResponses } from './http/admission/unsent-responses.ts';
import { createMetrics } from './http/metrics.ts';
import { createOperationRoutes } from './http/operations/serve.ts';
import { dashboardRoutes } from './http/pages/dashboard.ts';
import { referenceRoutes } from './http/pages/reference.ts';
import { systemRoutes } from './http/pages/system.ts';
import { createRequestLog } from './http/request-log.ts';
import { createRequestIds, HttpServer } from './http/server.ts';
import type { JobKind } from './jobs/kind.ts';
import { createJobQueue, type JobQueue } from './jobs/queue.ts';
import { startBackground } from './jobs/schedule.ts';
import { JobWorker } from './jobs/worker.ts';
import { connectToPrimary } from './process/cluster.ts';
import { Lifecycle } from './process/shutdown.ts';
import { ReadCache } from './storage/cache/read-cache.ts';
import type { Database } from './storage/database.ts';
import { isMigrated } from './storage/migrate.ts';
import { sharedSecret } from './storage/settings.ts';

export interface AppParts {
  readonly database: Database;
  readonly logger: Logger;
  /** Where the logger writes to. */
  readonly logStream: { write(line: string): unknown; readonly droppedLines: number };
  readonly rateLimit: RateLimit | null;
  readonly lifecycle?: Lifecycle;
  /** One of several processes on one port: what is counted is counted for all of them together. */
  readonly isWorker?: boolean;
  /** False searches without the index of names, and builds none. */
  readonly hasNameIndex?: boolean;
  readonly now?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Partial<Limits>;
  /** False: every read goes to the database. The responses are the same. */
  readonly hasReadCache?: boolean;
  /** The kinds of jobs that this process runs. */
  readonly jobKinds?: (kernel: { readonly database: Database; readonly jobs: JobQueue }) => readonly JobKind[];
}

export interface App {
  readonly server: HttpServer;
  /** Ends what is in progress, and saves what was counted. */
  close(): Promise<void>;
}

const readCacheBytes = 32 * 1024 * 1024;

const uncached: Pick<ReadCache, 'read'> = { read: (_workspaceId, _name, load) => load() };

/** Puts the service together, on a database that has been migrated. The caller lets it listen. */
export async function createApp(parts: AppParts): Promise<App> {
  const { database, logger, logStream, rateLimit } = parts;
  const timeouts = { ...defaultTimeouts, ...parts.timeouts };
  const limits = { ...defaultLimits, ...parts.limits };
  const {
    lifecycle = new Lifecycle(),
    isWorker = false,
    now = Date.now,
    hasReadCache = true,
    hasNameIndex = true,
    jobKinds = () => [],
  } = parts;
  const cache = new ReadCache(database, readCacheBytes);
  const agents = createAgentStore(database, { hasNameIndex, onWrite: cache.invalidateWith.bind(cache) });
  const newId = createIdGenerator(now);
  const primary = isWorker ? connectToPrimary() : null;
  const jobs = createJobQueue(database, newId, parts.now);
  const jobWorker = new JobWorker({ queue: jobs, kinds: jobKinds({ database, jobs }), logger });
  const metrics = createMetrics(primary?.shareMetrics ?? null, {
    droppedLogLines: () => logStream.droppedLines,
    jobRuns: () => jobWorker.counts(),
  });
  const cursors = createCursorCodec(await sharedSecret(database, 'cursor'));
  const isCountShared = database.dialect.engine === 'postgres';
  const sharedCounts = isCountShared && rateLimit !== null ? countInDatabase(database, rateLimit) : null;
  const ownCounts = (limit: RateLimit) => primary?.takePoints ?? countInMemory(limit);
  const rateLimiter =
    rateLimit === null ? noRateLimit : createRateLimiter(rateLimit, sharedCounts?.take ?? ownCounts(rateLimit));

  const keys = createKeyStore(database, newId, now);
  const lastUses = new LastUses(keys.noteUses);
  const authenticate = createAuthenticator(keys.findBySecret, lastUses.note.bind(lastUses), now);
  const audit = createAuditStore(database, newId, now);
  const idempotency = createIdempotencyStore(database, now);
  const checkCaller = createCallerCheck(keys.find, now);
  const performWrite = createWriter(database, audit.record, idempotency, checkCaller);

  const figures = createFiguresStore(database, now);
  const steps = Object.values(periods).map(({ stepSeconds }) => stepSeconds);
  const counts = new RequestCounts(steps, figures.save, now);
  const requestLog = createRequestLog(logger, (line) => logStream.write(line), metrics, counts.note.bind(counts));
  const unsentResponses = new UnsentResponses(limits.responseBytes);
  const overload = new OverloadGuard({ databaseWaitMs: database.expectedWaitMs });
  const operationRoutes = createOperationRoutes(
    {
      ...agentRoutes(agents, hasReadCache ? cache : uncached, newId, now),
      ...keyRoutes(keys, database, checkCaller, now),
      ...auditRoutes(audit),
      ...figuresRoutes(figures),
    },
    { overload, authenticate, secretIn, rateLimiter, cursors, performWrite, lifecycle, unsentResponses },
  );
  const checkDatabase = async (): Promise<void> => {
    if (!(await isMigrated(database))) throw serviceUnavailable('The database has another schema than this version.');
  };
  const server = new HttpServer({
    routes: [
      ...operationRoutes,
      ...systemRoutes({ metrics, lifecycle, checkDatabase }),
      ...referenceRoutes(),
      ...dashboardRoutes(),
    ],
    admitUnmatched: async (exchange) => {
      exchange.caller = await authenticate(exchange.headers);
      exchange.addHeaders(rateLimiter.tell(exchange.caller.keyId).headers);
    },
    exchangeParts: {
      requestLog,
      requestIdOf: createRequestIds(newId),
      lifecycle,
      requestBytes: new ByteBudget(limits.requestBytes),
      unsentResponses,
    },
    newId,
    requestLog,
    timeouts,
    maxConnections: limits.connections,
  });

  const stopBackground = startBackground(
    [
      { name: 'last uses of keys', everyMs: 10_000, run: () => lastUses.flush().then(() => false) },
      { name: 'figures of requests', everyMs: 5000, run: () => counts.flush().then(() => false) },
      { name: 'figures that are old', everyMs: 300_000, run: figures.removeOld },
      { name: 'kept answers that have expired', everyMs: 60_000, run: idempotency.removeExpired },
      { name: 'index of names', everyMs: 100, run: agents.buildNameIndex },
      { name: 'jobs that ended long ago', everyMs: 60_000, run: jobs.removeFinished },
      ...(sharedCounts === null
        ? []
        : [{ name: 'rate counts that are over', everyMs: 300_000, run: sharedCounts.removeEnded }]),
    ],
    logger,
  );
  jobWorker.start();
  return {
    server,
    close: async () => {
      await Promise.all([server.close(), jobWorker.stop()]);
      await stopBackground();
      // Nice to have, and no reason to fail a shutdown when the database is away.
      for (const [title, flush] of [
        ['last uses of keys', () => lastUses.flush()],
        ['figures of requests', () => counts.flush()],
      ] as const) {
        await flush().catch((error: Error) =>
          logger.warn({ err: { message: error.message } }, `${title} could not be saved`),
        );
      }
    },
  };
}
