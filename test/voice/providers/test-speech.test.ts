import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { readTestFrame, testFrame, testFrames } from '../../../src/voice/providers/test/frames.ts';
import { createTestDetector, createTestStt, createTestTts } from '../../../src/voice/providers/test/test-speech.ts';

const silence = new Int16Array(320);
const joinedFrames = (...frames: Int16Array[]) => Int16Array.from(frames.flatMap((frame) => [...frame]));

function listen() {
  const log: unknown[] = [];
  const stream = createTestStt().open(
    { language: 'en', rate: 16_000, keywords: [], mode: 'fast' },
    {
      partial: (text) => log.push(['partial', text]),
      final: (text, words) =>
        log.push(['final', text, words.map(({ text, startMs, endMs }) => [text, startMs, endMs])]),
      failed: (detail) => log.push(['failed', detail]),
    },
  );
  return { log, stream };
}

function detect() {
  const log: [string, number][] = [];
  const stream = createTestDetector().open(16_000, {
    start: (ago) => log.push(['start', ago]),
    end: (ago) => log.push(['end', ago]),
  });
  return { log, stream };
}

const voice = { voiceId: 'v', model: null, speed: 1, emotion: null, temperature: null, language: 'en', rate: 16_000 };

describe('A frame of test speech', () => {
  it('is 20 ms: TEST, the length, the text, and zeros', () => {
    const bytes = bytesOf(testFrame('はい'));
    assert.equal(bytes.length, 640);
    assert.equal(Buffer.from(bytes.subarray(0, 4)).toString(), 'TEST');
    assert.deepEqual([bytes[4], bytes[5]], [6, 0]);
    assert.equal(Buffer.from(bytes.subarray(6, 12)).toString(), 'はい');
    assert.ok(bytes.subarray(12).every((byte) => byte === 0));
  });

  it('has its text, continues a word, or is silence', () => {
    assert.equal(readTestFrame(testFrame('hello')), 'hello');
    assert.equal(readTestFrame(testFrame('')), '');
    assert.equal(readTestFrame(silence), null);
  });
});

describe('The test detector', () => {
  it('reports the first and the last frame of speech', () => {
    const { log, stream } = detect();
    stream.write(silence);
    stream.write(testFrame('one'));
    stream.write(testFrame(''));
    stream.write(silence);
    stream.write(silence);
    assert.deepEqual(log, [
      ['start', 320],
      ['end', 320],
    ]);
  });

  it('finds them inside larger and smaller pieces', () => {
    const { log, stream } = detect();
    stream.write(joinedFrames(silence, testFrame('one'), testFrame('')));
    const rest = joinedFrames(silence, silence);
    for (let at = 0; at < rest.length; at += 128) stream.write(rest.subarray(at, at + 128));
    // The first silent frame is complete with the third piece, 64 samples before its end.
    assert.deepEqual(log, [
      ['start', 640],
      ['end', 384],
    ]);
  });
});

describe('The test recognizer', () => {
  it('has a partial with each word, and the final at once', () => {
    const { log, stream } = listen();
    stream.write(silence);
    stream.write(testFrames('hello', 10));
    stream.write(testFrames('there', 5));
    stream.flush();
    assert.deepEqual(log, [
      ['partial', 'hello'],
      ['partial', 'hello there'],
      [
        'final',
        'hello there',
        [
          ['hello', 20, 220],
          ['there', 220, 320],
        ],
      ],
    ]);
  });

  it('joins Japanese without spaces, and has an empty final for a sound', () => {
    const { log, stream } = listen();
    stream.write(testFrames('予約', 3));
    stream.write(testFrames('です', 3));
    stream.flush();
    stream.write(testFrames('', 3));
    stream.flush();
    assert.deepEqual(log.slice(1, 2), [['partial', '予約です']]);
    assert.deepEqual(log.at(-1), ['final', '', []]);
  });
});

describe('The test voice', () => {
  it('says each word in ten frames, and knows where each ends', () => {
    const marks: [number, number][] = [];
    const words: string[] = [];
    let samples = 0;
    let isDone = false;
    const stream = createTestTts().open(voice, {
      audio: (audio) => {
        samples += audio.length;
        words.push(readTestFrame(audio) ?? '');
      },
      mark: (characters, at) => marks.push([characters, at]),
      done: () => {
        isDone = true;
      },
      failed: assert.fail,
    });
    stream.say('Hello, you. ', false);
    assert.equal(isDone, false);
    stream.say('Bye.', true);
    assert.deepEqual(words, ['Hello', 'you', 'Bye']);
    assert.equal(samples, 30 * 320);
    assert.deepEqual(marks, [
      [5, 3200],
      [10, 6400],
      [15, 9600],
    ]);
    assert.equal(isDone, true);
  });

  it('reports nothing after it was canceled', () => {
    let count = 0;
    const stream = createTestTts().open(voice, {
      audio: () => {
        count += 1;
        stream.cancel();
      },
      done: () => assert.fail(),
      failed: assert.fail,
    });
    stream.say('One two three.', true);
    assert.equal(count, 1);
  });
});
