// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

const chats = 'src/areas/calls/chat/chats.ts';
const change = 'src/changes/change.ts';
const concurrency = 'src/areas/calls/concurrency.ts';
const heldCall = 'src/areas/calls/held-call.ts';
const idempotency = 'src/changes/idempotency/store.ts';
const journal = 'src/areas/calls/journal.ts';
const messages = 'src/areas/calls/chat/messages.ts';
const routes = 'src/areas/calls/routes.ts';
const store = 'src/areas/calls/store.ts';

function inFile(file: string, about: string, from: string, to: string, engine: Break['engine'] = 'sqlite'): Break {
  return { campaign: 'calls', engine, about, file, from, to };
}

export const breaks: readonly Break[] = [
  inFile(
    chats,
    'a message does not check the lease of another',
    '      if (owner !== null && (leaseUntil ?? 0) > held.now) throw replyInProgress(held.call.status);\n',
    '      void [leaseUntil, owner];\n',
  ),
  inFile(
    chats,
    'the lease of a reply is not renewed',
    '    store.renewLease(call.workspaceId, call.id, owner as string, now() + leaseMs).catch(() => {});\n',
    '    void [store, call, owner, now];\n',
    'postgres',
  ),
  inFile(
    change,
    'the claim on a key is not renewed',
    '        if (hasBegun && claim !== null) renewLater();\n',
    '        void renewLater;\n',
  ),
  inFile(
    chats,
    'a reply that has lost its call goes on writing',
    '    if (held.row.owner !== stored.owner) throw replyInProgress(held.call.status);\n',
    '',
  ),
  inFile(
    chats,
    "the caller's turn is written with the reply",
    '        if (this.#callerTurn === null) await this.#writeCallerTurn(transaction, text);\n        outcome = await this.chat.replyTo(text, performance.now() - receivedAt);\n',
    '        outcome = await this.chat.replyTo(text, performance.now() - receivedAt);\n        if (this.#callerTurn === null) await this.#writeCallerTurn(transaction, text);\n',
  ),
  inFile(
    chats,
    'a tool is called before the call of it is stored',
    '        this.#writeSoFar().then(\n',
    '        Promise.resolve().then(\n',
  ),
  inFile(
    chats,
    'a repeated message does not know the tools of the one before',
    "task.isResumed ? task.turns.filter(({ role }) => role === 'tool') : []",
    "task.isResumed ? task.turns.filter(({ source }) => source === 'control') : []",
  ),
  inFile(
    messages,
    'a repeated message is added to the transcript again',
    '  const known = earlier?.callerTurn ?? null;\n',
    '  const known: number | null = null;\n',
  ),
  inFile(
    messages,
    'a repeated message returns only what is new',
    '    turns: [...written, ...turn],\n',
    '    turns: written.length < 0 ? written : turn,\n',
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
    '      if (isTerminal(held.call)) return unchanged(held);\n      const isCaller',
    '      const isCaller',
  ),
  inFile(journal, 'the working state of a call outlives it', '      await store.removeState(queries, id);\n', ''),
  inFile(
    heldCall,
    'call events have gaps',
    'this.set({ nextEvent: sequence + 1 });',
    'this.set({ nextEvent: sequence + 2 });',
  ),
  inFile(
    heldCall,
    'the turn of a tool has no event',
    "    if (isCompleted) this.addEvent('turn_completed', { turn });\n",
    "    if (isCompleted && turn.role !== 'tool') this.addEvent('turn_completed', { turn });\n",
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
    store,
    'the tag of a call does not change with its last fields',
    "hash('sha256', document, 'base64url')",
    "hash('sha256', document.slice(0, 500), 'base64url')",
  ),
];
