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
import { createMediaStore } from './storage/media.ts';
import { createMediaCheck } from './storage/media-check.ts';
import { migrate } from './storage/migrate.ts';
import { openDatabase } from './storage/open.ts';
import { createConnectedProviders } from './voice/providers/connected.ts';
import { embeddedSpeechText } from './voice/providers/embedded/speech-text.ts';
import type { OpenAiAccount } from './voice/providers/openai/account.ts';
import type { OpenAiLlm } from './voice/providers/openai/llm.ts';
import { createSpeechProviders } from './voice/providers/registry.ts';
import type { SpeechProviders } from './voice/speech-ports.ts';

/** How long a start waits for a database that is still starting. */
const maxDatabaseWaitMs = 60_000;

/** Runs the service until it receives a signal. */
export async function serve(
  environment: NodeJS.ProcessEnv,
  options: Partial<
    Pick<AppParts, 'hasNameIndex' | 'otherJobs' | 'leaseMs' | 'emptyLogMs' | 'webhookSending' | 'rateLimits'>
  > = {},
): Promise<void> {
  const config = readConfig(environment);
  const logStream = openLogStream();
  const logger = createLogger(config.logLevel, logStream);
  if (config.workers > 1 && cluster.isPrimary) {
    const { firstKey } = await prepare(config, logger, (database) => database.close());
    const rateLimits = allRateLimits(config.rateLimit, operationLimits(config));
    const { open } = createLocalCarrierHost({
      now: Date.now,
      speech: () => openSpeech(config, environment.PATH ?? '', logger),
    });
    const options = { count: config.workers, rateLimits, openLocalCarrier: open };
    await runWorkers(options, logger, (port) => announce(config, port, logger, firstKey));
    return;
  }
  const { database, sealer, firstKey } = await prepare(config, logger, async () => {});
  const speech = await openSpeech(config, environment.PATH ?? '', logger);
  let app: App | null = null;
  try {
    const lifecycle = new Lifecycle();
    const { rateLimit, timeouts, limits, mediaFolder, allowedNetworks, eventRetentionDays, twilioUrl } = config;
    const { outboundProxy, trustedProxies, embeddings, knowledgeMemoryMb } = config;
    const network = { allowedNetworks, outboundProxy, trustedProxies };
    const knowledge = { embeddings, knowledgeMemoryMb };
    const basic = { rateLimit, timeouts, limits, mediaFolder, eventRetentionDays, twilioUrl };
    const settings = { ...basic, ...network, ...knowledge };
    const rateLimits = { ...operationLimits(config), ...options.rateLimits };
    const parts = { ...options, ...settings, rateLimits, calls: await callSettings(config), speech, lifecycle };
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

async function openSpeech(config: Config, programPath: string, logger: Logger): Promise<SpeechProviders> {
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
async function prepare(config: Config, logger: Logger, setUp: (database: Database) => Promise<void>) {
  const database = openDatabase(config.database, (error) => {
    logger.warn({ err: { type: error.name, message: error.message } }, 'database connection lost');
  });
  try {
    await retryUntilReachable(logger, () => migrate(database, Date.now));
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
  if (resealed > 0) logger.info({ values: resealed }, 'sealed again with the first key in DATA_KEY');
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

/** Chats and calls work without recordings, so the service starts in any case. */
async function warnIfMediaFails({ mediaFolder }: Config, logger: Logger): Promise<void> {
  const reason = await createMediaCheck(createMediaStore(mediaFolder))();
  if (reason === null) return;
  logger.warn({ folder: mediaFolder, reason }, 'the folder in MEDIA_DIR cannot be written, so calls are not recorded');
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
