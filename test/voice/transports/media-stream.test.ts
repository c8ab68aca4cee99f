import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeMulaw, encodeMulaw } from '../../../src/voice/audio/g711.ts';
import { keyTone, waitingTone } from '../../../src/voice/audio/tones.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { callSid, PhoneLine } from './phone-line.ts';

type LineOptions = ConstructorParameters<typeof PhoneLine>[1];

/** A stream that has started, and its other side. */
function opened(options?: LineOptions) {
  const clock = new VirtualClock();
  const line = new PhoneLine(clock, options);
  line.start();
  clock.advance(2 * (options?.networkMs ?? 0));
  line.listen();
  line.log.length = 0;
  return { clock, line, stream: line.stream, log: line.log, frames: line.frames };
}

/** Speech whose samples are all different from those next to them, also as mu-law. */
function speech(ms: number, first = 1): Int16Array {
  const codes = Buffer.from({ length: ms * 8 } as ArrayLike<number>).map((_, index) => (first + index) % 0x70);
  return decodeMulaw(codes);
}

function playedReports(log: readonly string[], utterance: number): number[] {
  return log.filter((line) => line.startsWith(`played ${utterance} `)).map((line) => Number(line.split(' ')[2]));
}

describe('A media stream', () => {
  it('starts with the call that it was opened for', () => {
    const clock = new VirtualClock();
    const line = new PhoneLine(clock);
    line.start();
    assert.deepEqual(line.log, ['started']);
    clock.advance(60_000);
    assert.deepEqual(line.log, ['started']);
  });

  const violations: Readonly<Record<string, (line: PhoneLine) => void>> = {
    'is of another call': (line) => line.start({ callSid: 'CA2' }),
    'has another format': (line) =>
      line.start({ mediaFormat: { encoding: 'audio/l16', sampleRate: 8000, channels: 1 } }),
    'has an id that would need escaping': (line) => line.start({}, 'a"b'),
    'starts twice': (line) => {
      line.start();
      line.start();
    },
    'has audio before its start': (line) => line.say(),
    'has a mark before its start': (line) => line.send({ event: 'mark', mark: { name: '0.1.160' } }),
    'has a frame that is not JSON': (line) => line.stream.receive('{"event":"media"'),
    'has a frame that is no object': (line) => line.stream.receive('null'),
    'has a frame without an event': (line) => line.send({ media: {} }),
    'has a binary frame': (line) => line.stream.receiveBinary(),
    'has a frame that is too long': (line) => line.send({ event: 'other', text: 'a'.repeat(17_000) }),
  };
  for (const [name, act] of Object.entries(violations)) {
    it(`is closed with 1008 if it ${name}`, () => {
      const clock = new VirtualClock();
      const line = new PhoneLine(clock);
      act(line);
      line.listen();
      assert.equal(line.log.filter((entry) => entry.startsWith('1008 ')).length, 1, `${line.log}`);
      const before = [...line.log];
      // Nothing is read or sent afterwards.
      line.start();
      line.say();
      line.stream.speech(1, 0);
      line.stream.audio(1, speech(100));
      line.stream.clear(1);
      assert.equal(line.stream.pressKeys('1'), false);
      clock.advance(60_000);
      assert.deepEqual(line.log, before);
      assert.deepEqual(line.frames, []);
    });
  }

  const malformed: readonly unknown[] = [
    { event: 'media' },
    { event: 'media', media: { track: 'inbound', chunk: '1', timestamp: '0' } },
    { event: 'media', media: { track: 'inbound', chunk: '1', timestamp: '0', payload: '' } },
    { event: 'media', media: { track: 'inbound', chunk: '1', timestamp: '0', payload: 'äöü=' } },
    { event: 'media', media: { track: 'inbound', chunk: '1', timestamp: '0', payload: '/w==/w==' } },
    { event: 'media', media: { track: 'inbound', chunk: '-1', timestamp: '0', payload: '//8=' } },
    { event: 'media', media: { track: 'inbound', chunk: '1', timestamp: 'x', payload: '//8=' } },
    { event: 'media', media: { track: 'inbound', chunk: '1', timestamp: '0', payload: 'A'.repeat(12_000) } },
    { event: 'media', media: { track: 'sideways', chunk: '1', timestamp: '0', payload: '//8=' } },
    { event: 'dtmf', dtmf: { digit: '12' } },
    { event: 'dtmf', dtmf: {} },
    { event: 'mark', mark: {} },
    { event: 'mark', mark: { name: 'a'.repeat(65) } },
  ];
  for (const frame of malformed) {
    it(`is closed after ${JSON.stringify(frame).slice(0, 90)}`, () => {
      const { line, log } = opened();
      line.send(frame);
      assert.deepEqual(log, ['1008 a frame is malformed']);
    });
  }

  it('is closed if it does not start within 10 s', () => {
    const clock = new VirtualClock();
    const line = new PhoneLine(clock);
    clock.advance(9999);
    assert.deepEqual(line.log, []);
    clock.advance(1);
    assert.deepEqual(line.log, ['1008 the stream did not start in time']);
  });

  it('ignores events that it does not know, and audio of its own side', () => {
    const { line, log } = opened();
    line.send({ event: 'future', future: {} });
    line.send({ event: 'media', media: { track: 'outbound', chunk: '1', timestamp: '0', payload: '//8=' } });
    assert.deepEqual(log, []);
  });

  it('takes a backlog of 8 s at once, but not audio that is faster than speech for long', () => {
    const { line, log, clock } = opened();
    for (let index = 0; index < 400; index += 1) line.say();
    assert.equal(log.filter((entry) => entry.startsWith('audio')).length, 400);
    for (let second = 0; second < 60; second += 1) {
      for (let index = 0; index < 50; index += 1) line.say();
      clock.advance(1000);
    }
    assert.ok(!log.some((entry) => entry.startsWith('1008')));
    for (let index = 0; index < 700; index += 1) line.say();
    assert.equal(log.at(-1), '1008 there are too many frames');
  });

  it('counts long frames as what they last', () => {
    const { line, log } = opened();
    for (let chunk = 1; chunk <= 13; chunk += 1) line.media({ chunk, timestampMs: chunk * 1000, bytes: 8000 });
    assert.equal(log.at(-1), '1008 there is too much audio');
  });

  it('reports keys, and the end', () => {
    const { line, log } = opened();
    for (const digit of '1*#D') line.send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } });
    line.send({ event: 'stop', stop: { accountSid: 'AC1', callSid } });
    assert.deepEqual(log, ['key 1', 'key *', 'key #', 'key D', 'stopped']);
  });

  it('keeps what arrives before somebody listens, up to 10 s', () => {
    const clock = new VirtualClock();
    const line = new PhoneLine(clock);
    line.start();
    line.say(1);
    line.send({ event: 'dtmf', dtmf: { digit: '5' } });
    line.say(2);
    const first: number[] = [];
    line.listen({ audio: (samples) => first.push(samples[0] as number) });
    line.say(3);
    assert.deepEqual(first, [...decodeMulaw(Uint8Array.of(1, 2, 3))]);
    assert.deepEqual(line.log, ['started', 'key 5']);

    const late = new PhoneLine(clock);
    late.start();
    for (let index = 0; index < 700; index += 1) {
      late.say(index % 100);
      clock.advance(20);
    }
    let samples = 0;
    late.listen({
      audio: ({ length }) => {
        samples += length;
      },
    });
    assert.equal(samples, 80_000);
  });
});

