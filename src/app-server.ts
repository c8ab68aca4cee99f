import type { Areas } from './app-areas.ts';
import type { AppParts } from './app-parts.ts';
import type { Kernel } from './areas/area.ts';
import { createChanges } from './changes/change.ts';
import { defaultLimits, defaultTimeouts } from './config.ts';
import { createCursorCodec } from './core/cursor.ts';
import { serviceUnavailable } from './core/errors.ts';
import { ByteBudget } from './http/admission/byte-budget.ts';
import { createCallAccess } from './http/admission/call-access.ts';
import { OverloadGuard } from './http/admission/overload.ts';
import type { RateLimiters } from './http/admission/rate-limits.ts';
import { UnsentResponses } from './http/admission/unsent-responses.ts';
import { createClientAddresses } from './http/client-address.ts';
import { preflightRoutes } from './http/cors.ts';
import { mediaRoutes } from './http/media.ts';
import type { MetricSource } from './http/metric-source.ts';
import { createMetrics } from './http/metrics.ts';
import { createOperationRoutes, type ServeParts } from './http/operations/serve.ts';
import { createDashboard } from './http/pages/dashboard.ts';
import { guarded } from './http/pages/page.ts';
import { referenceRoutes } from './http/pages/reference.ts';
import { sdkPackageRoute } from './http/pages/sdk-package.ts';
import { signInRoute } from './http/pages/sign-in.ts';
import { descriptionRoutes, type Problem, systemRoutes } from './http/pages/system.ts';
import { createPlainRoutes } from './http/plain-routes.ts';
import { createRequestLog } from './http/request-log.ts';
import { createRequestIds, HttpServer, type Route } from './http/server.ts';
import type { Lifecycle } from './http/shutdown.ts';
import { Sockets } from './http/sockets.ts';
import type { JobWorker } from './jobs/worker.ts';
import type { Primary } from './process/cluster.ts';
import type { Database } from './storage/database.ts';
import { createMediaChecks } from './storage/media-check.ts';
import type { MediaPlace } from './storage/media-place.ts';
import { isMigrated } from './storage/migrate.ts';
import { sharedSecret } from './storage/settings.ts';

export interface ServedParts {
  readonly areas: Areas;
  readonly jobWorker: JobWorker;
  readonly lifecycle: Lifecycle;
  readonly rateLimiters: RateLimiters;
  /** The process that shares the port with others; null if there is only this one. */
  readonly primary: Primary | null;
  /** Null if there is no other instance on the database. */
  readonly mediaPlace: MediaPlace | null;
}

/** The HTTP server with everything that the areas declare, and the pages of the service. */
export async function createAppServer(kernel: Kernel, parts: AppParts, served: ServedParts): Promise<HttpServer> {
  const { database, newId, logger } = kernel;
  const { logStream } = parts;
  const { jobWorker, lifecycle, rateLimiters, primary } = served;
  const { areas, keys, figures } = served.areas;
  const timeouts = { ...defaultTimeouts, ...parts.timeouts };
  const limits = { ...defaultLimits, ...parts.limits };
  const metrics = createMetrics(primary?.shareMetrics ?? null, [
    ...serviceMetrics(logStream, jobWorker),
    ...areas.flatMap((area) => area.metrics ?? []),
    ...(parts.tracing?.metrics ?? []),
  ]);
  const rateLimiter = rateLimiters.general;
  const requestLog = createRequestLog(logger, (line) => logStream.write(line), metrics, figures.count);
  const unsentResponses = new UnsentResponses(limits.responseBytes);
  const overload = new OverloadGuard({ databaseWaitMs: database.expectedWaitMs });
  // Separate, so that visitors without a key do not delay requests to operations.
  const pageGuard = new OverloadGuard({ databaseWaitMs: () => 0 });
  const areaRoutes = await createAreaRoutes(kernel, parts, served, { overload, unsentResponses });
  const requestIdOf = createRequestIds(newId);
  const clientAddresses = createClientAddresses(parts.trustedProxies ?? []);
  const sockets = new Sockets({
    routes: areas.flatMap((area) => area.sockets ?? []),
    overload,
    rateLimiter,
    lifecycle,
    requestIdOf,
    clientAddresses,
    requestLog,
  });
  const dashboard = createDashboard();
  const pages = [
    ...descriptionRoutes(),
    ...referenceRoutes(),
    ...dashboard.routes,
    sdkPackageRoute(),
    ...preflightRoutes(areas.flatMap(({ contract }) => contract.operations)),
    signInRoute(keys.signIn),
  ];
  return new HttpServer({
    sockets,
    routes: [
      ...areaRoutes,
      ...systemRoutes({
        metrics,
        lifecycle,
        checkDatabase: () => checkSchema(database),
        missing: parts.speech.missing,
        problems: createProblems(kernel, served.mediaPlace),
      }),
      ...guarded(pages, pageGuard),
    ],
    notFoundPage: guarded([dashboard.notFound], pageGuard)[0] as Route,
    admitUnmatched: async (exchange) => {
      exchange.caller = await keys.authenticate(exchange.headers);
      exchange.addHeaders(rateLimiter.peek(exchange.caller.keyId).headers);
    },
    exchangeParts: {
      requestLog,
      requestIdOf,
      clientAddresses,
      lifecycle,
      requestBytes: new ByteBudget(limits.requestBytes),
      unsentResponses,
    },
    newId,
    requestLog,
    timeouts,
    maxConnections: limits.connections,
  });
}

