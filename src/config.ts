import { resolve } from 'node:path';
import type { BucketConfig } from './config-media.ts';
import { readMediaBucket } from './config-media.ts';
import { readTracing, type TracingConfig, unusedTracingVariables } from './config-tracing.ts';
import {
  ConfigError,
  type DatabaseLocation,
  type LogLevel,
  parseBoolean,
  parseBootstrapApiKey,
  parseCallConcurrency,
  parseCount,
  parseDatabaseUrl,
  parseDataKeys,
  parseDays,
  parseDimensions,
  parseDrainSeconds,
  parseDuration,
  parseHost,
  parseLogLevel,
  parseMemoryMb,
  parseModelMap,
  parseModelName,
  parseNetworks,
  parsePort,
  parseProviderKey,
  parseProviderUrl,
  parseProxy,
  parsePublicUrl,
  parseRateLimit,
  parseReservedInbound,
  parseShared,
  parseSize,
  parseTrustedProxies,
  parseWorkers,
  type RateLimit,
} from './config-values.ts';
import { defaultNetworks } from './net/networks.ts';

export { readMediaBucket } from './config-media.ts';
export type { TracingConfig } from './config-tracing.ts';
export { ConfigError, type DatabaseLocation, type LogLevel, parseDataKey, type RateLimit } from './config-values.ts';

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** To send the headers of a request. */
  readonly headersMs: number;
  /** To send a whole request. */
  readonly requestMs: number;
  /** Without reading more of a response. */
  readonly writeMs: number;
  /** Without a request on an open connection. Longer than the 60 s after which common proxies close theirs. */
  readonly keepAliveMs: number;
}

/** Limits for all clients together. */
export interface Limits {
  readonly connections: number;
  /** For request bodies being received. */
  readonly requestBytes: number;
  /** For responses that clients have not read yet. */
  readonly responseBytes: number;
}

/** A language model that speaks the protocol of OpenAI's chat completions. */
export interface LlmConfig {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** The model that is sent instead of an agent's; `*` for every other. */
  readonly modelMap: ReadonlyMap<string, string>;
}

/** How a provider of speech is reached. */
export interface ProviderConfig {
  /** Null: requests carry no credential. */
  readonly apiKey: string | null;
  readonly baseUrl: string;
}

/** The providers of speech that have a key or an address. OpenAI is that of the language model. */
export interface SpeechProvidersConfig {
  readonly deepgram: ProviderConfig | null;
  readonly elevenlabs: ProviderConfig | null;
  readonly cartesia: ProviderConfig | null;
}

/** A provider of embeddings with OpenAI's `/embeddings`. */
export interface EmbeddingsConfig extends ProviderConfig {
  readonly model: string;
  /** Null: those of the model. */
  readonly dimensions: number | null;
}

