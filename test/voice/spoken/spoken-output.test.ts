import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { level } from '../../../src/voice/audio/level.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { Tts } from '../../../src/voice/speech-ports.ts';
import { CallVoice, type VoiceSettings } from '../../../src/voice/spoken/call-voice.ts';
import { SpeechCache } from '../../../src/voice/spoken/speech-cache.ts';
import { SpokenOutput } from '../../../src/voice/spoken/spoken-output.ts';
import { ToneVoice, WordVoice } from './doubles.ts';
import { Player } from './player.ts';

interface Setup {
  readonly settings?: Partial<VoiceSettings>;
  readonly volume?: number;
  readonly cache?: SpeechCache;
  readonly rate?: number;
  readonly canPause?: boolean;
  /** Instead of one that knows nothing about its words. */
  readonly tts?: Tts;
}

/** An output with a voice and a player, and everything that it reported. */
function setUp({
  settings = {},
  volume = 1,
  cache = new SpeechCache(),
  rate = 16_000,
  canPause = true,
  tts,
}: Setup = {}) {
  const clock = new VirtualClock();
  const voice = new ToneVoice(clock);
  const player = new Player(clock, rate, canPause);
  const log: string[] = [];
  const heard: number[] = [];
  const remaining: number[] = [];
  const silences: number[] = [];
  const note = (text: string) => log.push(`${Math.round(clock.now())} ${text}`);
  const callVoice = new CallVoice(
    clock,
    tts ?? voice,
    {
      voiceIds: ['a', 'b', 'c'],
      model: null,
      emotion: null,
      temperature: 1,
      language: 'en',
      rate,
      speed: () => 1,
      fixedSentences: new Set(),
      ...settings,
    },
    cache,
    (from, to) => note(`switched ${from} ${to}`),
  );
  const recorded: Int16Array[] = [];
  const output = new SpokenOutput(
    { clock, voice: callVoice, transport: player, volume, onPlayed: (samples) => recorded.push(samples) },
    {
      sent: (utterance) => note(`sent ${utterance}`),
      audible: (_utterance, silentMs) => silences.push(silentMs),
      started: (utterance, msAgo = 0) => note(`started ${utterance} ${msAgo} ms ago`),
      progress: (_utterance, characters, remainingMs) => {
        heard.push(characters);
        remaining.push(remainingMs);
      },
      done: (utterance) => note(`done ${utterance}`),
      cleared: (utterance, characters) => note(`cleared ${utterance} ${characters}`),
      failed: (utterance) => note(`failed ${utterance}`),
    },
  );
  player.onReport = (utterance, samples) => output.played(utterance, samples);
  const say = (utterance: number, text: string, isLast: boolean) =>
    output.say(utterance, { text, length: text.length }, isLast);
  return { clock, voice, callVoice, player, output, log, heard, remaining, silences, recorded, say };
}

const long = 'This sentence has exactly eighty characters, which take the voice four seconds. ';

