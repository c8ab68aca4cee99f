import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type App, createApp } from './app.ts';
import type { AppParts } from './app-parts.ts';
import type { CallSettings } from './areas/calls/area.ts';
import { createKeyStore, type FirstKey, firstWorkspace, isAlive, type KeyStore } from './areas/keys/store.ts';
import { createLocalCarrierHost } from './areas/phone/local-carrier.ts';
import { type Config, readConfig } from './config.ts';
import { AppError } from './core/errors.ts';
import { createIdGenerator } from './core/ids.ts';
import type { Sealer } from './core/sealer.ts';
import { allRateLimits, type RateLimits } from './http/admission/rate-limits.ts';
import { listen } from './http/listen.ts';
import { drain, Lifecycle } from './http/shutdown.ts';
import { bannerText } from './process/banner.ts';
import { runWorkers } from './process/cluster.ts';
import { createLogger, openLogStream } from './process/logging.ts';
import { openDataKey } from './storage/data-key.ts';
import type { Database } from './storage/database.ts';
import { createDocumentKinds, type DocumentKinds } from './storage/documents/upgrades.ts';
import { createMediaChecks } from './storage/media-check.ts';
import { migrate } from './storage/migrate.ts';
import type { Migration } from './storage/migration.ts';
import { migrations } from './storage/migrations/index.ts';
import { openDatabase } from './storage/open.ts';
import { openMedia } from './storage/open-media.ts';
import { createConnectedProviders } from './voice/providers/connected.ts';
import { embeddedSpeechText } from './voice/providers/embedded/speech-text.ts';
import type { OpenAiAccount } from './voice/providers/openai/account.ts';
import type { OpenAiLlm } from './voice/providers/openai/llm.ts';
import { createSpeechProviders, type SpeechRegistry } from './voice/providers/registry.ts';

/** How long a start waits for a database that is still starting. */
const maxDatabaseWaitMs = 60_000;

/** What a release has in the database. */
export interface Release {
  readonly migrations: readonly Migration[];
  readonly documents: DocumentKinds;
}

/** Runs the service until it receives a signal. `release`: tests have a later one. */
export async function serve(
  environment: NodeJS.ProcessEnv,
  {
    release = { migrations, documents: createDocumentKinds() },
    ...options
  }: Partial<
    Pick<
      AppParts,
      | 'hasNameIndex'
      | 'otherAreas'
      | 'otherJobs'
      | 'leaseMs'
      | 'emptyLogMs'
      | 'webhookSending'
      | 'workflowRunning'
      | 'rateLimits'
    > &
      Pick<CallSettings, 'live'> & { readonly release: Release }
  > = {},
): Promise<void> {
  const config = readConfig(environment);
  const logStream = openLogStream();
  const logger = createLogger(config.logLevel, logStream);
  if (config.workers > 1 && cluster.isPrimary) {
    const { firstKey } = await prepare(config, logger, release, (database) => database.close());
    const rateLimits = allRateLimits(config.rateLimit, operationLimits(config));
    const { open } = createLocalCarrierHost({
      now: Date.now,
      speech: () => openSpeech(config, environment.PATH ?? '', logger),
    });
    const options = { count: config.workers, rateLimits, openLocalCarrier: open };
    await runWorkers(options, logger, (port) => announce(config, port, logger, firstKey));
    return;
  }
  const { database, sealer, firstKey } = await prepare(config, logger, release, async () => {});
  const speech = await openSpeech(config, environment.PATH ?? '', logger);
  let app: App | null = null;
  try {
    const lifecycle = new Lifecycle();
    const { rateLimit, timeouts, limits, mediaFolder, mediaBucket, eventRetentionDays, twilioUrl } = config;
    const { allowedNetworks, outboundProxy, trustedProxies, embeddings, knowledgeMemoryMb, sharesProviders } = config;
    const network = { allowedNetworks, outboundProxy, trustedProxies };
    const knowledge = { embeddings, knowledgeMemoryMb };
    const basic = { rateLimit, timeouts, limits, mediaFolder, mediaBucket, eventRetentionDays, twilioUrl };
    const operatorAccounts = { ...config.speechProviders, openai: config.llm, embeddings };
    const settings = { ...basic, ...network, ...knowledge, sharesProviders, operatorAccounts };
    const rateLimits = { ...operationLimits(config), ...options.rateLimits };
    const { live = {}, ...others } = options;
    const calls = { ...(await callSettings(config)), live };
    const tracing = await openTracing(config, logger);
    const parts = { ...others, ...settings, rateLimits, calls, speech, lifecycle, tracing };
    app = await createApp({ ...parts, database, sealer, logger, logStream, isWorker: cluster.isWorker });
    app.start();
    const port = await listen(app.server, config, cluster.isPrimary);
    stopOnSignals({ app, database, logger, lifecycle, socketMs: config.drainSeconds * 1000 });
    if (cluster.isPrimary) announce(config, port, logger, firstKey);
  } catch (error) {
    // The port may be in use: what runs in the background ends before its database is closed.
    await (app ?? speech).close();
    await database.close().catch(() => {});
    throw error;
  }
}

