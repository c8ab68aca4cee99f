import type { ApiPromise } from './api-promise.ts';
import { VoiceAgentsError } from './errors.ts';
import { path } from './path.ts';
import { checkedRetries, checkedTimeout, type RequestOptions, Transport } from './request.ts';
import { Agents } from './resources/agents.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { AuditLog } from './resources/audit-log.ts';
import { Figures } from './resources/figures.ts';
import { readEnvironment } from './runtime.ts';
import type { Whoami } from './schema.ts';

/** Where the service listens unless told otherwise. */
const defaultBaseUrl = 'http://127.0.0.1:8080';
const defaultTimeoutMs = 60_000;
const defaultMaxRetries = 2;

export interface VoiceAgentsOptions {
  /** Default: the environment variable `VOICE_AGENTS_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Default: the environment variable `VOICE_AGENTS_BASE_URL`, or `http://127.0.0.1:8080`. It may have a path. */
  readonly baseUrl?: string | undefined;
  /** Milliseconds that one try may take, its whole answer included. Default: 60000. */
  readonly timeout?: number | undefined;
  /** How many times a call is tried again at the most. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** Instead of the `fetch` of the runtime. */
  readonly fetch?: typeof fetch | undefined;
}

/** A client of the Voice Agent Service. Everything happens in the workspace of its API key. */
export class VoiceAgents {
  readonly agents: Agents;
  readonly apiKeys: ApiKeys;
  readonly auditLog: AuditLog;
  readonly figures: Figures;
  readonly #transport: Transport;

  constructor(options: VoiceAgentsOptions = {}) {
    this.#transport = new Transport({
      apiKey: checkedApiKey(options.apiKey ?? readEnvironment('VOICE_AGENTS_API_KEY')),
      baseUrl: checkedBaseUrl(options.baseUrl ?? readEnvironment('VOICE_AGENTS_BASE_URL') ?? defaultBaseUrl),
      timeoutMs: checkedTimeout(options.timeout ?? defaultTimeoutMs),
      maxRetries: checkedRetries(options.maxRetries ?? defaultMaxRetries),
      // Looked up at each call, and called as a function of the global object, which browsers insist on.
      fetch: options.fetch ?? ((...given) => globalThis.fetch(...given)),
    });
    this.agents = new Agents(this.#transport);
    this.apiKeys = new ApiKeys(this.#transport);
    this.auditLog = new AuditLog(this.#transport);
    this.figures = new Figures(this.#transport);
  }

  /** Whose key this is: its workspace and its scopes. */
  whoami(options?: RequestOptions): ApiPromise<Whoami> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/whoami`, options });
  }
}

/** What is wrong with a key is told without the key. */
function checkedApiKey(apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey === '') {
    throw new VoiceAgentsError('There is no API key: give apiKey, or set VOICE_AGENTS_API_KEY.');
  }
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new VoiceAgentsError('apiKey must be plain ASCII, without spaces and line breaks.');
  }
  return apiKey;
}

function checkedBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new VoiceAgentsError('baseUrl must be an address that begins with http:// or https://.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new VoiceAgentsError('baseUrl must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new VoiceAgentsError('baseUrl must not have a user name or a password in it: the key is given as apiKey.');
  }
  if (url.search !== '' || url.hash !== '') throw new VoiceAgentsError('baseUrl must not have a query or a fragment.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
