import { resolve } from 'node:path';
import { defaultNetworks, networkIssue } from './net/networks.ts';

/** The location of the data: a local file or a PostgreSQL server. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string };

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

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
  /** What URLs in responses start with, without a slash at the end. Null: they are paths. */
  readonly publicUrl: string | null;
  /** The folder for files that are too large for the database, such as recordings. */
  readonly mediaFolder: string;
  readonly bootstrapApiKey: string | null;
  /** The keys of what is sealed in the database, the current one first. Empty: the service generates one. */
  readonly dataKeys: readonly Buffer[];
  /** The number of processes that serve requests. */
  readonly workers: number;
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
  /** How long events, deliveries and attempts are kept. */
  readonly eventRetentionDays: number;
}

/** The largest count that fits into the database column. */
const maxRequests = 1_000_000_000;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** An invalid environment variable. The message is for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
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
  const host = read('HOST', '127.0.0.1', parseHost);
  const config = {
    host,
    port: read('PORT', '8080', parsePort),
    database: read('DATABASE_URL', defaultDatabaseUrl, parseDatabaseUrl),
    logLevel: read('LOG_LEVEL', 'info', parseLogLevel),
    rateLimit: read('RATE_LIMIT', '600000/60s', parseRateLimit),
    callRate: read('CALL_RATE', '600/60s', parseRateLimit),
    callConcurrency: read('CALL_CONCURRENCY', '20', parseCallConcurrency),
    publicUrl: read('PUBLIC_URL', '', parsePublicUrl),
    mediaFolder: readMediaFolder(environment),
    bootstrapApiKey: read('BOOTSTRAP_API_KEY', '', parseBootstrapApiKey),
    dataKeys: read('DATA_KEY', '', parseDataKeys),
    workers: read('WORKERS', '1', parseWorkers),
    timeouts: {
      headersMs: read('HEADERS_TIMEOUT', defaults.HEADERS_TIMEOUT, parseDuration),
      requestMs: read('REQUEST_TIMEOUT', defaults.REQUEST_TIMEOUT, parseDuration),
      writeMs: read('WRITE_TIMEOUT', defaults.WRITE_TIMEOUT, parseDuration),
      keepAliveMs: read('KEEP_ALIVE_TIMEOUT', defaults.KEEP_ALIVE_TIMEOUT, parseDuration),
    },
    limits: {
      connections: read('MAX_CONNECTIONS', defaults.MAX_CONNECTIONS, parseCount),
      requestBytes: read('MAX_REQUEST_MEMORY', defaults.MAX_REQUEST_MEMORY, parseSize),
      responseBytes: read('MAX_RESPONSE_MEMORY', defaults.MAX_RESPONSE_MEMORY, parseSize),
    },
    allowedNetworks: read('OUTBOUND_ALLOWED_NETWORKS', '', (text) =>
      text === '' ? defaultNetworks(host ?? '') : parseNetworks(text),
    ),
    outboundProxy: read('OUTBOUND_PROXY', '', parseProxy),
    llm: llmOf({
      apiKey: read('OPENAI_API_KEY', '', parseProviderKey),
      baseUrl: read('OPENAI_BASE_URL', '', parseProviderUrl),
      modelMap: read('LLM_MODEL_MAP', '', parseModelMap),
    }),
    speech: {
      models: readSpeechFolder(environment),
      isPreloaded: read('SPEECH_PRELOAD', 'false', parseBoolean),
    },
    speechProviders: {
      deepgram: readProvider('DEEPGRAM', 'https://api.deepgram.com'),
      elevenlabs: readProvider('ELEVENLABS', 'https://api.elevenlabs.io'),
      cartesia: readProvider('CARTESIA', 'https://api.cartesia.ai'),
    },
    eventRetentionDays: read('EVENT_RETENTION_DAYS', '30', parseDays),
  };
  const { headersMs, requestMs } = config.timeouts;
  if ((headersMs ?? 0) > (requestMs ?? Number.POSITIVE_INFINITY)) {
    issues.push('HEADERS_TIMEOUT must not be longer than REQUEST_TIMEOUT, which includes it');
  }
  if (issues.length > 0) throw new ConfigError(issues.join('\n'));
  return config as Config;
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

function parseHost(text: string): string {
  if (/[\s/]/.test(text))
    throw new ConfigError(`must be a host name or an IP address, such as 127.0.0.1, not "${text}"`);
  return text;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new ConfigError(`must be a number from 0 to 65535, not "${text}"`);
  return port;
}

function parseDatabaseUrl(text: string): DatabaseLocation {
  if (text.startsWith('postgres://') || text.startsWith('postgresql://')) {
    if (URL.parse(text) === null) throw new ConfigError('is not a valid PostgreSQL URL');
    return { engine: 'postgres', url: text };
  }
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path === '' || path.startsWith(':') || path.includes('\0')) {
      throw new ConfigError('must name a file, such as sqlite:data/voice-agents.db');
    }
    return { engine: 'sqlite', file: resolve(path) };
  }
  // The value is not echoed: a mistyped URL may still contain a password.
  throw new ConfigError('must start with sqlite: or postgres://');
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text.toLowerCase());
  if (level === undefined) throw new ConfigError(`must be one of ${logLevels.join(', ')}, not "${text}"`);
  return level;
}

