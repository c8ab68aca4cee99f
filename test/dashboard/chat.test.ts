import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Chat, type ChatAction, isBusy, newChat, nextChat } from '../../dashboard/src/try/chat.ts';
import type { Turn } from '../../src/contract/calls/turn.ts';
import { callWith } from '../support/stored-calls.ts';

const call = callWith({ workspaceId: 'ws_1', status: 'ongoing' });
const send = (text: string | null, idempotencyKey: string): ChatAction => ({ type: 'sending', text, idempotencyKey });
const failed: ChatAction = { type: 'failed', error: new Error('x') };

const said: Omit<Turn, 'index' | 'text'> = {
  role: 'agent',
  source: 'engine',
  unspokenText: null,
  startMs: 0,
  endMs: 0,
  words: [],
  interrupted: false,
  latency: null,
  sources: [],
  toolCall: null,
};

function after(...actions: ChatAction[]): Chat {
  return actions.reduce(nextChat, newChat);
}

describe('a chat in the panel', () => {
  it('joins the pieces of a turn, and keeps turns and tools in their order', () => {
    const { exchange } = after(
      { type: 'created', call },
      send('Hi', 'a'),
      { type: 'arrived', part: { type: 'text', turn: 1, delta: 'One ' } },
      { type: 'arrived', part: { type: 'tool', name: 'book' } },
      { type: 'arrived', part: { type: 'text', turn: 1, delta: 'moment.' } },
      { type: 'arrived', part: { type: 'text', turn: 3, delta: 'Done.' } },
    );
    assert.deepEqual(exchange?.parts, [
      { kind: 'text', turn: 1, text: 'One moment.' },
      { kind: 'tool', name: 'book' },
      { kind: 'text', turn: 3, text: 'Done.' },
    ]);
  });

  it('replaces what has arrived by the final turns', () => {
    const turns = [
      { ...said, index: 0, role: 'caller' as const, text: 'Hi' },
      { ...said, index: 1, text: 'Hello' },
    ];
    const chat = after({ type: 'created', call }, send('Hi', 'a'), {
      type: 'replied',
      reply: { turns, status: 'ongoing' },
    });
    assert.equal(chat.exchange, null);
    assert.deepEqual(
      chat.entries.map((entry) => entry.kind === 'turn' && entry.turn.text),
      ['Hi', 'Hello'],
    );
  });

  it('shows a message once after a retry, and keeps it when another message is sent instead', () => {
    const broken = after({ type: 'created', call }, send('Hi', 'a'), failed);
    assert.equal(nextChat(broken, send('Hi', 'a')).entries.length, 0);
    const { entries, exchange } = nextChat(broken, send('Hello?', 'b'));
    assert.deepEqual(entries, [{ kind: 'unanswered', text: 'Hi', key: 'a' }]);
    assert.equal(exchange?.text, 'Hello?');
  });

  it('is busy until there is a reply, a failure or an end', () => {
    const created = after({ type: 'created', call });
    assert.equal(isBusy(newChat), true);
    assert.equal(isBusy(created), false);
    assert.equal(isBusy(nextChat(created, send(null, 'a'))), true);
    assert.equal(isBusy(after(failed)), false);
    assert.equal(isBusy(after({ type: 'created', call }, send('Hi', 'a'), { type: 'ended', reason: null })), false);
  });
});