describe('Spoken output', () => {
  it('plays the sentences of an utterance in one stream, and reports what was heard', () => {
    const { clock, voice, log, heard, remaining, say } = setUp();
    say(1, 'One two three. ', false);
    say(1, 'Four five six.', true);
    clock.advance(10_000);
    assert.deepEqual(log, ['100 sent 1', '200 started 1 100 ms ago', '1550 done 1']);
    assert.equal(voice.requests.length, 1);
    assert.deepEqual(voice.requests[0]?.texts, ['One two three. ', 'Four five six.']);
    assert.equal(heard.at(-1), 29);
    assert.equal(remaining[0], 1350);
    assert.equal(remaining.at(-1), 0);
    assert.deepEqual(
      heard,
      [...heard].sort((one, other) => one - other),
    );
  });

  it('counts whole words, in proportion to the audio of the sentences', () => {
    const { clock, heard, say } = setUp();
    say(1, 'One two three.', true);
    clock.advance(5000);
    // 14 characters in 700 ms: each report is two characters later.
    assert.deepEqual(heard, [0, 3, 3, 7, 7, 7, 14]);
  });

  it('is at most three seconds ahead of what was played, and sends the rest as it is played', () => {
    const { clock, player, log, say } = setUp();
    say(1, long.repeat(5), true);
    clock.advance(1000);
    assert.equal(player.maxAheadMs, 3000);
    clock.advance(30_000);
    assert.equal(player.maxAheadMs, 3000);
    assert.equal(player.heard(1).length, 5 * 80 * 50 * 16);
    assert.equal(log.at(-1), '20100 done 1');
  });

  it('is never done if the caller’s side plays nothing', () => {
    const { clock, player, log, say } = setUp();
    player.isStuck = true;
    say(1, 'One two three.', true);
    clock.advance(60_000);
    assert.deepEqual(log, ['100 sent 1']);
  });

  it('has the volume of the agent, and records what was played sample by sample', () => {
    const levels = [1, 0.5, 0].map((volume) => {
      const { clock, player, recorded, say } = setUp({ volume });
      say(1, 'One two three.', true);
      clock.advance(5000);
      const samples = player.heard(1);
      assert.deepEqual(Int16Array.from(recorded.flatMap((part) => [...part])), samples);
      return level(samples);
    });
    assert.ok(Math.abs((levels[0] as number) - 0.4 / Math.SQRT2) < 0.001);
    assert.ok(Math.abs((levels[1] as number) / (levels[0] as number) - 0.5) < 0.001);
    assert.equal(levels[2], 0);
  });

  it('pauses and goes on at the same sample', () => {
    const { clock, player, output, log, say } = setUp();
    say(1, 'One two three.', true);
    clock.advance(350);
    output.pause(1);
    clock.advance(5000);
    assert.equal(log.length, 2);
    output.resume(1);
    clock.advance(5000);
    assert.deepEqual(player.frames, ['speech 1', 'pause 1', 'resume 1']);
    assert.equal(player.heard(1).length, 700 * 16);
    assert.equal(log.at(-1), '5800 done 1');
  });

  it('goes on with what was not played on a line that can only clear', () => {
    const { clock, player, output, log, recorded, say } = setUp({ canPause: false });
    say(1, 'One two three.', true);
    clock.advance(350);
    output.pause(1);
    clock.advance(5000);
    output.resume(1);
    clock.advance(5000);
    const [, , again = ''] = player.frames;
    assert.deepEqual(player.frames, ['speech 1', 'clear 1', again]);
    assert.match(again, /^speech 1 from [1-9]\d*$/);
    const straight = setUp();
    straight.say(1, 'One two three.', true);
    straight.clock.advance(5000);
    assert.deepEqual(player.heard(1), straight.player.heard(1));
    assert.deepEqual(Int16Array.from(recorded.flatMap((part) => [...part])), player.heard(1));
    assert.match(log.at(-1) ?? '', /done 1$/);
  });

  it('goes on with the word that was cut off on a line that can only clear, if the voice knows its words', () => {
    const { clock, player, output, log, heard, recorded, say } = setUp({ canPause: false, tts: new WordVoice(250) });
    say(1, 'One two three four.', true);
    clock.advance(650);
    output.pause(1);
    clock.advance(3000);
    output.resume(1);
    clock.advance(5000);
    // The third word starts after 500 ms, and was cut off 130 to 150 ms later.
    assert.deepEqual(player.frames, ['speech 1', 'clear 1', `speech 1 from ${500 * 16}`]);
    assert.deepEqual(
      log.map((entry) => entry.replace(/^\d+ /, '')),
      ['sent 1', 'started 1 100 ms ago', 'done 1'],
    );
    assert.deepEqual(
      heard,
      [...heard].sort((one, other) => one - other),
      'what was heard stays heard',
    );
    const ms = (samples: number) => samples / 16;
    const recordedMs = ms(recorded.reduce((sum, { length }) => sum + length, 0));
    assert.ok(recordedMs > 1100 && recordedMs <= 1150, `the recording has what was heard twice: ${recordedMs}`);
  });

  it('repeats at most 400 ms after a pause, and starts once, even from its first sample', () => {
    for (const [wordMs, pausedMs, fromMs] of [
      [1000, 950, [500, 550]],
      [300, 250, [0, 0]],
    ] as const) {
      const { clock, player, output, log, say } = setUp({ canPause: false, tts: new WordVoice(wordMs) });
      say(1, 'One two.', true);
      clock.advance(pausedMs);
      output.pause(1);
      clock.advance(3000);
      output.resume(1);
      clock.advance(5000);
      const [, , again = ''] = player.frames;
      const from = Number(/^speech 1(?: from (\d+))?$/.exec(again)?.[1] ?? 0) / 16;
      assert.ok(from >= fromMs[0] && from <= fromMs[1], `paused after ${pausedMs} ms, goes on from ${from}`);
      assert.equal(log.filter((entry) => entry.includes('started')).length, 1);
      assert.match(log.at(-1) ?? '', /done 1$/);
    }
  });

  it('sends nothing while it is paused before its first sample', () => {
    const { clock, player, output, log, say } = setUp();
    say(1, 'One two three.', true);
    output.pause(1);
    clock.advance(1000);
    assert.deepEqual(player.frames, []);
    output.resume(1);
    assert.deepEqual(player.frames, ['speech 1']);
    assert.deepEqual(log, ['1000 sent 1']);
  });

  it('knows what was heard with the first report after it was cleared, and stops the voice', () => {
    const { clock, voice, player, output, log, recorded, say } = setUp();
    say(2, 'A voice that has more to say. ', false);
    output.clear(2);
    assert.equal(voice.canceled, 1);
    log.length = 0;
    say(1, 'One two three. ', true);
    clock.advance(450);
    output.clear(1);
    clock.advance(29);
    assert.equal(log.length, 2);
    clock.advance(1);
    // 350 ms were played: seven characters.
    assert.equal(log.at(-1), '480 cleared 1 7');
    assert.deepEqual(player.frames, ['speech 1', 'clear 1']);
    assert.equal(
      recorded.reduce((sum, { length }) => sum + length, 0),
      350 * 16,
    );
    output.played(1, 999_999);
    assert.equal(log.length, 3);
  });

  it('counts a report after it was cleared that has nothing new', () => {
    const { clock, player, output, log, say } = setUp();
    say(1, 'One two three. ', true);
    clock.advance(300);
    player.pause?.(1);
    clock.advance(500);
    output.clear(1);
    clock.advance(30);
    assert.equal(log.at(-1), '830 cleared 1 3');
  });

  it('waits 250 ms for a report that does not come', () => {
    const { clock, player, output, log, say } = setUp();
    say(1, 'One two three. ', true);
    clock.advance(450);
    player.onReport = () => {};
    output.clear(1);
    clock.advance(249);
    assert.equal(log.length, 2);
    clock.advance(1);
    // 300 ms were reported.
    assert.equal(log.at(-1), '700 cleared 1 3');
    output.played(1, 999_999);
    assert.equal(log.length, 3);
  });

  it('is cleared at once if nothing was sent', () => {
    const { clock, player, output, log, say } = setUp();
    say(1, 'One two three.', true);
    output.clear(1);
    clock.advance(1000);
    assert.deepEqual(log, ['0 cleared 1 0']);
    assert.deepEqual(player.frames, []);
  });

  it('has an utterance of which nothing can be spoken behind it at once', () => {
    const { log, output } = setUp();
    output.say(1, { text: '', length: 2 }, true);
    assert.deepEqual(log, ['0 sent 1', '0 started 1 0 ms ago', '0 done 1']);
  });

  it('counts what is not spoken as heard with what was said before it', () => {
    const { clock, heard, log, output } = setUp();
    output.say(1, { text: 'One two.', length: 8 }, false);
    output.say(1, { text: '', length: 3 }, false);
    output.say(1, { text: '', length: 0 }, true);
    clock.advance(5000);
    assert.equal(heard.at(-1), 11);
    assert.equal(log.at(-1), '500 done 1');
  });

  it('counts in the transcript where the spoken text differs from it', () => {
    const { clock, heard, output } = setUp();
    output.say(1, { text: 'sequel', length: 3 }, false);
    output.say(1, { text: ' is here', length: 8 }, true);
    clock.advance(5000);
    assert.equal(heard.at(-1), 11);
    assert.ok(heard.every((characters) => [0, 3, 6, 11].includes(characters)));
  });

  it('takes no report for an utterance that it does not know', () => {
    const { output, log } = setUp();
    output.played(7, 100);
    output.clear(7);
    output.pause(7);
    assert.deepEqual(log, []);
  });
});

