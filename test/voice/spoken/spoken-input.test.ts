import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { SpokenInput } from '../../../src/voice/spoken/spoken-input.ts';
import type { TurnEvent } from '../../../src/voice/turn/events.ts';
import { ToldDetector, ToldStt } from './doubles.ts';
import { tone } from './tones.ts';

function setUp(recognizers: readonly ToldStt[] = [new ToldStt()]) {
  const clock = new VirtualClock();
  const detector = new ToldDetector();
  const events: TurnEvent[] = [];
  const switched: string[] = [];
  const input = new SpokenInput({
    clock,
    detector,
    recognizers,
    options: { language: 'en', rate: 16_000, keywords: ['salon'], mode: 'accurate' },
    dispatch: (event) => events.push(event),
    onSwitched: (from, to) => switched.push(`${from} ${to}`),
  });
  const loud = tone(320, 0.3);
  const quiet = new Int16Array(320);
  const write = (frame: Int16Array, ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      clock.advance(20);
      input.write(frame);
    }
  };
  return {
    clock,
    detector,
    input,
    events,
    switched,
    speak: (ms: number) => write(loud, ms),
    rest: (ms: number) => write(quiet, ms),
  };
}

const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs, confidence: 0.9 });

describe('Spoken input', () => {
  it('opens the recognizer with the options of the agent', () => {
    const stt = new ToldStt();
    setUp([stt]);
    assert.deepEqual(stt.last.options, { language: 'en', rate: 16_000, keywords: ['salon'], mode: 'accurate' });
  });

  it('reports sound at the time of its first and last voiced frame', () => {
    const { detector, events, speak } = setUp();
    speak(1000);
    detector.events?.start(1600);
    speak(500);
    detector.events?.end(320);
    assert.deepEqual(events, [
      { type: 'vad.start', since: 900 },
      { type: 'vad.end', since: 1480 },
    ]);
  });

  it('reports no sound from before the call, although audio arrives faster than it was said', () => {
    const { detector, events } = setUp();
    detector.events?.start(1600);
    assert.deepEqual(events, [{ type: 'vad.start', since: 0 }]);
  });

  it('passes on what was recognized, and asks for the final', () => {
    const stt = new ToldStt();
    const { input, events, speak } = setUp([stt]);
    speak(400);
    stt.last.events.partial('two');
    stt.last.events.partial('two people');
    input.flush();
    assert.equal(stt.last.flushedAt.length, 1);
    stt.final('Two people.');
    assert.deepEqual(events, [
      { type: 'stt.partial', text: 'two' },
      { type: 'stt.partial', text: 'two people' },
      { type: 'stt.final', text: 'Two people.' },
    ]);
  });

  it('withholds silence, keeps the connection alive meanwhile, and sends the start of a word with it', () => {
    const stt = new ToldStt();
    const { input, speak, rest } = setUp([stt]);
    rest(10_000);
    assert.equal(stt.writtenSamples, 0);
    assert.equal(stt.last.keepAlives, 3);
    speak(200);
    assert.equal(stt.writtenSamples, (300 + 200) * 16);
    rest(10_000);
    assert.equal(stt.writtenSamples, (300 + 200 + 1480) * 16);
    assert.deepEqual(input.usage, [{ provider: 'told', requests: 1, audioMs: 1980 }]);
  });

  it('hears what a detector calls speech, however quiet', () => {
    const stt = new ToldStt();
    const { detector, rest } = setUp([stt]);
    rest(1000);
    detector.events?.start(0);
    rest(3000);
    assert.equal(stt.writtenSamples, (300 + 3000) * 16);
  });

  it('knows when words were said, although silence was withheld before them', () => {
    const stt = new ToldStt();
    const { input, speak, rest } = setUp([stt]);
    rest(5000);
    speak(600);
    // 300 ms of silence came first in the stream.
    stt.final('hello there', [word('hello', 300, 500), word('there', 520, 900)]);
    assert.deepEqual(input.takeWords(), [word('hello', 5000, 5200), word('there', 5220, 5600)]);
    rest(20_000);
    speak(400);
    stt.final('again', [word('again', 300 + 600 + 1480 + 300, 300 + 600 + 1480 + 700)]);
    assert.deepEqual(input.takeWords(), [word('again', 25_600, 26_000)]);
  });

  it('names the segment of a transcript: what was written between two flushes', () => {
    const stt = new ToldStt();
    const { input, events, speak } = setUp([stt]);
    speak(1000);
    input.flush();
    input.flush();
    speak(1000);
    stt.last.events.partial('on', 990);
    stt.final('late', [], 1010);
    stt.final('also late', [word('late', 300, 700)]);
    stt.last.events.partial('on time', 1000);
    input.flush();
    stt.final('on time', [], 2000);
    stt.final('somewhere');
    assert.deepEqual(
      events.map((event) => ('segment' in event ? event.segment : event.type)),
      [1, 0, 0, 1, 1, 'stt.final'],
    );
  });

  it('takes nothing more once it is closed', () => {
    const stt = new ToldStt();
    const { input, events, speak } = setUp([stt]);
    input.close();
    speak(200);
    stt.last.events.failed('late');
    stt.final('late');
    assert.equal(stt.last.isClosed, true);
    assert.deepEqual(events, []);
    assert.equal(stt.streams.length, 1);
  });
});

