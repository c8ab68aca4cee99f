import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storedTurn, storedTurnJson } from '../../../src/areas/calls/record/storage-setting.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';

function turn(text: string, ...words: string[]): Turn {
  return {
    index: 0,
    role: 'agent',
    source: 'engine',
    text,
    unspokenText: null,
    startMs: 0,
    endMs: 1000,
    words: words.map((word, index) => ({
      text: word,
      startMs: index * 100,
      endMs: index * 100 + 100,
      confidence: null,
    })),
    interrupted: false,
    latency: null,
    sources: [],
    toolCall: null,
  };
}

const stored = (given: Turn) => storedTurn(given, 'everything_except_pii');
const texts = (given: Turn) => stored(given)?.words.map(({ text }) => text);

describe('the words of a turn without personal data', () => {
  it('are redacted like its text', () => {
    const given = turn('Call 090-1234-5678 now.', 'Call', '090', '1234', '5678', 'now');
    assert.equal(stored(given)?.text, 'Call [PHONE_NUMBER] now.');
    assert.deepEqual(texts(given), ['Call', '[PHONE_NUMBER]', 'now']);
  });

  it('are left out if they have what was found in the text', () => {
    for (const given of [
      turn('Write to taro@example.com.', 'Write', 'to', 'taro', 'example.com'),
      turn('〒100-0001です。', '100', '0001', 'です'),
    ]) {
      assert.match(stored(given)?.text ?? '', /\[(EMAIL|POSTAL_CODE)\]/);
      assert.deepEqual(texts(given), []);
    }
  });
});

describe('a turn that cannot be redacted or serialized', () => {
  const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  const toolCall = {
    id: 'tcl_1',
    name: 'book',
    arguments: { deep },
    result: deep,
    isError: false,
    isExample: false,
    durationMs: 0,
  };
  const given: Turn = { ...turn('Call 090-1234-5678.', 'Call'), role: 'tool', source: null, toolCall };

  it('is stored without its content, as a tool that has returned', () => {
    const { doc, isDropped } = storedTurnJson(given, 'everything_except_pii');
    const returned = { ...toolCall, arguments: {}, result: null, durationMs: 1 };
    assert.deepEqual([JSON.parse(doc ?? ''), isDropped], [{ ...given, text: '', words: [], toolCall: returned }, true]);
  });

  it('is not stored at all with basic_attributes_only', () => {
    assert.deepEqual(storedTurnJson(given, 'basic_attributes_only'), { doc: null, isDropped: false });
  });
});
