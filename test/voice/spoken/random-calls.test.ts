import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { PhoneActions } from '../../../src/voice/ports.ts';
import { createTestStt } from '../../../src/voice/providers/test/test-speech.ts';
import { SeededRandom } from '../../../src/voice/simulation/random.ts';
import type { Stt } from '../../../src/voice/speech-ports.ts';
import type { CallSpeech } from '../../../src/voice/spoken/spoken-session-parts.ts';
import { wordsOf } from '../../../src/voice/text/words.ts';
import { ToneVoice } from './doubles.ts';
import { SpokenCall, script } from './spoken-call.ts';

const lines = [
  'Welcome to the salon. Which day would you like? We are open from nine to five.',
  'And at what time? You can come at ten, at eleven or at noon.',
  'Yes.',
  'Thank you very much, your table is booked for tomorrow at seven. We look forward to it. See you then.',
];
const words = 'I would like to book a table for two people tomorrow evening please thanks yes okay'.split(' ');

/** Up to which kind of step: speech, what comes from the service, a page that drops or stops playing, transfers, keys. */
type Kinds = 2 | 5 | 7 | 9;

const target = {
  name: 'desk',
  to: '+81312345678',
  brief: null,
  extension: null,
  ringTimeoutMs: 20_000,
  showCaller: false,
};

/** A phone line whose transfers fail after a while. */
function randomLine(random: SeededRandom, clock: VirtualClock): PhoneActions {
  return {
    transfers: [],
    pressKeys: () => true,
    play: () => {},
    doNotCallAgain: (onResult) => onResult(null),
    transfer: (_, onResult) => {
      clock.after(random.integer(0, 90_000), () => onResult({ transferred: false, reason: 'busy' }));
    },
  };
}

function randomCall(
  seed: number,
  kinds: Kinds,
  speech: Partial<CallSpeech> = {},
  clock = new VirtualClock(),
): SpokenCall {
  const random = new SeededRandom(seed);
  const fields = {
    ...script(...lines),
    voiceId: 'a',
    fallbackVoiceIds: ['b', 'c'],
    beginMessage: random.pick(['', 'Hello, this is the salon. How can I help you today?']),
    interruptionSensitivity: random.pick([0, 0.3, 0.6, 1]),
    responsiveness: random.pick([0, 0.5, 1]),
    enableBackchannel: random.chance(0.5),
    sttMode: random.pick(['fast', 'accurate'] as const),
    reminderTriggerMs: 3000,
  };
  const call = new SpokenCall(fields, { speech, clock, parts: { phone: randomLine(random, clock) } });
  for (let step = 0; step < 20 && call.end === null; step += 1) {
    const kind = random.integer(0, kinds);
    if (kind <= 1)
      call.speak(
        Array.from({ length: random.integer(1, 6) }, () => random.pick(words)),
        random.integer(4, 15),
      );
    else if (kind === 2) call.speak([''], random.integer(1, 40));
    else if (kind === 3) call.session.text('a typed message');
    else if (kind === 4) call.session.say('A note from the service.', random.chance(0.3));
    else if (kind === 6) {
      call.player.drop();
      call.session.detach();
      call.clock.advance(random.integer(0, 8000));
      call.resume();
    } else if (kind === 7) call.player.isStuck = !call.player.isStuck;
    else if (kind === 8) call.session.transfer({ ...target, mode: random.pick(['cold', 'warm'] as const) });
    else if (kind === 9) call.session.dtmf(random.pick(['1', '12#', '5']));
    call.wait(20 * random.integer(1, 150));
  }
  call.player.isStuck = false;
  call.wait(8000);
  call.session.hangUp();
  call.wait(1000);
  assert.notEqual(call.end, null);
  assertOrdered(call, seed);
  return call;
}

/** Whatever is detected or recognized late, the transcript is in the order of time. */
function assertOrdered({ turns }: SpokenCall, seed: number): void {
  const times = turns.map(({ startMs }) => startMs);
  const sorted = [...times].sort((one, other) => one - other);
  assert.deepEqual(times, sorted, `seed ${seed}: ${JSON.stringify(turns.map(({ role, text }) => [role, text]))}`);
  assert.ok(turns.every(({ startMs, endMs }) => startMs <= endMs));
}

/** The recognizer for tests, whose connection breaks now and then while it listens. */
function breakingStt(random: SeededRandom, clock: VirtualClock): Stt {
  const stt = createTestStt();
  let brokenAt = 0;
  return {
    ...stt,
    open(options, events) {
      let isOver = false;
      const stream = stt.open(options, events);
      return {
        ...stream,
        write(samples) {
          if (isOver) return;
          stream.write(samples);
          // If it happened more often, it would be given up.
          if (clock.now() - brokenAt < 6000 || !random.chance(0.02)) return;
          isOver = true;
          brokenAt = clock.now();
          events.failed('closed');
        },
        flush: () => {
          if (!isOver) stream.flush();
        },
      };
    },
  };
}