describe('A voice that fails', () => {
  it('is replaced by the next one, which says the same and stays', () => {
    const { clock, voice, log, say } = setUp();
    voice.behavior.set('a', 'fails');
    say(1, 'One two. ', false);
    say(1, 'Three.', true);
    clock.advance(5000);
    assert.deepEqual(log, ['100 switched a b', '200 sent 1', '300 started 1 100 ms ago', '950 done 1']);
    assert.deepEqual(
      voice.requests.map(({ voiceId, texts }) => [voiceId, texts.join('')]),
      [
        ['a', 'One two. Three.'],
        ['b', 'One two. Three.'],
      ],
    );
    say(2, 'Four.', true);
    assert.equal(voice.requests.at(-1)?.voiceId, 'b');
  });

  it('is given up after three seconds without audio', () => {
    const { clock, voice, log, say } = setUp();
    voice.behavior.set('a', 'is silent');
    say(1, 'One two.', true);
    clock.advance(5000);
    assert.deepEqual(log, ['3000 switched a b', '3100 sent 1', '3200 started 1 100 ms ago', '3500 done 1']);
    assert.equal(voice.canceled, 1);
  });

  it('is waited for longer if it is the last', () => {
    const { clock, voice, log, say } = setUp();
    for (const id of ['a', 'b', 'c']) voice.behavior.set(id, 'is silent');
    say(1, 'One two.', true);
    clock.advance(15_999);
    assert.deepEqual(log, ['3000 switched a b', '6000 switched b c']);
    clock.advance(1);
    assert.equal(log.at(-1), '16000 failed 1');
  });

  it('is replaced if it says that it is done and sent nothing', () => {
    const { clock, voice, log, say } = setUp();
    voice.behavior.set('a', 'has nothing to say');
    say(1, 'One two.', true);
    clock.advance(5000);
    assert.equal(log[0], '100 switched a b');
    assert.equal(log.at(-1), '600 done 1');
  });

  it('is replaced if it sends more audio than the text can take', () => {
    const { clock, voice, callVoice, log, say } = setUp();
    voice.behavior.set('a', 'never ends');
    say(1, 'One two.', true);
    clock.advance(100);
    assert.equal(voice.canceled, 1);
    assert.deepEqual(log, ['100 sent 1', '100 switched a b']);
    assert.equal(callVoice.failure, 'the voice sent more audio than the text can take');
    clock.advance(60_000);
    assert.match(log.at(-1) ?? '', /done 1$/);
  });

  it('in the middle of an utterance is replaced from the sentence that was cut off', () => {
    const { clock, voice, log, player, say } = setUp();
    say(1, 'One two three. ', false);
    clock.advance(200);
    voice.behavior.set('a', 'fails halfway');
    say(2, 'Four five six. ', false);
    clock.advance(400);
    assert.deepEqual(voice.requests.at(-1)?.texts, ['Four five six. ']);
    assert.equal(voice.requests.at(-1)?.voiceId, 'b');
    assert.ok(log.includes('300 switched a b'));
    say(2, 'Seven.', true);
    clock.advance(5000);
    // Half of the sentence was sent before, and cannot be taken back.
    assert.equal(player.heard(2).length, (375 + 750 + 300) * 16);
    assert.ok(log.includes('1725 done 2'));
  });

  it('is replaced if it stops in the middle, three seconds after all of it was heard', () => {
    const { clock, voice, callVoice, log, player, say } = setUp();
    voice.behavior.set('a', 'stops halfway');
    say(1, 'One two three.', true);
    clock.advance(10_000);
    assert.deepEqual(log.slice(0, 3), ['100 sent 1', '200 started 1 100 ms ago', '3450 switched a b']);
    assert.match(log.at(-1) ?? '', /done 1$/);
    assert.equal(player.heard(1).length, (350 + 700) * 16);
    assert.equal(voice.canceled, 1);
    assert.equal(callVoice.failure, 'the voice stopped before the end of what it had to say');
  });

  it('may be silent while more text can follow, and has to go on from then on', () => {
    const { clock, voice, log, say } = setUp();
    voice.behavior.set('a', 'stops halfway');
    say(1, 'One two three.', false);
    clock.advance(60_000);
    assert.equal(
      log.some((entry) => entry.includes('switched')),
      false,
    );
    say(1, '', true);
    clock.advance(10_000);
    assert.ok(log.includes('63000 switched a b'));
    assert.match(log.at(-1) ?? '', /done 1$/);
  });

  it('says it once more if it stops in the middle and is the last, and then no more', () => {
    const { clock, voice, log, player, say } = setUp();
    for (const id of ['a', 'b', 'c']) voice.behavior.set(id, 'stops halfway');
    say(1, 'One two three.', true);
    clock.advance(60_000);
    assert.deepEqual(
      voice.requests.map(({ voiceId }) => voiceId),
      ['a', 'b', 'c', 'c'],
    );
    assert.equal(player.heard(1).length, 4 * 350 * 16);
    assert.equal(
      log.some((entry) => /failed|done/.test(entry)),
      false,
    );
  });

  it('has not failed if it has no words for the text', () => {
    const { clock, voice, log, say } = setUp();
    voice.behavior.set('a', 'has nothing to say');
    voice.mayBeSilent = true;
    say(1, 'こんにちは。', true);
    clock.advance(5000);
    assert.deepEqual(log, ['100 sent 1', '100 started 1 0 ms ago', '100 done 1']);
  });

  it('fails the utterance if no voice is left and the last one fails twice, once', () => {
    const { clock, voice, callVoice, log, say } = setUp();
    for (const id of ['a', 'b', 'c']) voice.behavior.set(id, 'fails');
    say(1, 'One two. ', false);
    say(1, 'Three.', true);
    clock.advance(20_000);
    assert.deepEqual(log, ['100 switched a b', '200 switched b c', '400 failed 1']);
    assert.equal(callVoice.failure, 'HTTP 500 of the voice');
  });
});

