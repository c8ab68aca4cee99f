// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

const callRow = 'src/areas/calls/record/call-row.ts';
const chats = 'src/areas/calls/channels/text/chats.ts';
const change = 'src/changes/change.ts';
const concurrency = 'src/areas/calls/lifecycle/concurrency.ts';
const lockedCall = 'src/areas/calls/record/locked-call.ts';
const conversation = 'src/areas/calls/conversation/conversation.ts';
const idempotency = 'src/changes/idempotency/store.ts';
const messages = 'src/areas/calls/channels/text/messages.ts';
const runningReply = 'src/areas/calls/channels/text/running-reply.ts';
const routes = 'src/areas/calls/routes.ts';

function inFile(file: string, about: string, from: string, to: string, engine: Break['engine'] = 'sqlite'): Break {
  return { campaign: 'calls', engine, about, file, from, to };
}

export const breaks: readonly Break[] = [
  inFile(
    chats,
    'a message does not check the lease of another',
    '      if (leftMs > 0) throw replyInProgress(locked.call.status, retryAfterSeconds);\n',
    '      void retryAfterSeconds;\n',
  ),
  inFile(
    runningReply,
    'the lease of a reply is not renewed',
    '      store.renewLease(call.workspaceId, call.id, owner as string, now() + leaseMs).catch(() => {});\n',
    '      void [store, call, owner, now];\n',
    'postgres',
  ),
  inFile(
    change,
    'the claim on a key is not renewed',
    '        if (hasBegun && claim !== null) renewLater();\n',
    '        void renewLater;\n',
  ),
  inFile(
    runningReply,
    'a reply that has lost its call goes on writing',
    '    if (locked.row.owner !== stored.owner) throw replyInProgress(locked.call.status);\n',
    '',
  ),
  inFile(
    runningReply,
    "the caller's turn is written with the reply",
    '        if (this.#callerTurn === null) await this.#writeCallerTurn(text);\n        outcome = await this.#session.replyTo(text, performance.now() - receivedAt);\n',
    '        outcome = await this.#session.replyTo(text, performance.now() - receivedAt);\n        if (this.#callerTurn === null) await this.#writeCallerTurn(text);\n',
  ),
  inFile(
    conversation,
    'a tool is called before the call of it is stored',
    '        host.stored().then(\n',
    '        Promise.resolve().then(\n',
  ),
  inFile(
    runningReply,
    'a repeated message does not know the tools of the one before',
    "const resumed = task.turns.filter(({ role }) => role === 'tool');",
    "const resumed = task.turns.filter(({ source }) => source === 'control');",
  ),
  inFile(
    messages,
    'a repeated message is added to the transcript again',
    'known.callerTurn === null && opening',
    "typeof known.callerTurn !== 'string' && opening",
  ),
  inFile(
    messages,
    'a repeated message returns only what is new',
    'const turns = added === null ? known.turns : [...known.turns, added];',
    'const turns = added === null ? [] : [added];',
  ),
  inFile(
    idempotency,
    'a failed request gives up its claim with what it has written',
    '        `UPDATE idempotency_keys SET lease_until = NULL\n          WHERE',
    '        `DELETE FROM idempotency_keys\n          WHERE',
    'postgres',
  ),
  inFile(
    routes,
    'a call that has ended can be ended again',
    '        if (isTerminal(locked.call)) return unchanged(locked);\n        return written',
    '        return written',
  ),
  inFile(
    lockedCall,
    'the working state of a call outlives it',
    ', leaseUntil: null, state: null });',
    ', leaseUntil: null });',
  ),
  inFile(
    lockedCall,
    'call events have gaps',
    'this.set({ nextEvent: sequence + 1 });',
    'this.set({ nextEvent: sequence + 2 });',
  ),
  inFile(
    lockedCall,
    'the turn of a tool has no event',
    'const head = isCompleted && doc !== null ?',
    "const head = isCompleted && doc !== null && role !== 'tool' ?",
  ),
  inFile(
    concurrency,
    'the slots of calls that have ended are not free again',
    "const isActive = \"status IN ('registered', 'ringing', 'ongoing')\";",
    'const isActive = "status <> \'queued\'";',
  ),
  inFile(
    concurrency,
    'two calls can take the same slot',
    '      await queries.get(`SELECT pool FROM call_pools WHERE workspace_id = $1 AND pool = $2 ${dialect.forUpdate}`, [\n        workspaceId,\n        pool,\n      ]);\n',
    '      void dialect;\n',
    'postgres',
  ),
  inFile(
    callRow,
    'the tag of a call does not change with its last fields',
    "hash('sha256', document, 'base64url')",
    "hash('sha256', document.slice(0, 500), 'base64url')",
  ),
];
