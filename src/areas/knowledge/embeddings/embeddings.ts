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
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Parsing the response must not take the process long: calls run in it. */
const maxTexts = 16;
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
  const queries = new QueryCache(async (text, signal) => {
    const [vector] = await request([text], queryMs, signal);
    return vector as Int8Array;
  });

  return {
    model: config.model,
    get dimensions() {
      return dimensions;
    },
    embed: async (texts, signal) => {
      const vectors: Int8Array[] = [];
      for (let start = 0; start < texts.length; start += maxTexts) {
        vectors.push(...(await requestInParts(texts.slice(start, start + maxTexts), signal)));
      }
      return vectors;
    },
    embedQuery: (text, signal) => queries.get(text, signal),
    close: async () => {
      if (opened !== null) await (await opened).close();
    },
  };
}