describe('Speech that is the same in every call', () => {
  const fixedSentences = new Set(['Welcome to the salon.']);

  it('is said by the voice once, and sent at once from then on, also while the provider is down', () => {
    const cache = new SpeechCache();
    const first = setUp({ cache, settings: { fixedSentences } });
    first.say(1, 'Welcome to the salon. ', true);
    first.clock.advance(5000);
    assert.equal(first.voice.requests.length, 1);
    const second = setUp({ cache, settings: { fixedSentences } });
    for (const id of ['a', 'b', 'c']) second.voice.behavior.set(id, 'fails');
    second.say(1, 'Welcome to the salon.', true);
    assert.deepEqual(second.log, ['0 sent 1']);
    second.clock.advance(5000);
    assert.deepEqual(second.player.heard(1), first.player.heard(1));
    assert.equal(second.voice.requests.length, 0);
    assert.equal(second.log.at(-1), '1100 done 1');
    assert.equal(second.callVoice.usage[0]?.characters, 21);
  });

  it('comes in order between sentences that are not', () => {
    const cache = new SpeechCache();
    const setup = setUp({ cache, settings: { fixedSentences } });
    for (const utterance of [1, 2]) {
      setup.say(utterance, 'Hello Ann. ', false);
      setup.say(utterance, 'Welcome to the salon. ', false);
      setup.say(utterance, 'How are you?', true);
      setup.clock.advance(10_000);
      assert.equal(setup.heard.at(-1), 45);
      assert.equal(setup.player.heard(utterance).length, 45 * 50 * 16);
    }
    assert.deepEqual(
      setup.voice.requests.map(({ texts }) => texts.join('')),
      ['Hello Ann. ', 'Welcome to the salon. ', 'How are you?', 'Hello Ann. ', 'How are you?'],
    );
  });

  it('is another speech at another speed, and with another voice', () => {
    const cache = new SpeechCache();
    let speed = 1;
    const setup = setUp({ cache, settings: { fixedSentences, speed: () => speed } });
    setup.say(1, 'Welcome to the salon.', true);
    setup.clock.advance(5000);
    speed = 1.5;
    setup.say(2, 'Welcome to the salon.', true);
    setup.clock.advance(5000);
    assert.deepEqual(
      setup.voice.requests.map((request) => request.speed),
      [1, 1.5],
    );
    assert.ok(setup.player.heard(2).length < setup.player.heard(1).length);
  });

  it('is bounded in bytes', () => {
    const cache = new SpeechCache(40_000);
    const options = {
      voiceId: 'a',
      model: null,
      speed: 1,
      emotion: null,
      temperature: 1,
      language: 'en',
      rate: 16_000,
    };
    const speech = { samples: new Int16Array(15_000), marks: [] };
    const tone = { name: 'tone' };
    cache.set(tone, options, 'one', speech);
    cache.set(tone, options, 'two', speech);
    assert.equal(cache.get(tone, options, 'one'), undefined);
    assert.equal(cache.get(tone, options, 'two'), speech);
  });

  it('is kept for the account that has paid for it', () => {
    const cache = new SpeechCache();
    const options = {
      voiceId: 'a',
      model: null,
      speed: 1,
      emotion: null,
      temperature: 1,
      language: 'en',
      rate: 16_000,
    };
    const speech = { samples: new Int16Array(1), marks: [] };
    cache.set({ name: 'tone', accountId: 'one' }, options, 'hello', speech);
    assert.equal(cache.get({ name: 'tone', accountId: 'one' }, options, 'hello'), speech);
    for (const other of [{ name: 'tone', accountId: 'two' }, { name: 'tone' }, { name: 'tone one' }]) {
      assert.equal(cache.get(other, options, 'hello'), undefined);
    }
  });
});

