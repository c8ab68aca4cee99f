/** How far the chunks of a base have vectors, as the base reports it. */
export interface Semantic {
  readonly status: 'off' | 'building' | 'ready' | 'failed';
  readonly model: string | null;
  readonly dimensions: number | null;
  /** The share of chunks that have a vector, 0 to 1. */
  readonly coverage: number;
}

export interface SemanticFacts {
  /** Null if no provider is configured, or the base does not use one. */
  readonly provider: { readonly model: string; readonly dimensions: number | null } | null;
  readonly chunks: number;
  /** Of those, how many have a vector of this model. */
  readonly embedded: number;
  /** The last attempt failed. It is repeated. */
  readonly hasFailed: boolean;
}

export function semanticOf({ provider, chunks, embedded, hasFailed }: SemanticFacts): Semantic {
  if (provider === null) return { status: 'off', model: null, dimensions: null, coverage: 0 };
  const { model, dimensions } = provider;
  const coverage = chunks === 0 ? 1 : embedded / chunks;
  const status = embedded >= chunks ? 'ready' : hasFailed ? 'failed' : 'building';
  return { status, model, dimensions, coverage };
}
