import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a message does not check the lease of another',
    engine: 'sqlite',
    in: 'createChats.lease',
    statement: 'throw replyInProgress',
  },
  {
    about: 'the lease of a reply is not renewed',
    engine: 'postgres',
    in: 'createChats.open',
    statement: 'leases.add',
  },
  {
    about: 'the claim on a key is not renewed',
    engine: 'sqlite',
    in: 'startAction.begin',
    statement: 'claims.add',
  },
  {
    about: 'a reply that has lost its call goes on writing',
    engine: 'sqlite',
    in: 'RunningReply.#lock',
    statement: 'locked.row.owner !== stored.owner',
  },
  {
    about: "the caller's turn is written with the reply",
    engine: 'sqlite',
    in: 'RunningReply.run',
    statement: 'this.#callerTurn === null',
    after: 'this.#session.replyTo',
  },
  {
    about: 'a tool is called before the call of it is stored',
    engine: 'sqlite',
    in: '#recordedTools.run',
    replace: 'host.stored().then',
    with: 'Promise.resolve().then',
  },
  {
    about: 'a repeated message does not know the tools of the one before',
    engine: 'sqlite',
    in: 'RunningReply.constructor.resumed',
    replace: "role === 'tool'",
    with: "role === 'none'",
  },
  {
    about: 'a repeated message is added to the transcript again',
    engine: 'sqlite',
    in: 'taskOf.isNew',
    replace: 'known.callerTurn === null',
    with: 'true',
  },
  {
    about: 'a repeated message returns only what is new',
    engine: 'sqlite',
    in: 'taskOf',
    statement: 'const turns =',
    with: 'const turns = added === null ? [] : [added];',
  },
  {
    about: 'a failed request gives up its claim with what it has written',
    engine: 'postgres',
    in: 'createIdempotencyStore.release',
    replace: 'UPDATE idempotency_keys SET lease_until = NULL',
    with: 'DELETE FROM idempotency_keys',
  },
  {
    about: 'a call that has ended can be ended again',
    engine: 'sqlite',
    in: 'calls.end',
    statement: 'return unchanged(locked)',
  },
  {
    about: 'the working state of a call outlives it',
    engine: 'sqlite',
    in: 'LockedCall.end',
    replace: ', state: null',
    with: '',
  },
  {
    about: 'call events have gaps',
    engine: 'sqlite',
    in: 'LockedCall.nextEvent',
    replace: 'sequence + 1',
    with: 'sequence + 2',
  },
  {
    about: 'the turn of a tool has no event',
    engine: 'sqlite',
    in: 'LockedCall.writeTurn',
    replace: 'isCompleted &&',
    with: "isCompleted && role !== 'tool' &&",
  },
  {
    about: 'the slots of calls that have ended are not free again',
    engine: 'sqlite',
    in: 'createConcurrency.countActive',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a piece of source.
    replace: 'count(queries, `${openCalls} WHERE workspace_id = $1 AND ${condition} AND ${isActive}`, values)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a piece of source.
    with: "count(queries, `calls WHERE workspace_id = $1 AND ${condition} AND status <> 'queued'`, values)",
  },
  {
    about: 'two calls can take the same slot',
    engine: 'postgres',
    in: 'createConcurrency.free',
    statement: 'SELECT pool FROM call_pools',
  },
  {
    about: 'the tag of a call does not change with its last fields',
    engine: 'sqlite',
    in: 'etagOf',
    replace: "'sha256', document",
    with: "'sha256', document.slice(0, 500)",
  },
];
