import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson, startSocketDouble } from './socket-double.ts';

/** What one provider saw of a request. */
export interface SeenKey {
  readonly provider: string;
  readonly path: string;
  /** Null: the request carried none. */
  readonly key: string | null;
  /** What `baseUrl` was made for, if it was. */
  readonly tenant: string | null;
  /** Empty for requests without one. */
  body: string;
}

export interface KeyLogDouble {
  /** The base URL of a provider, as a workspace or the operator sets it. `tenant` is in the path, and in what is seen. */
  baseUrl(provider: string, tenant?: string): string;
  readonly seen: SeenKey[];
  /** What the next HTTP requests get, instead of what a provider answers. Null: the same as before. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

/** Keys that start with this are accepted. */
export const goodKey = 'good-';

/**
 * The routes of all providers that the service uses, as far as they tell keys apart. It writes down every key that it
 * sees, also of requests for connections.
 */
export async function startKeyLogDouble(): Promise<KeyLogDouble> {
  const seen: SeenKey[] = [];
  const note = ({ headers }: IncomingMessage, url: URL): SeenKey => {
    const [, provider = '', ...parts] = url.pathname.split('/');
    const tenant = parts[0]?.startsWith('~') ? (parts.shift()?.slice(1) ?? null) : null;
    const given = headers['xi-api-key'] ?? headers.authorization?.replace(/^(Bearer|Token) /, '');
    const key = given === undefined ? null : String(given);
    const entry = { provider, path: `/${parts.join('/')}`, key, tenant, body: '' };
    seen.push(entry);
    return entry;
  };
  const server = await startSocketDouble({
    // Whatever is said on a connection does not matter here.
    rejectionOf: (request, url) => {
      note(request, url);
      return { status: 403, body: {} };
    },
    connected: () => {},
    respond: (request, response, url) => {
      const entry = note(request, url);
      void respond(request, response, entry, double.answer);
    },
  });
  const double: KeyLogDouble = {
    baseUrl: (provider, tenant) => `${server.baseUrl}/${provider}${tenant === undefined ? '' : `/~${tenant}`}`,
    seen,
    answer: null,
    close: server.close,
  };
  return double;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  entry: SeenKey,
  answer: KeyLogDouble['answer'],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { provider, path, key } = entry;
  entry.body = Buffer.concat(chunks).toString();
  if (answer !== null) return answer(request, response);
  if (!key?.startsWith(goodKey)) {
    return sendJson(response, 401, {
      error: { message: `Incorrect API key provided: ${key}`, code: 'invalid_api_key' },
    });
  }
  const body = entry.body === '' ? {} : JSON.parse(entry.body);
  const found = pages[`${provider} ${path}`];
  if (found === undefined) return sendJson(response, 404, { error: { message: 'no such route' } });
  found(response, body, key);
}

type Page = (response: ServerResponse, body: Record<string, unknown>, key: string) => void;

/** By provider and path. What it says names the key. */
const pages: Readonly<Record<string, Page>> = {
  'openai /models': (response) => sendJson(response, 200, { object: 'list', data: [{ id: 'llama3.2:latest' }] }),
  'openai /chat/completions': (response, _body, key) =>
    sendJson(response, 200, {
      choices: [
        { index: 0, message: { role: 'assistant', content: `I was asked with ${key}.` }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    }),
  'openai /audio/speech': (response) =>
    void response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.alloc(4800)),
  'embeddings /embeddings': (response, { input }) => {
    const texts = input as readonly string[];
    const data = texts.map((text, index) => ({ index, embedding: [text.length, 1, index + 1, 2] }));
    sendJson(response, 200, { object: 'list', data });
  },
  'deepgram /v1/auth/token': (response) => sendJson(response, 200, { api_key_id: 'k1' }),
  'elevenlabs /v2/voices': (response) => sendJson(response, 200, { voices: [], has_more: false }),
  'cartesia /voices': (response) => sendJson(response, 200, { data: [], has_more: false }),
};
