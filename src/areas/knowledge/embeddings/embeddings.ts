import type { EmbeddingsConfig } from '../../../config.ts';
import { maxDimensions } from '../../../config-values.ts';
import { EmbeddingsError, RefusedInput } from './embeddings-error.ts';
import type { EmbeddingsProvider } from './provider.ts';
import { quantize } from './quantize.ts';
import { QueryCache } from './query-cache.ts';

export { EmbeddingsError } from './embeddings-error.ts';

/** Texts as vectors, by the configured provider. Null where none is configured. */
export interface Embeddings {
  readonly model: string;
  /** As configured, or as the provider's first response had; null before it. */
  readonly dimensions: number | null;
  /** One vector for each text, in order. Fails with an `EmbeddingsError`, or with the reason of the signal. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Int8Array[]>;
  /** The same for a query. The last 1,000 are kept, and concurrent requests for the same text are one. */
  embedQuery(text: string, signal: AbortSignal): Promise<Int8Array>;
  /** The same for many queries, which are not kept. */
  embedQueries(texts: readonly string[], signal: AbortSignal): Promise<Int8Array[]>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Parsing the response must not take the process long: calls run in it. */
const maxTexts = 16;
const maxRequests = 4;
/** A model on the processor of a small machine is slow. */
const batchMs = 60_000;
const queryMs = 10_000;
/** A text that the model cannot take is shortened: most of it is better than no vector. */
const minShortened = 200;

/** `proxy`: for addresses that start with `https://`. */
export function createEmbeddings(config: EmbeddingsConfig | null, proxy: string | null): Embeddings | null {
  if (config === null) return null;
  let dimensions = config.dimensions;
  let opened: Promise<EmbeddingsProvider> | null = null;
  // With the first request: its HTTP client takes 7 MB.
  const open = (): Promise<EmbeddingsProvider> => {
    opened ??= import('./provider.ts').then(({ createEmbeddingsProvider }) => createEmbeddingsProvider(config, proxy));
    return opened;
  };

  const stored = (vector: readonly number[]): Int8Array => {
    if (config.dimensions !== null && vector.length !== config.dimensions) {
      const message = `The vectors have ${vector.length} dimensions instead of ${config.dimensions}.`;
      throw new EmbeddingsError('other_dimensions', message, false);
    }
    // As providers do it for `dimensions`.
    const quantized = quantize(vector.length > maxDimensions ? vector.slice(0, maxDimensions) : vector);
    if (quantized === null) throw new EmbeddingsError('malformed_response', 'A vector has no direction.', true);
    return quantized;
  };
  const request = async (texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Int8Array[]> => {
    const provider = await open();
    const vectors = (await provider.request(texts, timeoutMs, signal)).map(stored);
    const length = vectors[0]?.length ?? 0;
    if (vectors.some((vector) => vector.length !== length)) {
      throw new EmbeddingsError('malformed_response', 'The vectors have different dimensions.', true);
    }
    dimensions = length;
    return vectors;
  };
  /** Servers differ in how many texts they take, and how long ones. */
  const requestInParts = async (texts: readonly string[], signal: AbortSignal): Promise<Int8Array[]> => {
    try {
      return await request(texts, batchMs, signal);
    } catch (error) {
      const [text = ''] = texts;
      if (!(error instanceof RefusedInput)) throw error;
      if (texts.length === 1) {
        if (text.length <= minShortened) throw error;
        return requestInParts([text.slice(0, Math.floor(text.length / 2)).toWellFormed()], signal);
      }
      const half = Math.ceil(texts.length / 2);
      const first = await requestInParts(texts.slice(0, half), signal);
      return [...first, ...(await requestInParts(texts.slice(half), signal))];
    }
  };
  /** The first failure ends all. */
  const inBatches = async (texts: readonly string[], signal: AbortSignal): Promise<Int8Array[]> => {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const starts = Array.from({ length: Math.ceil(texts.length / maxTexts) }, (_, batch) => batch * maxTexts).entries();
    const batches: Int8Array[][] = [];
    const work = async (): Promise<void> => {
      for (const [batch, start] of starts) {
        batches[batch] = await requestInParts(texts.slice(start, start + maxTexts), both);
      }
    };
    try {
      await Promise.all(Array.from({ length: maxRequests }, work));
    } catch (error) {
      stop.abort();
      throw error;
    }
    return batches.flat();
  };
  const queries = new QueryCache(async (text, signal) => {
    const [vector] = await request([text], queryMs, signal);
    return vector as Int8Array;
  });

  return {
    model: config.model,
    get dimensions() {
      return dimensions;
    },
    embed: inBatches,
    embedQuery: (text, signal) => queries.get(text, signal),
    embedQueries: async (texts, signal) => {
      const timeout = AbortSignal.timeout(queryMs);
      try {
        return await inBatches(texts, AbortSignal.any([signal, timeout]));
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) throw new EmbeddingsError('timeout', 'The embeddings did not arrive in time.', true);
        throw error;
      }
    },
    close: async () => {
      if (opened !== null) await (await opened).close();
    },
  };
}