describe('The audio of the caller', () => {
  /** The codes of what was heard, one for each frame; `-` for each 20 ms of silence that was filled in. */
  function heardOf(frames: readonly (readonly [chunk: number, timestampMs: number, afterMs?: number])[]): string {
    const clock = new VirtualClock();
    const line = new PhoneLine(clock);
    line.start();
    const heard: string[] = [];
    line.listen({
      audio: (samples) => {
        const isSilence = samples.every((sample) => sample === 0);
        heard.push(isSilence ? '-'.repeat(samples.length / 160) : String(encodeMulaw(samples)[0]));
      },
    });
    for (const [chunk, timestampMs, afterMs = 20] of frames) {
      clock.advance(afterMs);
      line.media({ chunk, timestampMs, code: chunk });
    }
    heard.push('|');
    clock.advance(1000);
    return heard.join(' ');
  }

  it('is passed on at once, decoded', () => {
    const { line, clock } = opened();
    const heard: number[] = [];
    line.listen({ audio: (samples) => heard.push(...samples) });
    line.say(0x42);
    clock.advance(0);
    assert.deepEqual(heard, Array(160).fill(decodeMulaw(Uint8Array.of(0x42))[0]));
  });

  it('is put in order', () => {
    const frames = [
      [1, 0],
      [3, 40],
      [2, 20],
      [5, 80],
      [6, 100],
      [4, 60],
    ] as const;
    assert.equal(heardOf(frames), '1 2 3 4 5 6 |');
  });

  it('waits 100 ms for a missing frame, and not longer', () => {
    const clock = new VirtualClock();
    const line = new PhoneLine(clock);
    line.start();
    line.listen();
    line.media({ chunk: 1, timestampMs: 0 });
    line.media({ chunk: 3, timestampMs: 40 });
    line.log.length = 0;
    clock.advance(99);
    assert.deepEqual(line.log, []);
    clock.advance(1);
    assert.deepEqual(line.log, ['audio 160']);
    // Too late.
    line.media({ chunk: 2, timestampMs: 20 });
    assert.deepEqual(line.log, ['audio 160']);
  });

  it('does not wait once 100 ms of later audio are there', () => {
    const frames = [1, 3, 4, 5, 6, 7].map((chunk) => [chunk, (chunk - 1) * 20, 0] as const);
    assert.equal(heardOf(frames), '1 3 4 5 6 7 |');
  });

  it('has silence where more than 60 ms are missing', () => {
    const sixty = heardOf([
      [1, 0],
      [2, 80],
    ]);
    assert.equal(sixty, '1 2 |');
    const eighty = heardOf([
      [1, 0],
      [2, 100],
    ]);
    assert.equal(eighty, '1 ---- 2 |');
    const lost = heardOf([
      [1, 0],
      [6, 100],
    ]);
    assert.equal(lost, '1 | ---- 6');
  });

  it('has at most 10 s of silence for a gap, and none for times that go back', () => {
    const hour = heardOf([
      [1, 0],
      [2, 3_600_000],
    ]);
    assert.equal(hour, `1 ${'-'.repeat(500)} 2 |`);
    const back = heardOf([
      [1, 1000],
      [2, 0],
      [3, 20],
    ]);
    assert.equal(back, '1 2 3 |');
  });

  it('is passed on once, also if a frame comes twice', () => {
    const frames = [
      [1, 0],
      [1, 0],
      [3, 40],
      [3, 40],
      [2, 20],
      [2, 20],
    ] as const;
    assert.equal(heardOf(frames), '1 2 3 |');
  });

  it('is missed after 5 s, once each time, and gone after 30 s', () => {
    const { line, log, clock } = opened();
    for (let index = 0; index < 50; index += 1) {
      line.say();
      clock.advance(20);
    }
    log.length = 0;
    clock.advance(20_000);
    assert.deepEqual(log, ['stalled 5980']);
    line.say();
    clock.advance(31_000);
    assert.deepEqual(
      log.filter((entry) => !entry.startsWith('audio')),
      ['stalled 5980', 'stalled 26000', 'gone 51000'],
    );
  });
});

