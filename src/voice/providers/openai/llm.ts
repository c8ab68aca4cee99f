import OpenAI, { APIConnectionError, APIError } from 'openai';
import { type Dispatcher, fetch as undiciFetch } from 'undici';
import type { Llm, LlmEvents, LlmFailure, LlmRequest } from '../../llm.ts';
import { createDispatcher } from '../connection/provider-http.ts';
import { dialectOf, requestBody } from './messages.ts';
import { MalformedReply, ReplyReader } from './reply-reader.ts';

export interface OpenAiLlmOptions {
  /** Null: requests carry no credential. */
  readonly apiKey: string | null;
  /** Such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The model that is sent instead of the agent's; `*` for every other. */
  readonly modelMap: ReadonlyMap<string, string>;
  /** `http://host:port` of a proxy for addresses that start with `https://`: others are in the operator's own network. */
  readonly proxy?: string | null;
  /** Replaced in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface OpenAiLlm extends Llm {
  /** Closes the connections. Replies in progress fail. */
  close(): Promise<void>;
}

/** For the headers of the response. Replies have timeouts of their own, which are shorter. */
const responseMs = 60_000;

/** Chat completions of OpenAI, or of any server with the same protocol. */
export function createOpenAiLlm(options: OpenAiLlmOptions): OpenAiLlm {
  const { apiKey, baseUrl, modelMap } = options;
  const dispatcher = createDispatcher(options);
  const client = new OpenAI({
    // The SDK insists on a key. Without one, `sender` removes the header.
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl,
    // Otherwise read from the environment, which only the configuration of the service may do.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // Retries are the engine's, which knows how much time is left and which model is next.
    maxRetries: 0,
    timeout: responseMs,
    // The SDK would log the chunks that it cannot parse.
    logLevel: 'off',
    fetch: sender(options.fetch ?? (undiciFetch as unknown as typeof globalThis.fetch), dispatcher, apiKey !== null),
  });
  const dialect = dialectOf(baseUrl);
  const sentModel = (model: string): string => modelMap.get(model) ?? modelMap.get('*') ?? model;

  const stream = async (request: LlmRequest, events: LlmEvents, signal: AbortSignal): Promise<void> => {
    const reader = new ReplyReader(events);
    const body = requestBody(request, sentModel(request.model), dialect);
    for await (const chunk of await client.chat.completions.create(body, { signal })) {
      if (signal.aborted) return;
      reader.read(chunk);
    }
    if (signal.aborted) return;
    if (!reader.hasChunks) throw new MalformedReply();
    if (!reader.isFinished) throw new APIConnectionError({});
    reader.end();
  };

  return {
    provider: 'openai',
    sentModel,
    reply(request, events) {
      const stop = new AbortController();
      stream(request, events, stop.signal).then(
        () => {
          if (!stop.signal.aborted) events.done();
        },
        (error: unknown) => {
          if (!stop.signal.aborted) events.failed(detailOf(error), failureOf(error));
        },
      );
      return () => stop.abort();
    },
    close: () => dispatcher.destroy(),
  };
}

/** The headers that a request has. The SDK would add a description of this machine, and headers from the environment. */
const sentHeaders = ['accept', 'content-type', 'authorization'];

/** Sends what the SDK asks for, on connections that are kept, without following redirects. */
function sender(
  fetch: typeof globalThis.fetch,
  dispatcher: Dispatcher,
  hasKey: boolean,
): (url: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return (url, init = {}) => {
    const given = new Headers(init.headers);
    const headers = sentHeaders.flatMap((name) => {
      const value = name === 'authorization' && !hasKey ? null : given.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    });
    const sent: object = { ...init, headers: Object.fromEntries(headers), redirect: 'manual', dispatcher };
    return fetch(url, sent);
  };
}

/** What failed, in words of our own: the provider's may repeat the key, or what was said in the call. */
function detailOf(error: unknown): string {
  if (error instanceof APIConnectionError) return 'the model closed the connection';
  if (error instanceof APIError) {
    return error.status === undefined ? 'the model reported an error' : `HTTP ${error.status} of the model`;
  }
  return error instanceof MalformedReply || error instanceof SyntaxError
    ? 'the model sent malformed data'
    : 'the model closed the connection';
}

function failureOf(error: unknown): LlmFailure {
  if (!(error instanceof APIError) || error.status === undefined) return {};
  const { status } = error as APIError<number, Headers>;
  const isFinal = status < 500 && ![408, 409, 429].includes(status);
  const retryAfterMs = retryAfter(error.headers);
  return { isFinal, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** In seconds; the form with a date is left out, because a wait that short is never given as one. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const text = headers?.get('retry-after')?.trim() ?? '';
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) * 1000 : undefined;
}
