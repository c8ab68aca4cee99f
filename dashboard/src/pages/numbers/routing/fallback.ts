import type { InboundCalls } from '../../../../../sdk/src/index.ts';

/** What happens to calls that the agent cannot answer. */
export type Fallback =
  | { readonly type: 'number'; readonly to: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'reject' };

/** Null is the same as `reject`. */
export function fallbackOf({ fallback }: Pick<InboundCalls, 'fallback'>): Fallback {
  return (fallback as Fallback | null) ?? { type: 'reject' };
}
