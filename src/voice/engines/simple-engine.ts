import type { Variables } from '../variables.ts';
import { collect } from './collected.ts';
import type { Engine, ReplyOutput, ReplyRequest } from './engine.ts';

/**
 * An engine whose state is one number, such as the next line of a script. `reply` sends a reply that starts from it and
 * returns the number that follows, and optionally how to cancel.
 */
export interface SimpleReply {
  readonly next: number;
  readonly cancel?: () => void;
}

export function createSimpleEngine(
  reply: (request: ReplyRequest, output: ReplyOutput, position: number) => SimpleReply,
  state: unknown = { position: 0, collected: {} },
): Engine {
  const stored = state as { position: number; collected: Variables };
  let { position } = stored;
  let collected: Variables = { ...stored.collected };
  let requested = { turn: 0, next: position };
  return {
    reply(request, output) {
      const { next, cancel } = reply(request, output, position);
      requested = { turn: request.turn, next };
      return cancel ?? (() => {});
    },
    accept(turn) {
      if (turn === requested.turn) position = requested.next;
    },
    collected: () => collected,
    setVariables(variables) {
      const { rejected, ...result } = collect(collected, variables);
      collected = result.collected;
      return rejected;
    },
    state: () => ({ position, collected }),
  };
}