describe('A recognizer that fails', () => {
  it('is connected again, and hears everything since the last final again', () => {
    const stt = new ToldStt();
    const { clock, input, events, speak } = setUp([stt]);
    speak(1000);
    stt.final('first', [word('first', 0, 600)]);
    speak(500);
    input.flush();
    stt.last.events.failed('closed');
    clock.advance(0);
    assert.equal(stt.streams.length, 2);
    // From the end of the last word: 400 ms, and the 500 ms since.
    assert.equal(stt.writtenSamples, 900 * 16);
    assert.equal(stt.last.flushedAt.length, 1);
    stt.final('second');
    assert.deepEqual(
      events.map((event) => ('text' in event ? event.text : event.type)),
      ['first', 'second'],
    );
  });

  it('is told again where a segment ended', () => {
    const stt = new ToldStt();
    const { clock, input, events, speak } = setUp([stt]);
    speak(1000);
    stt.final('first', [], 1000);
    speak(1000);
    input.flush();
    speak(500);
    stt.last.events.failed('closed');
    clock.advance(0);
    assert.equal(stt.writtenSamples, 1500 * 16);
    assert.deepEqual(stt.last.flushedAt, [1000 * 16]);
    stt.final('second', [], 1000);
    stt.last.events.partial('third', 1000);
    assert.deepEqual(
      events.map((event) => ('segment' in event ? event.segment : event.type)),
      [0, 0, 1],
    );
  });

  it('reports nothing from a stream that is over', () => {
    const stt = new ToldStt();
    const { clock, events, speak } = setUp([stt]);
    speak(200);
    const [first] = stt.streams;
    first?.events.failed('closed');
    clock.advance(0);
    first?.events.partial('stale');
    first?.events.failed('again');
    clock.advance(5000);
    assert.equal(stt.streams.length, 2);
    assert.deepEqual(events, []);
  });

  it('is tried three times within five seconds, and then replaced', () => {
    const stt = new ToldStt('first');
    const next = new ToldStt('second');
    const { clock, events, switched, speak } = setUp([stt, next]);
    speak(500);
    stt.isDown = true;
    stt.last.events.failed('closed');
    speak(5000);
    assert.equal(stt.streams.length, 4);
    assert.deepEqual(switched, ['first second']);
    assert.equal(next.writtenSamples, 5500 * 16);
    next.final('everything');
    clock.advance(0);
    assert.deepEqual(events, [{ type: 'stt.final', text: 'everything' }]);
  });

  it('ends the call if none is left, with what it said', () => {
    const stt = new ToldStt();
    const { input, events, speak } = setUp([stt]);
    stt.isDown = true;
    stt.last.events.failed('closed');
    speak(5000);
    assert.deepEqual(events, [{ type: 'stt.failed' }]);
    assert.equal(input.failure, 'HTTP 503 of the recognizer');
  });

  it('may fail again later, after it has worked for a while', () => {
    const stt = new ToldStt();
    const { events, speak } = setUp([stt]);
    for (let failure = 0; failure < 10; failure += 1) {
      stt.last.events.failed('closed');
      speak(6000);
    }
    assert.deepEqual(events, []);
    assert.equal(stt.streams.length, 11);
  });

  it('keeps a bounded part of what was said', () => {
    const stt = new ToldStt();
    const { clock, speak } = setUp([stt]);
    speak(60_000);
    stt.last.events.failed('closed');
    clock.advance(0);
    assert.equal(stt.writtenSamples, 20_000 * 16);
  });
});
