import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { marksOf, nextMark } from '../../dashboard/src/pages/call/recording/marks.ts';
import { createPeakReader, peaksOfTurns } from '../../dashboard/src/pages/call/recording/peaks.ts';
import { timedWords, wordAt } from '../../dashboard/src/pages/call/recording/timed-words.ts';

const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs, confidence: null });

describe('the times of words', () => {
  it('are those that the recognition has measured, in the words of the text', () => {
    const words = [word('well', 100, 300), word('A', 400, 450), word('table', 500, 800), word('for', 900, 1000)];
    const timed = timedWords({ text: 'Well… a table for two, please.', startMs: 100, endMs: 2000, words });
    assert.deepEqual(timed, [
      { text: 'Well… ', startMs: 100, endMs: 400 },
      { text: 'a ', startMs: 400, endMs: 500 },
      { text: 'table ', startMs: 500, endMs: 900 },
      { text: 'for two, please.', startMs: 900, endMs: 2000 },
    ]);
  });

  it('leave out words that are not in the text, and begin with its first character', () => {
    const words = [word('um', 0, 50), word('table', 100, 200), word('two', 300, 400)];
    const timed = timedWords({ text: '“A table for two”', startMs: 0, endMs: 500, words });
    assert.deepEqual(
      timed.map(({ text, startMs }) => [text, startMs]),
      [
        ['“A table for ', 100],
        ['two”', 300],
      ],
    );
  });

  it('are estimated from the length of words if there are none, or they do not fit', () => {
    const turn = { text: 'Good morning. Hi', startMs: 1000, endMs: 2600, words: [] };
    const expected = [
      { text: 'Good ', startMs: 1000, endMs: 1500 },
      { text: 'morning. ', startMs: 1500, endMs: 2400 },
      { text: 'Hi', startMs: 2400, endMs: 2600 },
    ];
    assert.deepEqual(timedWords(turn), expected);
    const strange = [word('bonjour', 1000, 1100), word('madame', 1200, 1300), word('hi', 1400, 1500)];
    assert.deepEqual(timedWords({ ...turn, words: strange }), expected);
  });

  it('separate Japanese, which has no spaces', () => {
    const timed = timedWords({ text: '「明日の予約をお願いします。」', startMs: 0, endMs: 3000, words: [] });
    assert.ok(timed.length > 4, JSON.stringify(timed));
    assert.equal(timed.map(({ text }) => text).join(''), '「明日の予約をお願いします。」');
    assert.match(timed.at(0)?.text ?? '', /^「明日/);
    assert.match(timed.at(-1)?.text ?? '', /。」$/);
    assert.equal(timed.at(-1)?.endMs, 3000);
  });

  it('say which word is heard, and none outside of the turn', () => {
    const words = timedWords({ text: 'Good morning', startMs: 1000, endMs: 2200, words: [] });
    assert.deepEqual(
      [999, 1000, 1499, 1500, 2199, 2200].map((ms) => wordAt(words, ms)),
      [null, 0, 0, 1, 1, null],
    );
    assert.equal(wordAt(timedWords({ text: '', startMs: 0, endMs: 0, words: [] }), 0), null);
  });
});

describe('the marks of a recording', () => {
  const turn = (role: 'agent' | 'caller' | 'tool', startMs: number, endMs: number, interrupted = false) => ({
    role,
    startMs,
    endMs,
    interrupted,
  });

  it('are where the agent was interrupted, and where nobody spoke for two seconds', () => {
    const turns = [
      turn('agent', 500, 3000, true),
      turn('caller', 2800, 4000),
      // Within the silence before the reply.
      turn('tool', 4100, 6000),
      turn('agent', 7000, 9000),
      turn('caller', 10_999, 12_000),
    ];
    assert.deepEqual(marksOf(turns, 14_000), [
      { kind: 'interruption', startMs: 3000, endMs: 3000 },
      { kind: 'silence', startMs: 4000, endMs: 7000 },
      { kind: 'silence', startMs: 12_000, endMs: 14_000 },
    ]);
  });

  it('count speech that goes on below another turn, and nothing after the recording', () => {
    const turns = [turn('agent', 0, 9000), turn('caller', 1000, 2000), turn('agent', 20_000, 21_000, true)];
    assert.deepEqual(marksOf(turns, 10_000), []);
    assert.deepEqual(marksOf([], 3000), [{ kind: 'silence', startMs: 0, endMs: 3000 }]);
  });

  it('follow one another, and begin anew after the last', () => {
    const marks = marksOf([turn('agent', 3000, 4000), turn('agent', 7000, 8000, true)], 9000);
    assert.equal(nextMark(marks, 'silence', 0)?.startMs, 4000);
    assert.equal(nextMark(marks, 'silence', 4000)?.startMs, 0);
    assert.equal(nextMark(marks, 'interruption', 0)?.startMs, 8000);
    assert.equal(nextMark([], 'silence', 0), null);
  });
});

describe('the waveform of a recording', () => {
  /** A file with these samples, left and right in turn. */
  function wav(samples: readonly number[]): Uint8Array {
    const file = Buffer.alloc(44 + samples.length * 2, 0x7f);
    for (const [place, sample] of samples.entries()) file.writeInt16LE(sample, 44 + place * 2);
    return file;
  }
  const rounded = (peaks: readonly Float32Array[]) =>
    peaks.map((channel) => Array.from(channel, (peak) => Number(peak.toFixed(2))));

  it('is the loudest sample of each stretch, for each channel by itself', () => {
    const file = wav([0, 100, -16_384, 0, 8192, 0, 0, -3277]);
    const whole = [
      [1, 0.5],
      [0.03, 1],
    ];
    const reader = createPeakReader(file.length, 2, 2);
    reader.add(file);
    assert.deepEqual(rounded(reader.peaks()), whole);
    const inPieces = createPeakReader(file.length, 2, 2);
    for (let at = 0; at < file.length; at += 3) inPieces.add(file.subarray(at, at + 3));
    assert.deepEqual(rounded(inPieces.peaks()), whole);
  });

  it('does not enlarge noise, nor have more values than samples', () => {
    const file = wav([33, 0, 0, 0]);
    const reader = createPeakReader(file.length, 2, 100);
    reader.add(file);
    assert.deepEqual(rounded(reader.peaks()), [
      [0.01, 0],
      [0, 0],
    ]);
  });

  it('of a long recording is who spoke when', () => {
    const turns = [
      { role: 'agent', startMs: 0, endMs: 500 },
      { role: 'caller', startMs: 500, endMs: 750 },
    ];
    assert.deepEqual(rounded(peaksOfTurns(turns, 1000, 4)), [
      [0, 0, 0.5, 0],
      [0.5, 0.5, 0, 0],
    ]);
  });
});
