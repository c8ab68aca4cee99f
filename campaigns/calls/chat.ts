import type { Call } from '../../src/contract/calls/call.ts';
import type { Turn } from '../../src/contract/calls/turn.ts';
import type { ChatKind } from './agents.ts';

/** The answer to a message, or what is said through the API: the turns that it made. */
export interface Acknowledged {
  readonly turns: readonly Turn[];
}

/** A chat as its caller knows it. */
export class Chat {
  readonly kind: ChatKind;
  readonly id: string;
  /** In the order in which they were acknowledged. */
  readonly acknowledged: Acknowledged[] = [];
  /** What was said as the agent, through the API. */
  readonly said: string[] = [];
  /** When the last request for it was sent or answered. */
  lastUsedAt = 0;
  /** Messages without a final answer: the call ended meanwhile. */
  unanswered = 0;
  /** Calls as they were read, by tag: each tag belongs to one body, and the reverse. */
  readonly #bodies = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  constructor(kind: ChatKind, { id }: Pick<Call, 'id'>) {
    this.kind = kind;
    this.id = id;
  }

  /** Returns whether the tag has changed with the body, and only with it. */
  isConsistent(etag: string, body: string): boolean {
    const knownBody = this.#bodies.get(etag) ?? body;
    const knownTag = this.#tags.get(body) ?? etag;
    this.#bodies.set(etag, body);
    this.#tags.set(body, etag);
    return knownBody === body && knownTag === etag;
  }
}
