import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text as contentOf } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { CallMessageEvent, CallReply } from '../../sdk/src/index.ts';
import { ChatScreen, plainReply } from '../../src/cli/calls/chat-view.ts';

type Turn = CallReply['turns'][number];

function turn(index: number, role: Turn['role'], text: string, e2eMs: number | null = null): Turn {
  return { index, role, text, latency: e2eMs === null ? null : { e2eMs } } as Turn;
}

const text = (index: number, delta: string): CallMessageEvent => ({ type: 'text', turn: index, delta });
const done = (...turns: readonly Turn[]): CallMessageEvent => ({
  type: 'done',
  reply: { turns: [...turns], status: 'ongoing' },
});

/** What is on the screen after these events. */
async function screenOf(...events: readonly CallMessageEvent[]): Promise<string> {
  const stream = new PassThrough();
  const screen = new ChatScreen(stream as unknown as NodeJS.WriteStream);
  screen.begin();
  for (const event of events) await screen.show(event);
  stream.end();
  // A line that is cleared was the label of a reply that did not begin.
  return stripVTControlCharacters((await contentOf(stream)).replaceAll(/[^\n]*\r\x1b\[K/g, ''));
}

describe('the screen of a chat', () => {
  it('shows the words as they arrive, and the latency after them', async () => {
    assert.equal(
      await screenOf(
        text(1, 'こん'),
        text(1, 'にちは'),
        done(turn(0, 'caller', 'a'), turn(1, 'agent', 'こんにちは', 312)),
      ),
      'Agent: こんにちは  312 ms\n',
    );
  });

  it('shows tools on a line of their own, and each turn on its own', async () => {
    const events = [text(1, 'One moment.'), { type: 'tool', name: 'book\n' } as const, text(3, 'Done.')];
    const turns = [turn(1, 'agent', 'One moment.'), turn(2, 'tool', ''), turn(3, 'agent', 'Done.', 40)];
    assert.equal(
      await screenOf(...events, done(...turns)),
      'Agent: One moment.\n       → book\\n\nAgent: Done.  40 ms\n',
    );
  });

  it('completes what was not streamed, and corrects what was said differently', async () => {
    assert.equal(await screenOf(done(turn(0, 'agent', 'Welcome.'))), 'Agent: Welcome.\n');
    assert.equal(await screenOf(text(1, 'Half'), done(turn(1, 'agent', 'Half a reply.'))), 'Agent: Half a reply.\n');
    assert.equal(
      await screenOf(text(1, 'At three.'), done(turn(1, 'agent', 'At four.'))),
      'Agent: At three.\nAgent: At four.\n',
    );
  });

  it('says that the agent is silent, unless nobody has said anything', async () => {
    assert.equal(await screenOf(done(turn(0, 'caller', 'a'))), 'The agent says nothing.\n');
    assert.equal(await screenOf(done()), '');
  });

  it('indents further lines, escapes what a terminal would interpret, and joins halves of a character', async () => {
    const face = '😀';
    assert.equal(
      await screenOf(text(0, `a\nb\u001b[31m${face[0]}`), text(0, `${face[1]}c`), done()),
      'Agent: a\n       b\\u001b[31m😀c\n',
    );
  });
});

describe('the reply in a pipe', () => {
  it('is what the agent says, and nothing else', () => {
    const turns = [turn(0, 'caller', 'a'), turn(1, 'agent', 'b\nc'), turn(2, 'tool', ''), turn(3, 'agent', 'd')];
    assert.equal(plainReply({ turns, status: 'ongoing' }), 'b\nc\nd\n');
  });
});