/** The operations of all areas, their plain routes, and their files. */
async function createAreaRoutes(
  { database, now, accessTokens, media, mediaUrls }: Kernel,
  { leaseMs }: AppParts,
  { areas: { areas, keys, audit, idempotency }, lifecycle, rateLimiters }: ServedParts,
  guards: Pick<ServeParts, 'overload' | 'unsentResponses'>,
): Promise<Route[]> {
  const { authenticate, secretIn, checkCaller, isKeyValid } = keys;
  const callAccess = createCallAccess({
    tokens: accessTokens,
    isKeyValid,
    secretIn,
    rateLimiter: rateLimiters.accessTokens,
  });
  const changes = createChanges({ database, recordAudit: audit.record, idempotency, checkCaller, now, leaseMs });
  const cursors = createCursorCodec(await sharedSecret(database, 'cursor'));
  const operationParts = {
    ...guards,
    authenticate,
    secretIn,
    callAccess,
    rateLimiters,
    cursors,
    changes,
    lifecycle,
  };
  const { overload } = guards;
  return [
    ...areas.flatMap(({ contract, handlers }) => createOperationRoutes(contract.operations, handlers, operationParts)),
    ...createPlainRoutes(
      areas.flatMap((area) => area.plainRoutes ?? []),
      { overload, lifecycle },
    ),
    ...mediaRoutes({
      urls: mediaUrls,
      store: media,
      overload,
      receivers: Object.assign({}, ...areas.map(({ uploads }) => uploads)),
    }),
  ];
}

function serviceMetrics(logStream: AppParts['logStream'], jobWorker: JobWorker): MetricSource[] {
  return [
    {
      name: 'log_lines_dropped_total',
      type: 'counter',
      help: 'Log lines dropped because nobody read them.',
      values: () => [{ labels: {}, value: logStream.droppedLines }],
    },
    {
      name: 'job_runs_total',
      type: 'counter',
      help: 'Runs of jobs, by kind and outcome.',
      values: () => jobWorker.counts().map(({ kind, outcome, value }) => ({ labels: { kind, outcome }, value })),
    },
  ];
}

async function checkSchema(database: Database): Promise<void> {
  if (await isMigrated(database)) return;
  throw serviceUnavailable('The database schema does not match this version of the service.');
}

/** What `/readyz` reports although the service is ready. */
function createProblems({ media, spool }: Kernel, mediaPlace: MediaPlace | null): () => Promise<Problem[]> {
  const checks = createMediaChecks(media, spool.folder);
  return async () => {
    const problems: Problem[] = (await checks()).map(({ setting, message }) => ({ setting, message }));
    const differing = mediaPlace?.problem() ?? null;
    return differing === null ? problems : [...problems, differing];
  };
}