/** A recognizer that falls behind: everything that it says comes in order and late, and some finals never come. */
function lateStt(random: SeededRandom, clock: VirtualClock, lostShare: number): Stt {
  const stt = createTestStt();
  let free = 0;
  const later = (ms: number, run: () => void) => {
    free = Math.max(free, clock.now() + ms);
    clock.after(free - clock.now(), run);
  };
  return {
    ...stt,
    open: (options, events) =>
      stt.open(options, {
        ...events,
        partial: (text, startMs) => later(random.integer(0, 100), () => events.partial(text, startMs)),
        final: (text, words, endMs) => {
          if (!random.chance(lostShare))
            later(random.pick([0, 300, 1500, 4000]), () => events.final(text, words, endMs));
        },
      }),
  };
}

const texts = (call: SpokenCall, role: string) =>
  call.turns.filter((turn) => turn.role === role).map(({ text }) => text);

describe('Random spoken calls', () => {
  it('keep the rules of conversation with transfers that fail, keys, lost connections and stalled playback', () => {
    let transfers = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      transfers += randomCall(seed, 9)
        .eventsOf('transfer_updated')
        .filter(({ status }) => status === 'started').length;
    }
    assert.ok(transfers > 20);
  });

  it('keep the rules of conversation, and commit exactly the words that were played', () => {
    let reported = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const call = randomCall(seed, 5);
      for (const { event, commands } of call.steps) {
        for (const command of commands) {
          if (command.type !== 'commit' || command.role !== 'agent') continue;
          const committed = wordsOf(command.text, 'en').map(({ text }) => text);
          const played = call.player.wordsHeard(command.utterance);
          // Another commit, such as that of a typed message, does not wait for the last report.
          const isReported = event.type === 'play.done' || event.type === 'play.cleared';
          const expected = isReported ? played : played.slice(0, committed.length);
          assert.deepEqual(committed, expected, `seed ${seed}, utterance ${command.utterance}`);
          reported += isReported ? 1 : 0;
        }
      }
    }
    assert.ok(reported > 50);
  });

  it('keep them when the connection drops and when the page stops playing', () => {
    for (let seed = 1000; seed < 1012; seed += 1) randomCall(seed, 7);
  });

  it('lose no word, and hear none twice, when the recognizer has to be connected again', () => {
    let connections = 0;
    for (let seed = 0; seed < 8; seed += 1) {
      const expected = randomCall(seed, 2);
      const clock = new VirtualClock();
      const call = randomCall(seed, 2, { recognizers: [breakingStt(new SeededRandom(seed), clock)] }, clock);
      assert.deepEqual(texts(call, 'caller'), texts(expected, 'caller'), `seed ${seed}`);
      connections += call.session.speechUsage().stt[0]?.requests ?? 0;
    }
    assert.ok(connections > 20);
  });

  it('lose no word, and hear none twice, with a recognizer that falls behind and forgets finals', () => {
    let late = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const random = new SeededRandom(seed);
      const clock = new VirtualClock();
      const call = new SpokenCall(
        { ...script(...lines), interruptionSensitivity: random.pick([0.3, 0.6, 1]) },
        { speech: { recognizers: [lateStt(random, clock, random.pick([0, 0.3]))] }, clock },
      );
      const said: string[] = [];
      for (let step = 0; step < 15; step += 1) {
        for (let count = random.integer(1, 4); count > 0; count -= 1) {
          said.push(`word${said.length}`);
          call.speak([said.at(-1) as string], random.integer(4, 15));
        }
        call.wait(20 * random.integer(1, 200));
      }
      call.wait(20_000).session.hangUp();
      assertOrdered(call, seed);
      assert.deepEqual(texts(call, 'caller').join(' ').split(' '), said, `seed ${seed}`);
      late += call.steps.filter(({ event }) => event.type === 'stt.final' && event.text !== '').length;
    }
    assert.ok(late > 50);
  });

  it('go on with another voice, or end', () => {
    const ends = new Set<string>();
    for (let seed = 0; seed < 14; seed += 1) {
      const random = new SeededRandom(seed);
      const clock = new VirtualClock();
      const voice = new ToneVoice(clock, random.integer(0, 400));
      for (const id of ['a', 'b', 'c']) {
        voice.behavior.set(id, random.pick(['speaks', 'fails', 'is silent', 'fails halfway', 'stops halfway']));
      }
      ends.add(randomCall(seed, seed % 2 === 0 ? 7 : 5, { tts: voice }, clock).end?.reason ?? '');
    }
    assert.deepEqual([...ends].sort(), ['caller_hangup', 'tts_failed']);
  });
});
