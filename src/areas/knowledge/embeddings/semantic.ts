import type { SemanticIndex } from '../../../contract/knowledge/knowledge-base.ts';

export interface SemanticFacts {
  /** Null if no provider is configured, or the base does not use one. */
  readonly model: string | null;
  readonly dimensions: number | null;
  readonly chunks: number;
  /** How many of them have a vector of this model. */
  readonly embedded: number;
  /** The last attempt has failed, and is repeated. */
  readonly hasFailed: boolean;
}

/** How far the chunks of a base have vectors, as the base reports it. */
export function semanticOf({ model, dimensions, chunks, embedded, hasFailed }: SemanticFacts): SemanticIndex {
  if (model === null) return { status: 'off', model: null, dimensions: null, coverage: 0 };
  const isComplete = embedded === chunks;
  const status = isComplete ? 'ready' : hasFailed ? 'failed' : 'building';
  return { status, model, dimensions, coverage: isComplete ? 1 : embedded / chunks };
}

export function isSameSemantic(one: SemanticIndex, other: SemanticIndex): boolean {
  return (
    one.status === other.status &&
    one.model === other.model &&
    one.dimensions === other.dimensions &&
    one.coverage === other.coverage
  );
}