function parseRateLimit(text: string): RateLimit | null {
  if (text === 'off') return null;
  const match = /^(\d{1,12})\/(\d{1,6})(s|m|h)?$/.exec(text);
  const requests = Number(match?.[1]);
  const windowSeconds = Number(match?.[2]) * ({ s: 1, m: 60, h: 3600 }[match?.[3] ?? 's'] as number);
  if (!(requests >= 1 && requests <= maxRequests) || !(windowSeconds >= 1)) {
    throw new ConfigError(`must be requests/window, such as 600/60s, or off, not "${text}"`);
  }
  return { requests, windowSeconds };
}

function parseCallConcurrency(text: string): number {
  const calls = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (calls < 1 || calls > 100_000) throw new ConfigError(`must be a number from 1 to 100000, not "${text}"`);
  return calls;
}

function parsePublicUrl(text: string): string | null {
  if (text === '') return null;
  const url = /^https?:\/\/[^\s/\\?#@]+(\/[^\s\\?#]*)?$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) {
    throw new ConfigError(
      'must be an http:// or https:// URL without a user name, a query or a fragment, such as https://voice.example.com',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function parseDuration(text: string): number {
  const match = /^(\d{1,6})(ms|s|m)$/.exec(text);
  const ms = Number(match?.[1]) * ({ ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? 's'] as number);
  if (!(ms >= 100 && ms <= 3_600_000)) {
    throw new ConfigError(`must be a duration from 100ms to 60m, such as 30s, not "${text}"`);
  }
  return ms;
}

function parseSize(text: string): number {
  const match = /^(\d{1,6})(MB|GB)$/i.exec(text);
  const bytes = Number(match?.[1]) * (match?.[2]?.toUpperCase() === 'GB' ? 1024 ** 3 : 1024 ** 2);
  // Anything smaller than two of the largest requests or pages would reject ordinary ones.
  if (!(bytes >= 16 * 1024 ** 2))
    throw new ConfigError(`must be a size of at least 16MB, such as 256MB, not "${text}"`);
  return bytes;
}

function parseCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 1_000_000) throw new ConfigError(`must be a number from 1 to 1000000, not "${text}"`);
  return count;
}

function parseWorkers(text: string): number {
  const workers = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > 64) throw new ConfigError(`must be a number from 1 to 64, not "${text}"`);
  return workers;
}

function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new ConfigError(`must be true or false, not "${text}"`);
  return text === 'true';
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 365) throw new ConfigError(`must be a number of days from 1 to 365, not "${text}"`);
  return days;
}

function parseNetworks(text: string): readonly string[] {
  if (text === 'none') return [];
  const networks = text.split(',').map((network) => network.trim());
  const issues = networks.map(networkIssue).filter((issue) => issue !== undefined);
  if (issues.length > 0) throw new ConfigError(issues.join('; '));
  return networks;
}

function parseProxy(text: string): string | null {
  if (text === '') return null;
  const url = /^http:\/\/[^\s/\\?#@]+\/?$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) throw new ConfigError('must be http://host:port, without a user name, a password or a path');
  return url.origin;
}

/** A key or an address is enough to connect a model. What is invalid is undefined, and reported. */
function llmOf(given: {
  readonly apiKey: string | null | undefined;
  readonly baseUrl: string | null | undefined;
  readonly modelMap: LlmConfig['modelMap'] | undefined;
}): LlmConfig | null {
  const { apiKey = null, baseUrl = null, modelMap = new Map() } = given;
  if (apiKey === null && baseUrl === null) return null;
  return { baseUrl: baseUrl ?? 'https://api.openai.com/v1', apiKey, modelMap };
}

function parseProviderKey(text: string): string | null {
  if (text === '') return null;
  // The value is a secret and must never appear in a message.
  if (!/^[\x21-\x7e]{1,1000}$/.test(text)) throw new ConfigError('must be printable ASCII characters, without spaces');
  return text;
}

function parseProviderUrl(text: string): string | null {
  if (text === '') return null;
  const url = /^https?:\/\/[^\s?#@\\]+$/i.test(text) ? URL.parse(text) : null;
  // The value is not echoed: it may contain a password.
  if (url === null) throw new ConfigError('must be http:// or https://, such as http://127.0.0.1:11434/v1');
  return url.href.replace(/\/+$/, '');
}

function parseModelMap(text: string): ReadonlyMap<string, string> {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split('=').map((name) => name.trim()));
  const map = new Map(pairs.map(([from = '', to = '']) => [from, to]));
  if (map.size < pairs.length || pairs.some((names) => names.length !== 2 || names.includes(''))) {
    throw new ConfigError('must be model=other, separated by commas, such as gpt-5.4-mini=llama3.2,*=qwen3');
  }
  return map;
}

function parseDataKeys(text: string): readonly Buffer[] {
  if (text === '') return [];
  const keys = text.split(',').map((part) => parseDataKey(part.trim()));
  // The value is a secret and must never appear in a message.
  if (keys.includes(null)) {
    throw new ConfigError(
      'must be 32 bytes in base64, as from "openssl rand -base64 32", or several, separated by commas',
    );
  }
  return keys as Buffer[];
}

/** Null if the text is not 32 bytes in base64. */
export function parseDataKey(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function parseBootstrapApiKey(text: string): string | null {
  if (text === '') return null;
  // The value is a secret and must never appear in a message.
  if (text.startsWith('vat_')) throw new ConfigError('must not start with vat_, which marks access tokens');
  if (!/^[\x21-\x7e][\x20-\x7e]{18,198}[\x21-\x7e]$/.test(text)) {
    throw new ConfigError('must be 20 to 200 printable ASCII characters, without leading or trailing spaces');
  }
  return text;
}