describe('Silence before the first word', () => {
  const sound = (ms: number) => new Int16Array(ms * 16).fill(2000);
  const silence = (ms: number) => new Int16Array(ms * 16).fill(1);
  /** Says the words “One two”, with these pieces of audio, after 225 ms of silence. */
  const voiceWith = (send: (audio: (samples: Int16Array) => void, next: (run: () => void) => void) => void) => {
    const runs: (() => void)[] = [];
    const tts: Tts = {
      name: 'silent',
      mayBeSilent: false,
      notApplied: () => [],
      open: (_options, events) => ({
        say: (_text, isLast) => {
          events.mark?.(4, (225 + 300) * 16);
          send(events.audio, (run) => runs.push(run));
          events.mark?.(8, (225 + 600) * 16);
          runs.push(() => isLast && events.done());
        },
        cancel: () => {},
      }),
    };
    return { tts, goOn: () => runs.shift()?.() };
  };

  it('is left out up to 20 ms before the sound, with what is said where', () => {
    const { tts, goOn } = voiceWith((audio) => audio(Int16Array.of(...silence(225), ...sound(600))));
    const { clock, output, player, silences, say } = setUp({ tts });
    say(1, 'One two.', true);
    goOn();
    clock.advance(5000);
    assert.equal(player.heard(1).length, (20 + 600) * 16);
    assert.deepEqual(silences, [20]);
    const words = output.takeWords(1, 8).map(({ startMs, endMs }) => [startMs, endMs]);
    assert.deepEqual(words, [
      [0, 320],
      [320, 620],
    ]);
  });

  it('counts as waiting if it was sent before the sound came', () => {
    const { tts, goOn } = voiceWith((audio, next) => {
      audio(silence(225));
      next(() => audio(Int16Array.of(...silence(50), ...sound(550))));
    });
    const { clock, player, silences, say } = setUp({ tts });
    say(1, 'One two.', true);
    clock.advance(100);
    assert.deepEqual(silences, []);
    goOn();
    goOn();
    clock.advance(5000);
    assert.equal(player.heard(1).length, (225 + 50 + 550) * 16);
    assert.deepEqual(silences, [275]);
  });
});

describe('A connection that is gone', () => {
  it('takes the audio with it, and reports what was heard when the utterance is cleared', () => {
    const { clock, player, output, log, say } = setUp();
    say(1, long, true);
    clock.advance(1200);
    output.detach();
    player.drop();
    clock.advance(5000);
    output.attach(player);
    output.clear(1);
    assert.equal(log.at(-1), '6200 cleared 1 17');
    assert.deepEqual(player.frames, ['speech 1']);
    say(2, long, true);
    clock.advance(10_000);
    assert.equal(log.at(-1), '10300 done 2');
  });

  it('stops the voice', () => {
    const { voice, output, clock, player, say } = setUp();
    say(1, long, false);
    output.detach();
    assert.equal(voice.canceled, 1);
    clock.advance(10_000);
    assert.deepEqual(player.frames, []);
  });
});