describe('The audio of the agent', () => {
  it('is played as it was spoken', () => {
    const { line, stream, clock, log } = opened({ networkMs: 30 });
    const said = speech(2345);
    stream.speech(1, 0);
    // As voices deliver it: in pieces of any length.
    for (let at = 0, piece = 0; at < said.length; piece += 1) {
      const length = [77, 160, 1600, 1, 333][piece % 5] as number;
      stream.audio(1, said.subarray(at, at + length));
      at += length;
      clock.advance(5);
    }
    clock.advance(5000);
    assert.deepEqual(line.played, [...said]);
    assert.equal(playedReports(log, 1).at(-1), said.length);
  });

  it('has a mark after the first 20 ms, then every 100 ms, and at the end', () => {
    const { stream, clock, frames } = opened();
    stream.speech(7, 0);
    stream.audio(7, speech(200));
    stream.audio(7, speech(70));
    assert.deepEqual(frames.slice(0, 4), ['media 160', 'mark 0.7.160', 'media 800', 'mark 0.7.960']);
    clock.advance(20);
    assert.deepEqual(frames.slice(4), ['media 640', 'media 160', 'mark 0.7.1760', 'media 400', 'mark 0.7.2160']);
  });

  it('is sent in chunks of 20 to 100 ms, also if it comes in smaller or larger pieces', () => {
    const said = speech(2000);
    for (const piece of [8, 24, 160, 480, 1600, 16_000]) {
      const { stream, clock, frames } = opened();
      stream.speech(1, 0);
      for (let at = 0; at < 16_000; at += piece) {
        stream.audio(1, said.subarray(at, at + piece));
        clock.advance(piece / 16);
      }
      clock.advance(50);
      const sizes = frames.filter((frame) => frame.startsWith('media')).map((frame) => Number(frame.split(' ')[1]));
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        16_000,
      );
      assert.ok(Math.max(...sizes) <= 800, `${piece}`);
      // The end of a chunk before a mark may be shorter.
      assert.ok(sizes.filter((size) => size < 160).length <= 16_000 / 800 + 1, `${piece}: ${sizes}`);
      assert.ok(frames.filter((frame) => frame.startsWith('mark')).length <= 55, `${piece}`);
    }
  });

  it('is sent as soon as there are 20 ms of it', () => {
    const { stream, frames } = opened();
    stream.speech(1, 0);
    stream.audio(1, speech(20));
    assert.deepEqual(frames, ['media 160', 'mark 0.1.160']);
  });

  it('waits for the start of the stream', () => {
    const clock = new VirtualClock();
    const line = new PhoneLine(clock);
    line.stream.speech(1, 0);
    line.stream.audio(1, speech(20));
    assert.deepEqual(line.frames, []);
    line.start();
    assert.deepEqual(line.frames, ['media 160', 'mark 0.1.160']);
  });

  it('is reported as it is played', () => {
    const { stream, clock, log } = opened();
    stream.speech(1, 0);
    stream.audio(1, speech(250));
    clock.advance(19);
    assert.deepEqual(log, []);
    clock.advance(1);
    assert.deepEqual(log, ['played 1 160']);
    clock.advance(100);
    assert.deepEqual(log, ['played 1 160', 'played 1 960']);
    clock.advance(200);
    assert.deepEqual(playedReports(log, 1), [160, 960, 1760, 2000]);
  });

  it('that was cleared is not reported later, though its marks come back', () => {
    const { line, stream, clock, log, frames } = opened({ networkMs: 40 });
    stream.speech(1, 0);
    stream.audio(1, speech(3000));
    clock.advance(500);
    const before = playedReports(log, 1);
    stream.clear(1);
    clock.advance(5000);
    const reported = playedReports(log, 1);
    // The last report again, so that nobody has to wait longer for it.
    assert.deepEqual(reported, [...before, before.at(-1)]);
    assert.ok(line.played.length >= (before.at(-1) as number));
    assert.ok(line.played.length <= (before.at(-1) as number) + 800 + 8 * 2 * 40);
    assert.equal(frames.filter((frame) => frame === 'clear').length, 1);
  });

  it('goes on after a pause from what was reported, in the next generation', () => {
    const { line, stream, clock, log, frames } = opened();
    const said = speech(1000);
    stream.speech(1, 0);
    stream.audio(1, said);
    clock.advance(350);
    const [position = 0] = playedReports(log, 1).slice(-1);
    assert.equal(position, 2560);
    stream.clear(1);
    clock.advance(1000);
    const heard = line.played.length;
    stream.speech(1, position);
    stream.audio(1, said.subarray(position));
    clock.advance(2000);
    assert.ok(frames.includes('mark 1.1.2720'));
    assert.equal(playedReports(log, 1).at(-1), said.length);
    assert.deepEqual(line.played.slice(heard), [...said.subarray(position)]);
  });

  it('of another utterance is sent again when one is cleared', () => {
    const { line, stream, clock, log } = opened();
    const backchannel = speech(300, 40);
    stream.speech(1, 0);
    stream.audio(1, speech(500));
    stream.speech(2, 0);
    stream.audio(2, backchannel);
    clock.advance(200);
    stream.clear(1);
    const heard = line.played.length;
    clock.advance(2000);
    assert.deepEqual(line.played.slice(heard), [...backchannel]);
    assert.equal(playedReports(log, 2).at(-1), backchannel.length);
  });

  it('is reported by a later mark if one is lost', () => {
    const { stream, clock, log } = opened({ losesMark: (name) => name !== '0.2.1600' });
    stream.speech(1, 0);
    stream.audio(1, speech(100));
    clock.advance(30);
    stream.speech(2, 0);
    stream.audio(2, speech(200));
    clock.advance(1000);
    assert.deepEqual(log, ['played 1 800', 'played 2 1600']);
  });

  it('is not reported by marks that were never sent', () => {
    const { line, stream, log } = opened();
    stream.speech(1, 0);
    stream.audio(1, speech(500));
    for (const name of ['0.1.99999', '1.1.160', '', '0.1', 'x', '0.2.160'])
      line.send({ event: 'mark', mark: { name } });
    assert.deepEqual(log, []);
  });

  it('is not sent after the socket is closed, and no timer stays', () => {
    const { stream, clock, frames, log } = opened();
    stream.speech(1, 0);
    stream.audio(1, speech(50));
    stream.close();
    const [sent, reported] = [frames.length, log.length];
    stream.audio(1, speech(50));
    clock.advance(100_000);
    assert.deepEqual([frames.length, log.length], [sent, reported]);
  });
});