/** Speech without a provider. */
export interface SpeechConfig {
  /** The folder of voices and models that are not packages. */
  readonly models: string;
  /** Load everything at the start instead of with the first call. */
  readonly isPreloaded: boolean;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseLocation;
  readonly logLevel: LogLevel;
  readonly rateLimit: RateLimit | null;
  /** Calls that a key may create, in addition to the general limit. */
  readonly callRate: RateLimit | null;
  /** Concurrent voice calls per workspace; ten times as many chats. */
  readonly callConcurrency: number;
  /** How many of them are for inbound phone calls only. */
  readonly reservedInbound: number;
  /** Where requests to Twilio go. */
  readonly twilioUrl: string;
  /** What URLs in responses start with, without a slash at the end. Null: they are paths. */
  readonly publicUrl: string | null;
  /** The folder for files that are too large for the database, such as recordings. */
  readonly mediaFolder: string;
  /** Where they are instead. Null: in the folder. */
  readonly mediaBucket: BucketConfig | null;
  /** The networks of proxies whose `X-Forwarded-For` is believed, in CIDR notation. */
  readonly trustedProxies: readonly string[];
  readonly bootstrapApiKey: string | null;
  /** The keys of what is sealed in the database, the current one first. Empty: the service generates one. */
  readonly dataKeys: readonly Buffer[];
  /** The number of processes that serve requests. */
  readonly workers: number;
  /** How long voice calls may go on after a signal. */
  readonly drainSeconds: number;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  /** Loopback and private networks that connections to partners' addresses may go to, in CIDR notation. */
  readonly allowedNetworks: readonly string[];
  /** `http://host:port` of the proxy for connections to partners' addresses. */
  readonly outboundProxy: string | null;
  /** The language model for calls and their analysis. */
  readonly llm: LlmConfig | null;
  readonly speech: SpeechConfig;
  readonly speechProviders: SpeechProvidersConfig;
  /** Whether workspaces without credentials of their own use those of the environment. */
  readonly sharesProviders: boolean;
  /** How long events, deliveries and attempts are kept. */
  readonly eventRetentionDays: number;
  /** Null: knowledge bases are searched by words only. */
  readonly embeddings: EmbeddingsConfig | null;
  /** The memory for knowledge bases in use, per process. */
  readonly knowledgeMemoryMb: number;
  /** Null: calls are not traced. */
  readonly tracing: TracingConfig | null;
  /** Variables of OpenTelemetry that are set and have no effect. */
  readonly unusedTracingVariables: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The only code that reads the environment. All issues are reported together. */
export function readConfig(environment: Environment): Config {
  const issues: string[] = [];
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T | undefined => {
    const text = environment[name] || fallback;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      issues.push(`${name} ${error.message}`);
      return undefined;
    }
  };
  // A key or an address is enough. What is invalid is undefined, and reported.
  const readProvider = (prefix: string, defaultUrl: string): ProviderConfig | null => {
    const apiKey = read(`${prefix}_API_KEY`, '', parseProviderKey) ?? null;
    const baseUrl = read(`${prefix}_BASE_URL`, '', parseProviderUrl) ?? null;
    return apiKey === null && baseUrl === null ? null : { apiKey, baseUrl: baseUrl ?? defaultUrl };
  };
  const readMedia = (): BucketConfig | null => {
    try {
      return readMediaBucket(environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      issues.push(error.message);
      return null;
    }
  };
  const host = read('HOST', '127.0.0.1', parseHost);
  const llm = llmOf({
    apiKey: read('OPENAI_API_KEY', '', parseProviderKey),
    baseUrl: read('OPENAI_BASE_URL', '', parseProviderUrl),
    modelMap: read('LLM_MODEL_MAP', '', parseModelMap),
  });
  const embeddings = {
    model: read('EMBEDDINGS_MODEL', '', parseModelName) ?? null,
    dimensions: read('EMBEDDINGS_DIMENSIONS', '', parseDimensions) ?? null,
    provider: readProvider('EMBEDDINGS', llm?.baseUrl ?? openAiUrl) ?? llm,
  };
  const config = {
    host,
    port: read('PORT', '8080', parsePort),
    database: read('DATABASE_URL', defaultDatabaseUrl, parseDatabaseUrl),
    logLevel: read('LOG_LEVEL', 'info', parseLogLevel),
    rateLimit: read('RATE_LIMIT', '600000/60s', parseRateLimit),
    callRate: read('CALL_RATE', '600/60s', parseRateLimit),
    callConcurrency: read('CALL_CONCURRENCY', '20', parseCallConcurrency),
    reservedInbound: read('RESERVED_INBOUND', '0', parseReservedInbound),
    twilioUrl: read('TWILIO_BASE_URL', 'https://api.twilio.com', parseProviderUrl),
    publicUrl: read('PUBLIC_URL', '', parsePublicUrl),
    mediaFolder: readMediaFolder(environment),
    mediaBucket: readMedia(),
    trustedProxies: read('TRUSTED_PROXIES', '', parseTrustedProxies),
    bootstrapApiKey: read('BOOTSTRAP_API_KEY', '', parseBootstrapApiKey),
    dataKeys: read('DATA_KEY', '', parseDataKeys),
    workers: read('WORKERS', '1', parseWorkers),
    drainSeconds: read('DRAIN_SECONDS', '0', parseDrainSeconds),
    timeouts: readTimeouts(read),
    limits: readLimits(read),
    allowedNetworks: read('OUTBOUND_ALLOWED_NETWORKS', '', (text) =>
      text === '' ? defaultNetworks(host ?? '') : parseNetworks(text),
    ),
    outboundProxy: read('OUTBOUND_PROXY', '', parseProxy),
    llm,
    speech: {
      models: readSpeechFolder(environment),
      isPreloaded: read('SPEECH_PRELOAD', 'false', parseBoolean),
    },
    speechProviders: {
      deepgram: readProvider('DEEPGRAM', providerUrls.deepgram),
      elevenlabs: readProvider('ELEVENLABS', providerUrls.elevenlabs),
      cartesia: readProvider('CARTESIA', providerUrls.cartesia),
    },
    sharesProviders: read('SHARED_PROVIDERS', 'on', parseShared),
    eventRetentionDays: read('EVENT_RETENTION_DAYS', '30', parseDays),
    embeddings: embeddingsOf(embeddings),
    knowledgeMemoryMb: read('KNOWLEDGE_MEMORY_MB', '256', parseMemoryMb),
    tracing: readTracing(read),
    unusedTracingVariables: unusedTracingVariables(environment),
  };
  const { headersMs, requestMs } = config.timeouts;
  if ((headersMs ?? 0) > (requestMs ?? Number.POSITIVE_INFINITY)) {
    issues.push('HEADERS_TIMEOUT must not be longer than REQUEST_TIMEOUT, which includes it');
  }
  const { reservedInbound = 0, callConcurrency = Number.POSITIVE_INFINITY } = config;
  if (reservedInbound >= callConcurrency) issues.push('RESERVED_INBOUND must be less than CALL_CONCURRENCY');
  if (embeddings.model !== null && embeddings.provider === null) {
    issues.push('EMBEDDINGS_MODEL requires EMBEDDINGS_API_KEY or EMBEDDINGS_BASE_URL, or those of OPENAI');
  }
  if (issues.length > 0) throw new ConfigError(issues.join('\n'));
  return config as Config;
}

/** What is invalid is undefined, and reported. */
type Read = <T>(name: string, fallback: string, parse: (text: string) => T) => T | undefined;

function readTimeouts(read: Read) {
  return {
    headersMs: read('HEADERS_TIMEOUT', defaults.HEADERS_TIMEOUT, parseDuration),
    requestMs: read('REQUEST_TIMEOUT', defaults.REQUEST_TIMEOUT, parseDuration),
    writeMs: read('WRITE_TIMEOUT', defaults.WRITE_TIMEOUT, parseDuration),
    keepAliveMs: read('KEEP_ALIVE_TIMEOUT', defaults.KEEP_ALIVE_TIMEOUT, parseDuration),
  };
}

function readLimits(read: Read) {
  return {
    connections: read('MAX_CONNECTIONS', defaults.MAX_CONNECTIONS, parseCount),
    requestBytes: read('MAX_REQUEST_MEMORY', defaults.MAX_REQUEST_MEMORY, parseSize),
    responseBytes: read('MAX_RESPONSE_MEMORY', defaults.MAX_RESPONSE_MEMORY, parseSize),
  };
}

/** For commands that need only the database. */
export function readDatabaseLocation(environment: Environment): DatabaseLocation {
  try {
    return parseDatabaseUrl(environment.DATABASE_URL || defaultDatabaseUrl);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`DATABASE_URL ${error.message}`);
    throw error;
  }
}

