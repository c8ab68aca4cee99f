import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { findSpeechPackages, type SpeechPackages } from '../../../src/voice/providers/embedded/packages.ts';
import { createSpeechProviders, type SpeechOptions } from '../../../src/voice/providers/registry.ts';
import type { SpeechProvider } from '../../../src/voice/providers/speech-provider.ts';
import type { Stt, Tts, TtsOptions } from '../../../src/voice/speech-ports.ts';

const none: SpeechPackages = { runtime: null, detection: null, english: null, flite: null };
const all: SpeechPackages = {
  runtime: '/r.js',
  detection: '/d.onnx',
  english: { encoder: '/e.onnx', decoder: '/d.onnx', vocabulary: '/v.js' },
  flite: '/f.wasm',
};
const create = (options: Partial<SpeechOptions> = {}) =>
  createSpeechProviders({ models: '/nowhere', programPath: '', isPreloaded: false, packages: all, ...options });

function provider(name: string, language: string, fields: Partial<SpeechProvider> = {}): SpeechProvider {
  const stt = { name } as Stt;
  return {
    name,
    configured: true,
    capabilities: ['stt'],
    languages: [language],
    automatic: true,
    stt: (asked) => (asked === language ? stt : null),
    ...fields,
  };
}

suite('the registry of speech providers', () => {
  test('auto prefers configured providers to the embedded one, in order, and skips those without the language', () => {
    const speech = create({
      others: [
        provider('closed', 'en', { configured: false }),
        provider('french', 'fr'),
        provider('first', 'en'),
        provider('second', 'en'),
        provider('double', 'de', { automatic: false }),
      ],
    });
    assert.equal(speech.stt('auto', 'en')?.name, 'first');
    assert.equal(speech.stt('auto', 'fr')?.name, 'french');
    assert.equal(speech.stt('auto', 'en-US')?.name, 'embedded');
    assert.equal(speech.stt('auto', 'de'), null);
    assert.equal(speech.stt('double', 'de')?.name, 'double');
    assert.equal(speech.stt('closed', 'en'), null);
    assert.equal(speech.stt('second', 'en')?.name, 'second');
    assert.equal(speech.stt('unknown', 'en'), null);
  });

  test('lists a provider twice that hears other languages than it speaks', async () => {
    const tts = { name: 'both' } as Tts;
    const fields = { capabilities: ['stt', 'tts'] as const, languages: ['en', 'ja'] };
    const speech = create({
      others: [
        provider('both', 'en', { ...fields, tts: () => tts }),
        provider('any', 'en', { ...fields, languages: [], tts: () => tts }),
      ],
    });
    assert.deepEqual((await speech.list()).slice(0, 4), [
      { name: 'both', configured: true, capabilities: ['stt'], languages: ['en'], automatic: true },
      { name: 'both', configured: true, capabilities: ['tts'], languages: ['en', 'ja'], automatic: true },
      { name: 'any', configured: true, capabilities: ['stt', 'tts'], languages: [], automatic: true },
      { name: 'embedded', configured: true, capabilities: ['stt', 'tts'], languages: ['en'], automatic: true },
    ]);
  });

  test('knows whether a provider is configured for a capability, whatever the language', () => {
    const speech = create({ others: [provider('first', 'en'), provider('closed', 'en', { configured: false })] });
    const isConfigured = (['stt', 'tts'] as const).flatMap((capability) =>
      ['first', 'closed', 'embedded', 'browser', 'unknown', 'auto'].filter((name) =>
        speech.isConfigured(capability, name),
      ),
    );
    assert.deepEqual(isConfigured, ['first', 'embedded', 'browser', 'embedded']);
  });

  test('names what replaces a recognizer that has failed', () => {
    const speech = create({ others: [provider('first', 'en'), provider('french', 'fr'), provider('second', 'en')] });
    assert.equal(speech.sttAfter?.('first', 'en')?.name, 'second');
    assert.equal(speech.sttAfter?.('second', 'en')?.name, 'embedded');
    assert.equal(speech.sttAfter?.('embedded', 'en'), null);
  });

  test('the browser recognizes, and test speech is used, only if they are asked for', () => {
    const speech = create({ packages: none });
    assert.equal(speech.stt('auto', 'ja-JP'), null);
    assert.equal(speech.tts('auto', 'ja-JP'), null);
    assert.equal(speech.isConfigured('stt', 'browser'), true);
    assert.deepEqual([speech.stt('test', 'ja-JP')?.name, speech.tts('test', 'ja-JP')?.name], ['test', 'test']);
  });

  test('closes all providers', async () => {
    const closed: string[] = [];
    const close = (name: string) => async () => void closed.push(name);
    await create({
      others: [provider('a', 'en', { close: close('a') }), provider('b', 'en', { close: close('b') })],
    }).close();
    assert.deepEqual(closed, ['a', 'b']);
  });
});

