import type { InboundCalls } from '../../../../../sdk/src/index.ts';

/** What happens to calls that the agent cannot answer. */
export type Fallback = NonNullable<InboundCalls['fallback']>;

/** Null is the same as `reject`. */
export function fallbackOf({ fallback }: Pick<InboundCalls, 'fallback'>): Fallback {
  return fallback ?? { type: 'reject' };
}
