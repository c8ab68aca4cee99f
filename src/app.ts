import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { agentRoutes } from './agents/routes.ts';
import { createAgentStore } from './agents/store.ts';
import type { RateLimit } from './config.ts';
import { createCursorCodec } from './cursor.ts';
import { serviceUnavailable } from './errors.ts';
import { createMetrics } from './http/metrics.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { registerReferencePage } from './http/reference-page.ts';
import { registerOperations } from './http/register.ts';
import { createServer, type Patience } from './http/server.ts';
import { registerSystemRoutes } from './http/system.ts';
import { createIdGenerator } from './ids.ts';
import { createAuthenticator } from './keys/authenticate.ts';
import { createKeyStore } from './keys/store.ts';
import type { Database } from './storage/database.ts';
import { isMigrated } from './storage/migrate.ts';
import { sharedSecret } from './storage/settings.ts';

export interface AppParts {
  readonly database: Database;
  readonly logger: Logger;
  readonly rateLimit: RateLimit | null;
  readonly isDraining: () => boolean;
  readonly now?: () => number;
  readonly patience?: Patience;
}

/** Puts the service together, on a database that has been migrated. Listening is the caller's. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const { database, logger, rateLimit, isDraining, now = Date.now, patience } = parts;
  const newId = createIdGenerator(now);
  const cursors = createCursorCodec(await sharedSecret(database, 'cursor'));
  const metrics = createMetrics();
  const keys = createKeyStore(database, newId, now);
  const authenticate = createAuthenticator(keys.findBySecret, now);

  const server = createServer({ logger, metrics, authenticate, newId, patience });
  registerOperations(
    server,
    { ...agentRoutes(createAgentStore(database), newId, now) },
    { authenticate, rateLimiter: createRateLimiter(rateLimit), cursors, isDraining },
  );
  registerReferencePage(server);
  registerSystemRoutes(server, {
    metrics,
    isDraining,
    checkDatabase: async () => {
      if (!(await isMigrated(database))) throw serviceUnavailable('The database has another schema than this version.');
    },
  });
  return server;
}
