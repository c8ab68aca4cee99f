import { type Dispatcher, request } from 'undici';
import type { EmbeddingsConfig } from '../../../config.ts';
import { parseForeignJson } from '../../../contract/foreign-json.ts';
import type { ProviderAccount } from '../../../voice/providers/connection/account.ts';
import { createDispatcher } from '../../../voice/providers/connection/provider-http.ts';
import { headersOf } from '../../../voice/providers/openai/account.ts';
import { EmbeddingsError, RefusedInput } from './embeddings-error.ts';

export interface EmbeddingsProvider {
  /** The vectors of the texts, in order. Fails with an `EmbeddingsError`, or with the reason of the signal. */
  request(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<readonly (readonly number[])[]>;
  close(): Promise<void>;
}

const refusedStatuses = [400, 413, 422];
const retryableStatuses = [408, 409, 425, 429];

/** OpenAI's `/embeddings`, or that of any server with the same protocol. */
export function createEmbeddingsProvider(
  config: EmbeddingsConfig,
  route: Pick<ProviderAccount, 'proxy' | 'connect'>,
): EmbeddingsProvider {
  const { baseUrl, model, dimensions } = config;
  const dispatcher = createDispatcher({ baseUrl, ...route });
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...headersOf(config) };

  const post = async (texts: readonly string[], signal: AbortSignal): Promise<string> => {
    // Redirects are not followed.
    const { statusCode, body } = await request(`${baseUrl}/embeddings`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input: texts, ...(dimensions !== null && { dimensions }) }),
      dispatcher,
      signal,
    });
    if (statusCode === 200) return body.text();
    await dump(body);
    throw statusError(statusCode);
  };

  return {
    request: async (texts, timeoutMs, signal) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        return vectorsOf(await post(texts, AbortSignal.any([signal, timeout])), texts.length);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EmbeddingsError) throw error;
        if (timeout.aborted) throw new EmbeddingsError('timeout', 'The embeddings did not arrive in time.', true);
        throw new EmbeddingsError('connection_failed', 'The provider of embeddings cannot be reached.', true);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** So that the connection can be used again. */
async function dump(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: 64 * 1024 }).catch(() => {});
}

function statusError(status: number): EmbeddingsError {
  const message = `The provider of embeddings answered ${status}.`;
  if (refusedStatuses.includes(status)) return new RefusedInput(`http_${status}`, message, false);
  return new EmbeddingsError(`http_${status}`, message, status >= 500 || retryableStatuses.includes(status));
}

function vectorsOf(text: string, count: number): readonly (readonly number[])[] {
  const malformed = new EmbeddingsError('malformed_response', 'The response is not one of embeddings.', true);
  let body: unknown;
  try {
    body = parseForeignJson(text);
  } catch {
    throw malformed;
  }
  const { data } = (body ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(data) || data.length !== count) throw malformed;
  const vectors = new Map<unknown, readonly number[]>();
  for (const [position, item] of data.entries()) {
    // Some servers do not send the index.
    const { index = position, embedding } = (item ?? {}) as { readonly index?: unknown; readonly embedding?: unknown };
    if (!isVector(embedding)) throw malformed;
    vectors.set(index, embedding);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw malformed;
    return vector;
  });
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'number');
}