async function callSettings(config: Config): Promise<CallSettings> {
  const { llm, callConcurrency, reservedInbound, publicUrl, outboundProxy } = config;
  const model = llm === null ? null : await openModel({ ...llm, proxy: outboundProxy });
  return { llm: model, concurrency: callConcurrency, reservedInbound, publicUrl };
}

/** A service without a model takes 10 MB less without the library of OpenAI and its HTTP client. */
async function openModel(options: OpenAiAccount): Promise<OpenAiLlm> {
  const { createOpenAiLlm } = await import('./voice/providers/openai/llm.ts');
  return createOpenAiLlm(options);
}

/** Nothing of it is loaded unless traces are sent somewhere. */
async function openTracing({ tracing, unusedTracingVariables: unused }: Config, logger: Logger) {
  // Once is enough if there are several processes.
  const isFirst = !cluster.isWorker || cluster.worker?.id === 1;
  if (isFirst && unused.length > 0) {
    logger.warn({ variables: unused }, 'ignored OpenTelemetry variables');
  }
  if (tracing === null) return null;
  const { createTracing } = await import('./tracing/create.ts');
  if (isFirst) logger.info({ host: new URL(tracing.url).host }, 'traces are sent to a collector');
  return createTracing(tracing, logger);
}

async function openSpeech(config: Config, programPath: string, logger: Logger): Promise<SpeechRegistry> {
  const { speech, speechProviders, llm, outboundProxy } = config;
  const providers = createSpeechProviders({
    ...speech,
    programPath,
    onPreloaded: () => logger.info('speech models loaded'),
    others: await createConnectedProviders({ ...speechProviders, openai: llm }, outboundProxy),
  });
  // Once is enough if there are several processes.
  if (cluster.isWorker && cluster.worker?.id !== 1) return providers;
  void providers.list().then((list) => {
    logger.info({ missing: providers.missing() }, embeddedSpeechText(list));
    // A key in the shell is used automatically, so the operator has to see it.
    for (const [provider, account] of Object.entries(speechProviders)) {
      if (account !== null) logger.info({ provider, host: new URL(account.baseUrl).host }, 'speech provider connected');
    }
  });
  return providers;
}

/** The rate limits of single operations, by the name in the operation table. */
function operationLimits({ callRate }: Config): RateLimits {
  return { calls: callRate };
}

/** Opens and migrates the database and creates the first key; `setUp` may close it again. */
async function prepare(
  config: Config,
  logger: Logger,
  { migrations: all, documents }: Release,
  setUp: (database: Database) => Promise<void>,
) {
  const onError = ({ name, message }: Error) =>
    logger.warn({ err: { type: name, message } }, 'database connection lost');
  const database = openDatabase(config.database, onError, { documents, schema: all.length });
  const onBlocked = () => logger.info('a migration waits for tables that are in use');
  try {
    await retryUntilReachable(logger, () => migrate(database, Date.now, { all, onBlocked }));
    const sealer = await openSealer(database, config, logger);
    const keys = createKeyStore(database, createIdGenerator(), Date.now);
    const firstKey = await keys.bootstrap(config.bootstrapApiKey);
    if (cluster.isPrimary) await warnIfKeyEnded(config, keys, logger);
    await setUp(database);
    return { database, sealer, firstKey };
  } catch (error) {
    await database.close().catch(() => {});
    throw error;
  }
}