/** Reads DATA_KEY, also for commands that need nothing else. */
export function readDataKeySetting(environment: Environment): readonly Buffer[] {
  try {
    return parseDataKeys(environment.DATA_KEY ?? '');
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`DATA_KEY ${error.message}`);
    throw error;
  }
}

/** Reads MEDIA_DIR, also for commands that need nothing else. */
export function readMediaFolder(environment: Environment): string {
  return resolve(environment.MEDIA_DIR || 'data/media');
}

/** Reads SPEECH_MODELS, also for commands that need nothing else. */
export function readSpeechFolder(environment: Environment): string {
  return resolve(environment.SPEECH_MODELS || 'data/speech');
}

const defaults = {
  HEADERS_TIMEOUT: '10s',
  REQUEST_TIMEOUT: '30s',
  WRITE_TIMEOUT: '30s',
  KEEP_ALIVE_TIMEOUT: '72s',
  MAX_CONNECTIONS: '10000',
  MAX_REQUEST_MEMORY: '256MB',
  MAX_RESPONSE_MEMORY: '96MB',
};

/** The defaults, parsed. */
export const defaultTimeouts: Timeouts = {
  headersMs: parseDuration(defaults.HEADERS_TIMEOUT),
  requestMs: parseDuration(defaults.REQUEST_TIMEOUT),
  writeMs: parseDuration(defaults.WRITE_TIMEOUT),
  keepAliveMs: parseDuration(defaults.KEEP_ALIVE_TIMEOUT),
};
export const defaultLimits: Limits = {
  connections: parseCount(defaults.MAX_CONNECTIONS),
  requestBytes: parseSize(defaults.MAX_REQUEST_MEMORY),
  responseBytes: parseSize(defaults.MAX_RESPONSE_MEMORY),
};

const defaultDatabaseUrl = 'sqlite:data/voice-agents.db';
const openAiUrl = 'https://api.openai.com/v1';

/** Where providers are, unless another address is set. */
export const providerUrls = {
  openai: openAiUrl,
  deepgram: 'https://api.deepgram.com',
  elevenlabs: 'https://api.elevenlabs.io',
  cartesia: 'https://api.cartesia.ai',
  embeddings: openAiUrl,
} as const;

/** A key or an address is enough to connect a model. What is invalid is undefined, and reported. */
function llmOf(given: {
  readonly apiKey: string | null | undefined;
  readonly baseUrl: string | null | undefined;
  readonly modelMap: LlmConfig['modelMap'] | undefined;
}): LlmConfig | null {
  const { apiKey = null, baseUrl = null, modelMap = new Map() } = given;
  if (apiKey === null && baseUrl === null) return null;
  return { baseUrl: baseUrl ?? openAiUrl, apiKey, modelMap };
}

/** Nothing is sent until a model is named. */
function embeddingsOf(given: {
  readonly model: string | null;
  readonly dimensions: number | null;
  readonly provider: ProviderConfig | null;
}): EmbeddingsConfig | null {
  const { model, dimensions, provider } = given;
  if (model === null || provider === null) return null;
  return { model, dimensions, baseUrl: provider.baseUrl, apiKey: provider.apiKey };
}