describe('Keys of ours', () => {
  const tones = (keys: string) => [...keys].flatMap((key) => [...(keyTone(key, 8000) as Int16Array)]);
  const onLine = (samples: readonly number[]) => [...decodeMulaw(encodeMulaw(Int16Array.from(samples)))];

  it('are tones after what was said before', () => {
    const { line, stream, clock } = opened();
    const said = speech(110);
    stream.speech(1, 0);
    stream.audio(1, said);
    assert.ok(stream.pressKeys('1w#'));
    stream.audio(1, said);
    clock.advance(3000);
    assert.deepEqual(line.played, [...said, ...onLine(tones('1w#')), ...said]);
  });

  it('are pressed once, also if the agent is interrupted before or meanwhile', () => {
    for (let cutMs = 0; cutMs < 1500; cutMs += 70) {
      const { line, stream, clock } = opened({ networkMs: 25 });
      stream.speech(1, 0);
      stream.audio(1, speech(400));
      stream.pressKeys('123');
      clock.advance(cutMs);
      stream.clear(1);
      clock.advance(3000);
      // The first quarter of a tone is enough to tell which it is.
      const heard = line.played.join(',');
      for (const key of '123') {
        const start = onLine(tones(key)).slice(0, 200).join(',');
        assert.ok(heard.split(start).length - 1 <= 1, `${key} twice when cut after ${cutMs} ms`);
      }
      // Only the one that sounds at that moment may be cut short.
      const whole = [...'123'].filter((key) => heard.includes(onLine(tones(key)).slice(0, 800).join(',')));
      assert.ok(whole.length >= 1, `${whole} when cut after ${cutMs} ms`);
    }
  });

  it('are refused if there is no such key, or too many', () => {
    const { stream, frames } = opened();
    for (const keys of ['12x', '+1', 'a', '1'.repeat(65)]) assert.equal(stream.pressKeys(keys), false);
    assert.deepEqual(frames, []);
    assert.ok(stream.pressKeys('1'.repeat(64)));
    assert.equal(stream.pressKeys('2'), false);
  });
});

describe('A sound', () => {
  it('is played between utterances, and dropped with the next one that is cleared', () => {
    const { line, stream, clock, log, frames } = opened();
    const tone = waitingTone(8000);
    stream.play(tone);
    clock.advance(100);
    stream.clear(1);
    clock.advance(1000);
    assert.equal(line.played.length, 800);
    stream.play(tone);
    clock.advance(1000);
    assert.equal(line.played.length, 800 + tone.length);
    assert.equal(frames.filter((frame) => frame === 'clear').length, 1);
    assert.deepEqual(log, ['played 1 0']);
  });
});
