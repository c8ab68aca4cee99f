import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { agentRoutes } from './agents/routes.ts';
import { createAgentStore } from './agents/store.ts';
import { auditRoutes } from './audit/routes.ts';
import { createAuditStore } from './audit/store.ts';
import { startBackground } from './background.ts';
import type { RateLimit } from './config.ts';
import { periods } from './contract/figures.ts';
import { createCursorCodec } from './cursor.ts';
import { serviceUnavailable } from './errors.ts';
import type { Eventually } from './eventually.ts';
import { RequestCounts } from './figures/request-counts.ts';
import { figuresRoutes } from './figures/routes.ts';
import { createFiguresStore } from './figures/store.ts';
import { registerDashboard } from './http/dashboard.ts';
import { createJournal } from './http/journal.ts';
import { createMetrics } from './http/metrics.ts';
import type { PageReply } from './http/paging.ts';
import { countInDatabase, countInMemory } from './http/rate-counts.ts';
import { createRateLimiter, noRateLimit } from './http/rate-limit.ts';
import { registerReferencePage } from './http/reference-page.ts';
import { createOperationService } from './http/register.ts';
import { createRequestIds, createServer, type Patience } from './http/server.ts';
import { registerSystemRoutes } from './http/system.ts';
import { Turnstile } from './http/turnstile.ts';
import { createIdempotencyStore } from './idempotency/store.ts';
import { createIdGenerator } from './ids.ts';
import { createAuthenticator, secretIn } from './keys/authenticate.ts';
import { createCallerCheck } from './keys/caller-check.ts';
import { LastUses } from './keys/last-uses.ts';
import { keyRoutes } from './keys/routes.ts';
import { createKeyStore } from './keys/store.ts';
import { Lifecycle } from './lifecycle.ts';
import type { Database } from './storage/database.ts';
import { DocumentCache } from './storage/document-cache.ts';
import { createKeptReads } from './storage/kept-reads.ts';
import { isMigrated } from './storage/migrate.ts';
import { sharedSecret } from './storage/settings.ts';
import { shareFigures, takeFromFirstProcess } from './workers.ts';
import { createWriter } from './writes.ts';

export interface AppParts {
  readonly database: Database;
  readonly logger: Logger;
  /** Where the logger writes to. */
  readonly logStream: { write(line: string): unknown };
  readonly rateLimit: RateLimit | null;
  readonly lifecycle?: Lifecycle;
  /** One of several processes on one port: what is counted is counted for all of them together. */
  readonly isWorker?: boolean;
  /** False searches without the index of names, and builds none. */
  readonly hasNameIndex?: boolean;
  readonly now?: () => number;
  readonly patience?: Patience;
  /** False: every read goes to the database. The answers are the same. */
  readonly keepsReads?: boolean;
}

const mostBytesOfPages = 8 * 1024 * 1024;
const mostBytesOfDocuments = 32 * 1024 * 1024;

/** Puts the service together, on a database that has been migrated. Listening is the caller's. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const { database, logger, logStream, rateLimit, patience } = parts;
  const {
    lifecycle = new Lifecycle(),
    isWorker = false,
    now = Date.now,
    keepsReads = true,
    hasNameIndex = true,
  } = parts;
  const cache = keepsReads ? new DocumentCache(mostBytesOfDocuments) : null;
  const agents = createAgentStore(database, { hasNameIndex, cache });
  const newId = createIdGenerator(now);
  const metrics = createMetrics(isWorker ? shareFigures : null);
  const cursors = createCursorCodec(await sharedSecret(database, 'cursor'));
  const isCountShared = database.dialect.engine === 'postgres';
  const sharedCounts = isCountShared && rateLimit !== null ? countInDatabase(database, rateLimit) : null;
  const ownCounts = (limit: RateLimit) => (isWorker ? takeFromFirstProcess() : countInMemory(limit));
  const rateLimiter =
    rateLimit === null ? noRateLimit : createRateLimiter(rateLimit, sharedCounts?.take ?? ownCounts(rateLimit));

  const keys = createKeyStore(database, newId, now);
  const lastUses = new LastUses(keys.noteUses);
  const authenticate = createAuthenticator(keys.findBySecret, lastUses.note.bind(lastUses), now);
  const audit = createAuditStore(database, newId, now);
  const idempotency = createIdempotencyStore(database, now);
  const checkCaller = createCallerCheck(keys.find, now);
  const performWrite = createWriter(database, audit, idempotency, checkCaller);

  const keepPage = keepsReads
    ? createKeptReads<PageReply>(database, mostBytesOfPages)
    : (_name: string, read: () => Eventually<PageReply>) => read();

  const figures = createFiguresStore(database, now);
  const steps = Object.values(periods).map(({ stepSeconds }) => stepSeconds);
  const counts = new RequestCounts(steps, figures.save, now);
  const journal = createJournal(logger, (line) => logStream.write(line), metrics, counts.note.bind(counts));
  const requestIdOf = createRequestIds(newId);
  const operations = createOperationService(
    {
      ...agentRoutes(agents, keepPage, newId, now),
      ...keyRoutes(keys, database, checkCaller, now),
      ...auditRoutes(audit),
      ...figuresRoutes(figures),
    },
    { authenticate, secretIn, rateLimiter, cursors, performWrite },
    { journal, requestIdOf, lifecycle },
  );
  const turnstile = new Turnstile({ databaseWaitMs: database.expectedWaitMs });
  const server = createServer({
    journal,
    operations,
    turnstile,
    authenticate,
    rateLimiter,
    requestIdOf,
    newId,
    patience,
    lifecycle,
  });
  registerDashboard(server);
  registerReferencePage(server);
  registerSystemRoutes(server, {
    metrics,
    lifecycle,
    checkDatabase: async () => {
      if (!(await isMigrated(database))) throw serviceUnavailable('The database has another schema than this version.');
    },
  });

  const stopBackground = startBackground(
    [
      { name: 'last uses of keys', everyMs: 10_000, run: () => lastUses.flush().then(() => false) },
      { name: 'figures of requests', everyMs: 5000, run: () => counts.flush().then(() => false) },
      { name: 'figures that are old', everyMs: 300_000, run: figures.removeOld },
      { name: 'kept answers that have expired', everyMs: 60_000, run: idempotency.removeExpired },
      { name: 'index of names', everyMs: 100, run: agents.buildNameIndex },
      ...(sharedCounts === null
        ? []
        : [{ name: 'rate counts that are over', everyMs: 300_000, run: sharedCounts.removeEnded }]),
    ],
    logger,
  );
  server.addHook('onClose', async () => {
    await stopBackground();
    // Nice to have, and no reason to fail a shutdown when the database is away.
    for (const [title, flush] of [
      ['last uses of keys', () => lastUses.flush()],
      ['figures of requests', () => counts.flush()],
    ] as const) {
      await flush().catch((error: Error) => logger.warn({ fault: error.message }, `${title} are lost`));
    }
  });
  return server;
}