async function openSealer(database: Database, config: Config, logger: Logger): Promise<Sealer> {
  const { sealer, isInDatabase, resealed } = await openDataKey(database, config.database, config.dataKeys);
  if (resealed > 0) logger.info({ values: resealed }, 'secrets re-encrypted with the first key in DATA_KEY');
  if (isInDatabase && cluster.isPrimary) {
    logger.warn('the key that seals secrets is stored in the same database as the secrets: set DATA_KEY');
  }
  return sealer;
}

async function retryUntilReachable(logger: Logger, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + maxDatabaseWaitMs;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
      if (!isUnavailable || performance.now() > deadline) throw error;
      logger.warn({ reason: (error.cause as Error | undefined)?.message }, 'waiting for the database');
      await delay(500);
    }
  }
}

async function warnIfKeyEnded({ bootstrapApiKey }: Config, keys: KeyStore, logger: Logger): Promise<void> {
  const key = bootstrapApiKey === null ? undefined : await keys.findBySecret(bootstrapApiKey);
  if (key !== undefined && !isAlive(key, Date.now())) {
    logger.warn(
      { keyId: key.id },
      'the key in BOOTSTRAP_API_KEY is revoked or expired and stays that way: set a different one',
    );
  }
}

function announce(config: Config, port: number, logger: Logger, firstKey: FirstKey | null): void {
  process.stdout.write(
    bannerText({
      host: config.host,
      port,
      database: config.database,
      llm: config.llm,
      firstKey: firstKey === null ? null : { ...firstKey, workspaceName: firstWorkspace },
      isOwnKey: config.bootstrapApiKey !== null,
    }),
  );
  logger.info({ host: config.host, port, database: config.database.engine }, 'ready');
  const { llm, embeddings } = config;
  if (llm !== null) logger.info({ host: new URL(llm.baseUrl).host }, 'language model connected');
  if (embeddings !== null) {
    logger.info({ host: new URL(embeddings.baseUrl).host, model: embeddings.model }, 'embeddings connected');
  }
  void warnIfMediaFails(config, logger);
}

/** After that, the log says that there was no response. */
const mediaCheckMs = 15_000;

/** Chats and calls work without recordings, so the service starts in any case. */
async function warnIfMediaFails({ mediaFolder, mediaBucket }: Config, logger: Logger): Promise<void> {
  const { store, spool, close } = await openMedia(mediaFolder, mediaBucket);
  for (const { setting, place, reason } of await createMediaChecks(store, spool.folder, {
    timeoutMs: mediaCheckMs,
  })()) {
    if (setting === 'MEDIA_DIR') {
      logger.warn(
        { folder: mediaFolder, reason },
        'the folder in MEDIA_DIR cannot be written, so calls are not recorded',
      );
    } else {
      logger.warn({ place, reason }, 'the bucket in MEDIA_URL cannot be written, so recordings wait in MEDIA_DIR');
    }
  }
  await close();
}

interface StoppedParts {
  readonly app: App;
  readonly database: Database;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly socketMs: number;
}

function stopOnSignals({ app, database, logger, lifecycle, socketMs }: StoppedParts): void {
  const stop = async (signal: string): Promise<void> => {
    if (lifecycle.stage !== 'serving') return;
    logger.info({ signal }, 'stopping');
    await drain(app.server, lifecycle, { socketMs });
    await app.close();
    await database.close();
    logger.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: Error) => {
        logger.fatal(
          { err: { type: error.name, message: error.message, stack: error.stack } },
          'graceful shutdown failed',
        );
        process.exit(1);
      });
    });
  }
}
