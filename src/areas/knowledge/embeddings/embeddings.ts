import type { EmbeddingsConfig } from '../../../config.ts';
import { maxDimensions } from '../../../config-values.ts';
import type { ProviderAccount } from '../../../voice/providers/connection/account.ts';
import { EmbeddingsError, RefusedInput } from './embeddings-error.ts';
import type { EmbeddingsProvider } from './provider.ts';
import { quantize } from './quantize.ts';
import { QueryCache } from './query-cache.ts';

export { EmbeddingsError } from './embeddings-error.ts';

/** Texts as vectors, by a provider. Null where none is configured. */
export interface Embeddings {
  readonly model: string;
  /** As configured, or as the provider's first response had; null before it. */
  readonly dimensions: number | null;
  /**
   * One vector for each text, in order; null for a text that the provider refuses although it takes others. Fails with an
   * `EmbeddingsError`, or with the reason of the signal.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Int8Array | null)[]>;
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
/** If it takes no text at all, it is not because of the texts: the model may have another name. */
const maxRefusedFirst = 8;

/** Which texts a provider refuses by themselves. */
class Refusals {
  readonly #maxFirst: number;
  #count = 0;
  #last: RefusedInput | null = null;
  #isAnyTaken = false;

  /** `maxFirst`: how many it may refuse before it has taken one; 0: none at all. */
  constructor(maxFirst: number) {
    this.#maxFirst = maxFirst;
  }

  noteTaken(): void {
    this.#isAnyTaken = true;
  }

  refuse(error: RefusedInput): null {
    this.#count += 1;
    this.#last = error;
    if (this.#maxFirst === 0 || (!this.#isAnyTaken && this.#count >= this.#maxFirst)) throw error;
    return null;
  }

  requireTaken(): void {
    if (!this.#isAnyTaken && this.#last !== null) throw this.#last;
  }
}

/** `route`: as in an account of a provider. */
export function createEmbeddings(
  config: EmbeddingsConfig,
  route: Pick<ProviderAccount, 'proxy' | 'connect'>,
): Embeddings {
  let dimensions = config.dimensions;
  let opened: Promise<EmbeddingsProvider> | null = null;
  // With the first request: its HTTP client takes 7 MB.
  const open = (): Promise<EmbeddingsProvider> => {
    opened ??= import('./provider.ts').then(({ createEmbeddingsProvider }) => createEmbeddingsProvider(config, route));
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
  const requestInParts = async (
    texts: readonly string[],
    signal: AbortSignal,
    refusals: Refusals,
  ): Promise<(Int8Array | null)[]> => {
    try {
      const vectors = await request(texts, batchMs, signal);
      refusals.noteTaken();
      return vectors;
    } catch (error) {
      const [text = ''] = texts;
      if (!(error instanceof RefusedInput)) throw error;
      if (texts.length === 1) {
        if (text.length <= minShortened) return [refusals.refuse(error)];
        return requestInParts([text.slice(0, Math.floor(text.length / 2)).toWellFormed()], signal, refusals);
      }
      const half = Math.ceil(texts.length / 2);
      const first = await requestInParts(texts.slice(0, half), signal, refusals);
      return [...first, ...(await requestInParts(texts.slice(half), signal, refusals))];
    }
  };
  /** The first failure ends all. */
  const inBatches = async (
    texts: readonly string[],
    signal: AbortSignal,
    refusals: Refusals,
  ): Promise<(Int8Array | null)[]> => {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const starts = Array.from({ length: Math.ceil(texts.length / maxTexts) }, (_, batch) => batch * maxTexts).entries();
    const batches: (Int8Array | null)[][] = [];
    const work = async (): Promise<void> => {
      for (const [batch, start] of starts) {
        batches[batch] = await requestInParts(texts.slice(start, start + maxTexts), both, refusals);
      }
    };
    try {
      await Promise.all(Array.from({ length: maxRequests }, work));
    } catch (error) {
      stop.abort();
      throw error;
    }
    refusals.requireTaken();
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
    embed: (texts, signal) => inBatches(texts, signal, new Refusals(maxRefusedFirst)),
    embedQuery: (text, signal) => queries.get(text, signal),
    embedQueries: async (texts, signal) => {
      const timeout = AbortSignal.timeout(queryMs);
      try {
        const vectors = await inBatches(texts, AbortSignal.any([signal, timeout]), new Refusals(0));
        return vectors.filter((vector) => vector !== null);
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
