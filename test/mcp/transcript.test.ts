import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Turn } from '../../sdk/src/index.ts';
import { bytesOf } from '../../src/mcp/excerpt.ts';
import { replyLines } from '../../src/mcp/transcript.ts';

const maxBytes = 59_000;
const empty = { source: null, unspokenText: null, startMs: 0, endMs: 0, words: [], interrupted: false };

function turnOf(index: number, role: Turn['role'], text: string, result: unknown = null): Turn {
  const toolCall = {
    id: `tcl_${index}`,
    name: 'book',
    arguments: {},
    result,
    isError: false,
    isExample: false,
    durationMs: 1,
  };
  return { ...empty, index, role, text, latency: null, sources: [], toolCall: role === 'tool' ? toolCall : null };
}

describe('a reply for a model', () => {
  it('is complete if it fits', () => {
    const lines = replyLines([turnOf(0, 'caller', 'Hi'), turnOf(1, 'agent', 'Hello.')], maxBytes);
    assert.deepEqual(lines, ['0.0 s caller: Hi', '0.0 s agent: Hello.']);
  });

  it('has the answer, however much the caller has said and the tools have returned', () => {
    const tools = [1, 2, 3].map((index) => turnOf(index, 'tool', '', 'x'.repeat(32_000)));
    for (const answer of ['Booked.', 'あ'.repeat(20_000)]) {
      const lines = replyLines(
        [turnOf(0, 'caller', 'あ'.repeat(10_000)), ...tools, turnOf(4, 'agent', answer)],
        maxBytes,
      );
      assert.equal(lines.length, 5);
      assert.ok(bytesOf(lines) <= maxBytes);
      assert.match(lines[1] as string, /… \[truncated\]$/);
      assert.match(lines[4] as string, answer === 'Booked.' ? /agent: Booked\.$/ : /agent: あ+… \[truncated\]$/);
    }
  });
});