suite('embedded speech that is not installed', () => {
  test('is reported with the command that adds it, and any sound counts as speech', async () => {
    const speech = create({ packages: none });
    const [embedded] = await speech.list();
    assert.deepEqual(embedded, {
      name: 'embedded',
      configured: false,
      capabilities: ['stt', 'tts'],
      languages: [],
      automatic: true,
    });
    assert.deepEqual(
      speech.missing().map(({ capability, command }) => `${capability}: ${command}`),
      [
        'speech detection: npm ci --include=optional',
        'recognition of English: npm ci --include=optional',
        'English voices: npm ci --include=optional',
        'a Japanese voice: voice-agents speech add ja',
      ],
    );
    assert.equal(speech.stt('embedded', 'en'), null);
    assert.equal(speech.tts('auto', 'en'), null);
    assert.deepEqual(await speech.voices(null, null), []);
    assert.equal(speech.detector().name, 'level');
    await speech.close();
  });

  test('a package that is not there is not found', () => {
    assert.deepEqual(findSpeechPackages('file:///nowhere/file.js'), none);
  });

  test('Japanese is not recognized without a model', () => {
    assert.equal(create().stt('auto', 'ja-JP'), null);
    assert.equal(create().tts('auto', 'ja-JP'), null);
  });
});

suite('what is placed in SPEECH_MODELS', () => {
  const models = mkdtempSync(join(tmpdir(), 'voice-agents-models-'));
  after(() => rmSync(models, { recursive: true }));
  const place = (...path: string[]): void => {
    mkdirSync(join(models, ...path.slice(0, -1)), { recursive: true });
    writeFileSync(join(models, ...path), '', { mode: 0o755 });
  };

  test('is ignored if it cannot be read', () => {
    place('a file');
    place('reazonspeech: a file');
    mkdirSync(join(models, 'sense-voice: empty'));
    symlinkSync('nowhere', join(models, 'sense-voice: away'));
    for (const folder of [models, join(models, 'a file')]) {
      const { stt, missing } = create({ models: folder });
      assert.equal(stt('auto', 'ja'), null);
      assert.ok(missing().some(({ capability }) => capability === 'a Japanese voice'));
    }
  });

  test('a model for Japanese is used for Japanese', () => {
    place('sherpa-onnx-sense-voice-ja', 'model.int8.onnx');
    assert.equal(create({ models }).stt('auto', 'ja-JP'), null, 'its tokens are missing');
    place('sherpa-onnx-sense-voice-ja', 'tokens.txt');
    assert.equal(create({ models }).stt('auto', 'ja-JP')?.name, 'embedded');
  });

  test('the Japanese voice needs a program, a dictionary and a voice', async () => {
    place('bin', 'open_jtalk');
    place('open-jtalk-dictionary', 'sys.dic');
    const programPath = `/nowhere:${join(models, 'bin')}`;
    place('mei', 'mei_happy.htsvoice');
    assert.equal(create({ models, programPath }).tts('auto', 'ja'), null, 'the neutral one is missing');
    place('mei', 'mei_normal.htsvoice');
    assert.equal(create({ models }).tts('auto', 'ja'), null, 'the program is not on the path');
    const speech = create({ models, programPath });
    assert.deepEqual(speech.missing(), []);
    assert.deepEqual(await speech.voices('embedded', 'ja-JP'), [
      { provider: 'embedded', voiceId: 'mei', name: 'Mei, Japanese, female', languages: ['ja'] },
    ]);
  });

  test('a voice reports which settings it cannot apply', () => {
    const tts = create({ models, programPath: join(models, 'bin') }).tts('auto', 'ja');
    const plain = { model: null, speed: 1, emotion: null, temperature: 1, rate: 16_000 };
    const notApplied = (fields: Partial<TtsOptions>) =>
      tts
        ?.notApplied({ ...plain, voiceId: 'mei', language: 'ja', ...fields })
        .map(({ field, reason }) => `${field} ${reason}`);
    assert.deepEqual(notApplied({}), []);
    assert.deepEqual(notApplied({ emotion: 'happy' }), []);
    assert.deepEqual(notApplied({ emotion: 'calm' }), []);
    assert.deepEqual(notApplied({ emotion: 'angry' }), ['voiceEmotion not_supported'], 'its file is missing');
    assert.deepEqual(notApplied({ emotion: 'fearful' }), ['voiceEmotion not_supported']);
    assert.deepEqual(notApplied({ voiceId: 'slt' }), ['voiceId not_supported'], 'it speaks English');
    assert.deepEqual(notApplied({ voiceId: 'slt', language: 'en-GB' }), []);
    assert.deepEqual(notApplied({ voiceId: 'kal', language: 'en', emotion: 'happy', model: 'v2', temperature: 0.3 }), [
      'voiceModel not_supported',
      'voiceEmotion not_supported',
      'voiceTemperature not_supported',
    ]);
    assert.deepEqual(notApplied({ speed: 2.5 }), ['voiceSpeed clamped']);
  });
});
