import type { Logger } from 'pino';
import { createAgents } from './areas/agents/area.ts';
import { createAnalysis } from './areas/analysis/area.ts';
import type { Area, Kernel } from './areas/area.ts';
import { createAudit } from './areas/audit/area.ts';
import { type CallSettings, createCalls } from './areas/calls/area.ts';
import { hasOpenCalls } from './areas/calls/open-calls.ts';
import { createTranscripts } from './areas/calls/transcript.ts';
import { createKeys } from './areas/keys/area.ts';
import { createProviders } from './areas/providers/area.ts';
import { createSecrets } from './areas/secrets/area.ts';
import { createSimulations } from './areas/simulations/area.ts';
import { createTraffic } from './areas/traffic/area.ts';
import { createWebhooks } from './areas/webhooks/area.ts';
import type { SenderSettings } from './areas/webhooks/sender.ts';
import { createChanges } from './changes/change.ts';
import { createIdempotencyStore } from './changes/idempotency/store.ts';
import { defaultLimits, defaultTimeouts, type Limits, type RateLimit, type Timeouts } from './config.ts';
import { createAccessTokens } from './core/access-token.ts';
import { createCursorCodec } from './core/cursor.ts';
import { serviceUnavailable } from './core/errors.ts';
import { createIdGenerator } from './core/ids.ts';
import type { Sealer } from './core/sealer.ts';
import { ByteBudget } from './http/admission/byte-budget.ts';
import { createCallAccess } from './http/admission/call-access.ts';
import { OverloadGuard } from './http/admission/overload.ts';
import { countInDatabase, countInMemory, removeEndedWindows } from './http/admission/rate-counts.ts';
import { allRateLimits, createRateLimiters, type RateLimits } from './http/admission/rate-limits.ts';
import { UnsentResponses } from './http/admission/unsent-responses.ts';
import { createClientAddresses } from './http/client-address.ts';
import { preflightRoutes } from './http/cors.ts';
import { createMediaUrls, mediaRoutes } from './http/media.ts';
import { createMetrics } from './http/metrics.ts';
import { createOperationRoutes } from './http/operations/serve.ts';
import { createDashboard } from './http/pages/dashboard.ts';
import { guarded } from './http/pages/page.ts';
import { referenceRoutes } from './http/pages/reference.ts';
import { sdkPackageRoute } from './http/pages/sdk-package.ts';
import { signInRoute } from './http/pages/sign-in.ts';
import { descriptionRoutes, type Problem, systemRoutes } from './http/pages/system.ts';
import { createPlainRoutes } from './http/plain-routes.ts';
import { createRequestLog } from './http/request-log.ts';
import { createRequestIds, HttpServer, type Route } from './http/server.ts';
import { Lifecycle } from './http/shutdown.ts';
import { Sockets } from './http/sockets.ts';
import type { JobKind } from './jobs/kind.ts';
import { createJobQueue } from './jobs/queue.ts';
import { startSchedule } from './jobs/schedule.ts';
import { JobWorker } from './jobs/worker.ts';
import { createGuard } from './net/guard.ts';
import { AllowedNetworks } from './net/networks.ts';
import { connectToPrimary } from './process/cluster.ts';
import type { PoolLimits } from './process/pool/pool.ts';
import type { Database } from './storage/database.ts';
import { createMediaStore } from './storage/media.ts';
import { createMediaCheck } from './storage/media-check.ts';
import { isMigrated } from './storage/migrate.ts';
import { RemovedContent } from './storage/removed-content.ts';
import { sharedSecret } from './storage/settings.ts';
import type { SpeechProviders } from './voice/speech-ports.ts';

const defaultEmptyLogMs = 60_000;

export interface AppParts {
  readonly database: Database;
  readonly logger: Logger;
  /** The stream that the logger writes to. */
  readonly logStream: { write(line: string): unknown; readonly droppedLines: number };
  readonly rateLimit: RateLimit | null;
  /** The limits that operations have in addition, by the name in the operation table. */
  readonly rateLimits: RateLimits;
  readonly sealer: Sealer;
  readonly mediaFolder: string;
  /** Networks that partners' addresses may point to although they are not public, in CIDR notation. */
  readonly allowedNetworks: readonly string[];
  readonly eventRetentionDays: number;
  /** `http://host:port` of the proxy for connections to partners' addresses. */
  readonly outboundProxy?: string | null;
  readonly calls: CallSettings;
  /** What recognizes speech and speaks. The app closes it. */
  readonly speech: SpeechProviders;
  /** How deliveries to webhooks are claimed, for tests and campaigns. Null: nothing is sent. */
  readonly webhookSending?: Partial<SenderSettings> | null;
  /** How often deleted content is removed from the log of the database. */
  readonly emptyLogMs?: number;
  /** How long a lost process keeps the jobs, replies, deliveries and Idempotency-Keys that it was working on. */
  readonly leaseMs?: number;
  /** The networks of proxies whose `X-Forwarded-For` is believed, in CIDR notation. None by default. */
  readonly trustedProxies?: readonly string[];
  readonly lifecycle?: Lifecycle;
  /** One of several processes on one port; rate limits and metrics are shared between them. */
  readonly isWorker?: boolean;
  /** False: searches do not use the name index, and none is built. */
  readonly hasNameIndex?: boolean;
  readonly now?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Partial<Limits>;
  readonly simulations?: Partial<PoolLimits>;
  /** False: every read goes to the database. The responses are the same. */
  readonly hasReadCache?: boolean;
  /** Additional areas, for tests. */
  readonly otherAreas?: (kernel: Kernel) => readonly Area[];
  /** Kinds of jobs besides those of the areas: for tests and the benchmark. */
  readonly otherJobs?: (kernel: Kernel) => readonly JobKind[];
}

