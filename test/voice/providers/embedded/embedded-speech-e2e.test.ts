import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { findSpeechPackages } from '../../../../src/voice/providers/embedded/packages.ts';
import { createSpeechProviders } from '../../../../src/voice/providers/registry.ts';
import type { SpeechProviders } from '../../../../src/voice/speech-ports.ts';
import { detect, hear, joined, peak, rms, say, wordErrorRate } from './support/speech.ts';
import { writeTinyVoice } from './support/tiny-voice.ts';

const packages = findSpeechPackages();
const isInstalled = Object.values(packages).every((file) => file !== null);
const rate = 16_000;
const sentence = 'I would like to book a table for two people tomorrow at seven.';

suite('embedded speech', { skip: isInstalled ? false : 'the optional packages are not installed' }, () => {
  let speech: SpeechProviders;
  let spoken: Int16Array;
  /** With voices of an operator. */
  let added: SpeechProviders;
  const models = mkdtempSync(join(tmpdir(), 'voice-agents-models-'));

  before(async () => {
    // A model for Japanese that is damaged.
    const model = join(models, 'sherpa-onnx-sense-voice');
    mkdirSync(model);
    for (const name of ['model.onnx', 'tokens.txt']) writeFileSync(join(model, name), 'damaged');
    const others = mkdtempSync(join(tmpdir(), 'voice-agents-voices-'));
    writeTinyVoice(join(others, 'vits-tiny-en'));
    writeTinyVoice(join(others, 'vits-broken-de'));
    writeFileSync(join(others, 'vits-broken-de', 'model.onnx'), 'damaged');
    added = createSpeechProviders({ models: others, programPath: '', isPreloaded: false });
    const options = { models, programPath: '', isPreloaded: true };
    await new Promise<void>((resolve) => {
      speech = createSpeechProviders({ ...options, onPreloaded: resolve });
    });
    spoken = await say(speech, [sentence]);
  });
  after(async () => {
    await speech.close();
    await added.close();
    rmSync(models, { recursive: true });
  });

  test('the voices differ, are about as loud as each other, and are neither silent nor cut off', async () => {
    const voices = await speech.voices('embedded', 'en-GB');
    assert.deepEqual(
      voices.map(({ voiceId }) => voiceId),
      ['slt', 'rms', 'awb', 'kal'],
    );
    const audio = await Promise.all(voices.map(({ voiceId }) => say(speech, [sentence], { voiceId })));
    for (const samples of audio) {
      assert.ok(rms(samples) > 2000 && rms(samples) < 6000, `level ${rms(samples)}`);
      assert.ok(peak(samples) < 32_767);
      assert.ok(samples.length > 2.5 * rate && samples.length < 5 * rate);
    }
    assert.equal(new Set(audio.map((samples) => samples.length)).size, 4);
  });

  test('a voice that was added is the default of its language, at any rate and speed', async () => {
    const voices = await added.voices('embedded', 'en');
    assert.deepEqual(
      voices.map(({ voiceId }) => voiceId),
      ['vits-tiny-en', 'slt', 'rms', 'awb', 'kal'],
    );
    // A tenth of a second for each character.
    const samples = await say(added, ['hello there'], { voiceId: 'nobody' });
    assert.equal(samples.length, 17_600);
    assert.ok(peak(samples) > 9000 && peak(samples) < 10_500, `${peak(samples)}`);
    const fast = await say(added, ['hello there'], { voiceId: 'vits-tiny-en', speed: 2, rate: 48_000 });
    assert.equal(fast.length, 26_400);
    assert.ok((await say(added, ['hello there'], { voiceId: 'slt' })).length > 0);
    // The runtime has no sound for them, which must not end the process.
    const mixed = await say(added, ['ありがとう', '…', 'hello there'], { voiceId: 'vits-tiny-en' });
    assert.equal(mixed.length, 17_600);
    const notApplied = added.tts('embedded', 'en')?.notApplied?.({
      voiceId: 'nobody',
      model: null,
      speed: 1,
      emotion: null,
      temperature: null,
      language: 'en',
      rate,
    });
    assert.deepEqual(notApplied, [{ field: 'voiceId', reason: 'not_supported', used: 'vits-tiny-en' }]);
  });

  test('a damaged voice fails, and the others go on', async () => {
    for (const _ of [1, 2]) {
      await assert.rejects(say(added, ['Guten Tag.'], { language: 'de' }), /vits-broken-de cannot be loaded/);
    }
    assert.ok((await say(added, ['hello'], { voiceId: 'vits-tiny-en' })).length > 0);
  });

  test('the speed is that of the option', async () => {
    for (const speed of [0.5, 2]) {
      const ratio = (await say(speech, [sentence], { speed })).length / spoken.length;
      assert.ok(Math.abs(ratio * speed - 1) < 0.03, `at ${speed} it takes ${ratio} of the time`);
    }
  });

  test('speaks at the rate that is wanted', async () => {
    for (const wanted of [8000, 24_000, 48_000]) {
      const samples = await say(speech, [sentence], { rate: wanted });
      assert.equal(samples.length, Math.round((spoken.length * wanted) / rate));
    }
  });

  test('says sentences in order, and nothing for text without words', async () => {
    const both = await say(speech, ['One moment, please.', '…', sentence]);
    const first = await say(speech, ['One moment, please.']);
    assert.deepEqual(both, joined([first, spoken]));
    assert.equal((await say(speech, ['。'])).length, 0);
  });

  test('says nothing after it was canceled', async () => {
    const events: string[] = [];
    const report = (name: string) => () => void events.push(name);
    const options = { voiceId: 'slt', model: null, speed: 1, emotion: null, temperature: null, language: 'en', rate };
    const stream = speech
      .tts('auto', 'en')
      ?.open(options, { audio: report('audio'), done: report('done'), failed: report('failed') });
    stream?.say(sentence, true);
    stream?.cancel();
    // The thread works in order, so that it has dropped the first one by then.
    await say(speech, ['Hello.']);
    assert.deepEqual(events, []);
  });

  test('recognizes what the voices say', async () => {
    const sentences = [
      sentence,
      'Could you please tell me when the store opens on Monday morning?',
      'My name is Peter Johnson and I am calling about my order.',
      'The meeting was moved from Tuesday to Friday afternoon.',
    ];
    const rates: number[] = [];
    for (const text of sentences) {
      const { finals } = await hear(speech, await say(speech, [text]));
      rates.push(wordErrorRate(text, finals.join(' ')));
    }
    const mean = rates.reduce((sum, one) => sum + one, 0) / rates.length;
    assert.ok(mean <= 0.1, `word error rate ${mean}`);
  });

  test('hears the first and the last word at another rate, too, and corrects keywords', async () => {
    const audio = await say(speech, [sentence], { rate: 48_000 });
    const { finals } = await hear(speech, audio, { rate: 48_000, keywords: ['tables', 'Seven'], mode: 'accurate' });
    assert.match(finals.join(' '), /^I would like to book a tables for two people .* at Seven\b/);
  });

  test('responds to each flush with the words before it, however late they are recognized', async () => {
    const stt = speech.stt('auto', 'en');
    const finals: string[] = [];
    const endsMs: (number | undefined)[] = [];
    const texts = ['I would like to book a table.', 'My name is Peter Johnson.'];
    const audio = await Promise.all(texts.map((text) => say(speech, [text])));
    await new Promise<void>((resolve, reject) => {
      const stream = stt?.open(
        { language: 'en', rate, keywords: [], mode: 'fast' },
        {
          partial: () => {},
          final: (text, _words, endMs) => {
            finals.push(text);
            endsMs.push(endMs);
            if (finals.length === texts.length) resolve();
          },
          failed: reject,
        },
      );
      for (const samples of audio) {
        stream?.write(samples);
        stream?.write(new Int16Array(rate));
        stream?.flush();
      }
    });
    assert.deepEqual(
      finals.map((text, index) => wordErrorRate(texts[index] as string, text) < 0.2),
      [true, true],
      finals.join(' | '),
    );
    const lengths = audio.map(({ length }) => (length * 1000) / rate + 1000);
    assert.deepEqual(endsMs, [lengths[0], (lengths[0] ?? 0) + (lengths[1] ?? 0)]);
  });

  test('understands a microphone whose noise is raised before the words', async () => {
    let random = 1;
    const noise = Int16Array.from({ length: 0.6 * rate }, () => {
      random = (random * 16_807) % 2_147_483_647;
      return (random % 300) - 150;
    });
    for (const text of ['What time do you open tomorrow?', 'I would like to book a table.']) {
      const { finals } = await hear(speech, joined([noise, await say(speech, [text]), noise]));
      // "To-morrow" counts as two errors.
      assert.ok(wordErrorRate(text, finals.join(' ')) < 0.35, finals.join(' | '));
    }
  });

  test('responds to a flush with an empty final if nothing was said', async () => {
    assert.deepEqual(await hear(speech, new Int16Array(rate)), { partials: [], finals: [] });
  });

  test('reports partials while the caller speaks', async () => {
    const stt = speech.stt('auto', 'en');
    assert.ok(stt?.hasPartials);
    const partials: string[] = [];
    const events = new EventTarget();
    const stream = stt.open(
      { language: 'en', rate, keywords: [], mode: 'fast' },
      {
        partial: (text) => {
          partials.push(text);
          events.dispatchEvent(new Event('partial'));
        },
        final: () => {},
        failed: () => {},
      },
    );
    // Half first: the rest follows when the recognizer has reported it.
    for (const part of [spoken.subarray(0, spoken.length / 2), spoken.subarray(spoken.length / 2)]) {
      const reported = once(events, 'partial');
      stream.write(part);
      await reported;
    }
    stream.close();
    assert.ok(partials.length >= 2);
    assert.match(partials[0] ?? '', /^I would/);
    assert.ok((partials.at(-1) ?? '').length > (partials[0] ?? '').length);
  });

  test('reports a damaged model of the operator, which would end the process, and goes on', async () => {
    const stt = speech.stt('auto', 'ja');
    const options = { language: 'ja', rate, keywords: [], mode: 'fast' } as const;
    const detail = await new Promise((resolve) => {
      stt?.open(options, { partial: () => {}, final: () => {}, failed: resolve });
    });
    assert.equal(detail, 'the model for Japanese cannot be loaded');
    assert.deepEqual((await hear(speech, new Int16Array(rate))).finals, []);
  });

  test('finds where speech begins and ends', async () => {
    for (const at of [16_000, 48_000]) {
      const audio = await say(speech, [sentence], { rate: at });
      const all = joined([new Int16Array(at), audio, new Int16Array(at)]);
      const found = await detect(speech, all, at);
      const isLoud = (sample: number): boolean => Math.abs(sample) > 330;
      const begin = all.findIndex(isLoud);
      const end = all.findLastIndex(isLoud);
      assert.deepEqual([found[0]?.type, found.at(-1)?.type], ['start', 'end']);
      assert.ok(Math.abs((found[0]?.position ?? 0) - begin) < 0.1 * at, 'the beginning');
      assert.ok(Math.abs((found.at(-1)?.position ?? 0) - end) < 0.15 * at, 'the end');
    }
  });

  test('can be closed while models are loaded, which must not be interrupted', async () => {
    const other = createSpeechProviders({ models: '/nowhere', programPath: '', isPreloaded: true });
    // Takes as long as loading, in another thread.
    await say(other, ['Hello.']);
    await other.close();
  });

  test('takes noise for silence', async () => {
    let random = 1;
    const noise = Int16Array.from({ length: 3 * rate }, () => {
      random = (random * 16_807) % 2_147_483_647;
      return (random % 4000) - 2000;
    });
    assert.deepEqual(await detect(speech, joined([noise, new Int16Array(rate)]), rate), []);
  });
});
