import type { ApiPromise } from './api-promise.ts';
import { debugLogOf } from './debug-log.ts';
import { VoiceAgentsError } from './errors.ts';
import { Namespaces } from './namespaces.ts';
import { path } from './path.ts';
import { checkedRetries, checkedTimeout, type RequestOptions, Transport } from './request.ts';
import { readEnvironment } from './runtime.ts';
import type { Whoami } from './schema.ts';

/** The default URL of the service. */
const defaultBaseUrl = 'http://127.0.0.1:8080';
const defaultTimeoutMs = 60_000;
const defaultMaxRetries = 2;

export interface VoiceAgentsOptions {
  /** Default: the environment variable `VOICE_AGENTS_API_KEY`. */
  readonly apiKey?: string | undefined;
  /**
   * The access token of a call, for pages that must not have an API key. With it, only `calls.messages`, `calls.events`
   * and `calls.end` of that call are possible.
   */
  readonly accessToken?: string | undefined;
  /** Default: the environment variable `VOICE_AGENTS_BASE_URL`, or `http://127.0.0.1:8080`. It may have a path. */
  readonly baseUrl?: string | undefined;
  /** Timeout of one attempt in milliseconds, including the response body. Default: 60000. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries per call. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** A custom `fetch` implementation. Default: that of the runtime. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every request, such as `{ prefer: 'handling=strict' }`, which rejects unknown fields. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * True: one line for each request on `console.debug`, with its status and the fields that the service ignored, but
   * without content or credentials. A function gets the lines instead. Default: whether the environment variable
   * `VOICE_AGENTS_DEBUG` is `1`.
   */
  readonly debug?: boolean | ((line: string) => void) | undefined;
}

/** A client for the Voice Agent Service. All calls operate on the workspace of the API key. */
export class VoiceAgents extends Namespaces {
  readonly #transport: Transport;

  constructor(options: VoiceAgentsOptions = {}) {
    const transport = new Transport({
      credential: credentialOf(options),
      baseUrl: checkedBaseUrl(options.baseUrl ?? readEnvironment('VOICE_AGENTS_BASE_URL') ?? defaultBaseUrl),
      timeoutMs: checkedTimeout(options.timeout ?? defaultTimeoutMs),
      maxRetries: checkedRetries(options.maxRetries ?? defaultMaxRetries),
      // Resolved at call time, and called on the global object, which browsers require.
      fetch: options.fetch ?? ((...given) => globalThis.fetch(...given)),
      headers: options.headers,
      debug: debugLogOf(options.debug ?? readEnvironment('VOICE_AGENTS_DEBUG') === '1'),
    });
    super(transport);
    this.#transport = transport;
  }

  /** The workspace and the scopes of the API key. */
  whoami(options?: RequestOptions): ApiPromise<Whoami> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/whoami`, options });
  }
}

function credentialOf({ apiKey, accessToken }: VoiceAgentsOptions): string {
  if (accessToken === undefined) {
    return checkedCredential('apiKey', apiKey ?? readEnvironment('VOICE_AGENTS_API_KEY'));
  }
  if (apiKey !== undefined) throw new VoiceAgentsError('Pass either apiKey or accessToken, not both.');
  return checkedCredential('accessToken', accessToken);
}

/** Errors about a credential never contain it. */
function checkedCredential(option: 'apiKey' | 'accessToken', credential: string | undefined): string {
  if (credential === undefined || credential === '') {
    throw new VoiceAgentsError(
      option === 'apiKey' ? 'No API key: pass apiKey, or set VOICE_AGENTS_API_KEY.' : 'accessToken must not be empty.',
    );
  }
  if (typeof credential !== 'string' || !/^[\x21-\x7e]+$/.test(credential)) {
    throw new VoiceAgentsError(`${option} must be printable ASCII, without spaces or line breaks.`);
  }
  return credential;
}

function checkedBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new VoiceAgentsError('baseUrl is not a valid URL: it must start with http:// or https://.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new VoiceAgentsError('baseUrl must start with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new VoiceAgentsError('baseUrl must not contain a user name or password: pass the key as apiKey.');
  }
  if (url.search !== '' || url.hash !== '')
    throw new VoiceAgentsError('baseUrl must not contain a query or a fragment.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