export interface App {
  readonly server: HttpServer;
  /** Finishes work in progress and saves request counts. */
  close(): Promise<void>;
}

/** Builds the service on a migrated database. The caller makes it listen. */
export async function createApp(parts: AppParts): Promise<App> {
  const { database, logger, logStream, rateLimit, sealer } = parts;
  const timeouts = { ...defaultTimeouts, ...parts.timeouts };
  const limits = { ...defaultLimits, ...parts.limits };
  const { lifecycle = new Lifecycle(), isWorker = false, now = Date.now } = parts;
  const { hasReadCache = true, hasNameIndex = true, otherAreas = () => [], otherJobs = () => [] } = parts;
  const newId = createIdGenerator(now);
  const media = createMediaStore(parts.mediaFolder);
  const mediaUrls = createMediaUrls(sealer.deriveEach('media'), now);
  const accessTokens = createAccessTokens(sealer.deriveEach('access-token'));
  const jobs = createJobQueue(database, newId, parts.now);
  const removedContent = new RemovedContent(database);
  const kernel: Kernel = { database, newId, now, logger, jobs, removedContent, media, mediaUrls, accessTokens, sealer };

  const allowedNetworks = new AllowedNetworks(parts.allowedNetworks);
  const secrets = createSecrets(kernel, (...given) => agents.usersOfSecret(...given));
  const { eventRetentionDays } = parts;
  const guard = createGuard({ allowedNetworks, proxy: parts.outboundProxy ?? null });
  const webhooks = createWebhooks(kernel, {
    eventRetentionDays,
    listeners: [],
    clock: parts.now,
    guard,
    allowedNetworks,
    existingAgents: (...given) => agents.existing(...given),
    hasOpenCalls,
    transcriptOf: createTranscripts(database, sealer),
    publishedVersion: async (queries, workspaceId, id) =>
      (await agents.findVersion(queries, workspaceId, id, 'published'))?.agent,
    mayClaim: () => lifecycle.stage === 'serving',
    sending:
      parts.webhookSending === null
        ? null
        : { ...(parts.leaseMs === undefined ? {} : { leaseMs: parts.leaseMs }), ...parts.webhookSending },
  });
  const agents = createAgents(kernel, {
    hasNameIndex,
    hasReadCache,
    allowedNetworks,
    secretHosts: secrets.hosts,
    onChange: webhooks.agentWebhooks.changed,
    onPublish: webhooks.agentWebhooks.published,
    onDelete: webhooks.agentWebhooks.deleted,
  });
  const audit = createAudit(kernel);
  const keys = createKeys(kernel, (queries, { workspaceId, id: resourceId, name: resourceName }, cause) =>
    audit.record(queries, { ...cause, workspaceId, resourceId, resourceName, routeId: 'apiKeys.create' }),
  );
  const traffic = createTraffic(kernel, agents.count);
  const simulations = createSimulations(agents, parts.simulations);
  const idempotency = createIdempotencyStore(database, sealer, now);
  const calls = createCalls(
    kernel,
    { ...parts.calls, leaseMs: parts.leaseMs },
    {
      agents: { readVersion: agents.findVersion, publishingIssues: agents.callIssues },
      guard,
      speech: parts.speech,
      secrets: secrets.open,
      webhooks: {
        write: webhooks.events.write,
        removal: webhooks.events,
        ensure: webhooks.agentWebhooks.ensure,
        secrets: webhooks.agentWebhooks.secrets,
      },
      savedResponses: idempotency,
      analyses: {
        begin: (...given) => analysis.begin(...given),
        rewrite: (...given) => analysis.rewrite(...given),
        remove: (...given) => analysis.remove(...given),
      },
      onSettled: async (queries, settled) => {
        for (const area of areas) await area.onCallSettled?.(queries, settled);
      },
      findValidKeys: keys.findValidKeys,
      // The limits are created below, from the operations of all areas.
      admitToken: (tokenId) => rateLimiters.accessTokens.admit(tokenId),
    },
  );
  const { llm, clock } = parts.calls;
  const analysis = createAnalysis(kernel, { llm, clock }, calls.analyzed, agents.findVersion);
  const areas = [
    agents.area,
    keys.area,
    audit.area,
    traffic.area,
    calls.area,
    createProviders(parts.speech),
    analysis.area,
    simulations.area,
    secrets.area,
    webhooks.area,
    ...otherAreas(kernel),
  ];

  const primary = isWorker ? connectToPrimary() : null;
  const jobWorker = new JobWorker({
    queue: kernel.jobs,
    kinds: [...areas.flatMap((area) => area.jobs ?? []), ...otherJobs(kernel)],
    logger,
    mayClaim: () => lifecycle.stage === 'serving',
    settings: parts.leaseMs === undefined ? {} : { leaseMs: parts.leaseMs },
  });
  const metrics = createMetrics(primary?.shareMetrics ?? null, [
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
    ...areas.flatMap((area) => area.metrics ?? []),
  ]);
  const isShared = database.dialect.engine === 'postgres';
  const rateLimiters = createRateLimiters(allRateLimits(rateLimit, parts.rateLimits), (name, limit) =>
    isShared ? countInDatabase(database, name, limit) : (primary?.countsOf(name) ?? countInMemory(limit)),
  );
  const rateLimiter = rateLimiters.general;

  const { authenticate, secretIn, checkCaller, isKeyValid } = keys;
  const callAccess = createCallAccess({
    tokens: accessTokens,
    isKeyValid,
    secretIn,
    rateLimiter: rateLimiters.accessTokens,
  });
  const changes = createChanges({
    database,
    recordAudit: audit.record,
    idempotency,
    checkCaller,
    now,
    leaseMs: parts.leaseMs,
  });
  const requestLog = createRequestLog(logger, (line) => logStream.write(line), metrics, traffic.count);
  const unsentResponses = new UnsentResponses(limits.responseBytes);
  const overload = new OverloadGuard({ databaseWaitMs: database.expectedWaitMs });
  // Separate, so that visitors without a key do not delay requests to operations.
  const pageGuard = new OverloadGuard({ databaseWaitMs: () => 0 });
  const cursors = createCursorCodec(await sharedSecret(database, 'cursor'));
  const operations = areas.flatMap(({ contract }) => contract.operations);
  const operationRoutes = areas.flatMap(({ contract, handlers }) =>
    createOperationRoutes(contract.operations, handlers, {
      overload,
      authenticate,
      secretIn,
      callAccess,
      rateLimiters,
      cursors,
      changes,
      lifecycle,
      unsentResponses,
    }),
  );
  const checkDatabase = async (): Promise<void> => {
    if (!(await isMigrated(database)))
      throw serviceUnavailable('The database schema does not match this version of the service.');
  };
  const checkMedia = createMediaCheck(media);
  const problems = async (): Promise<Problem[]> => {
    const reason = await checkMedia();
    if (reason === null) return [];
    const message = `The folder ${parts.mediaFolder} cannot be written (${reason}), so calls are not recorded.`;
    return [{ setting: 'MEDIA_DIR', message }];
  };
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
  const server = new HttpServer({
    sockets,
    routes: [
      ...operationRoutes,
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
      ...systemRoutes({ metrics, lifecycle, checkDatabase, missing: parts.speech.missing, problems }),
      ...guarded(
        [
          ...descriptionRoutes(),
          ...referenceRoutes(),
          ...dashboard.routes,
          sdkPackageRoute(),
          ...preflightRoutes(operations),
          signInRoute(keys.signIn),
        ],
        pageGuard,
      ),
    ],
    notFoundPage: guarded([dashboard.notFound], pageGuard)[0] as Route,
    admitUnmatched: async (exchange) => {
      exchange.caller = await authenticate(exchange.headers);
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

  const stopSchedule = startSchedule(
    [
      ...areas.flatMap((area) => area.tasks ?? []),
      {
        name: 'remove deleted content from the log of the database',
        everyMs: parts.emptyLogMs ?? defaultEmptyLogMs,
        run: async () => {
          await removedContent.emptyLog();
          return false;
        },
      },
      { name: 'remove expired saved responses', everyMs: 60_000, run: idempotency.removeExpired },
      { name: 'remove finished jobs', everyMs: 60_000, run: kernel.jobs.removeFinished },
      ...(isShared
        ? [{ name: 'remove ended rate limit windows', everyMs: 300_000, run: () => removeEndedWindows(database) }]
        : []),
    ],
    logger,
  );
  jobWorker.start();
  for (const { background } of areas) background?.start();
  return {
    server,
    close: async () => {
      await Promise.all([server.close(), jobWorker.stop(), ...areas.map(({ background }) => background?.stop())]);
      await guard.close();
      await stopSchedule();
      for (const { contract, onClose } of areas) {
        // Not essential, and no reason to fail the shutdown if the database is unavailable.
        await onClose?.().catch(({ message }: Error) =>
          logger.warn({ area: contract.tag.name, err: { message } }, 'what was counted could not be saved'),
        );
      }
    },
  };
}
