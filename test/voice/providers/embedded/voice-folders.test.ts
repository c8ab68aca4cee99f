import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findVoiceModels, readVoiceFolder } from '../../../../src/voice/providers/embedded/voice-folders.ts';

describe('folders of voices for sherpa-onnx', () => {
  const models = mkdtempSync(join(tmpdir(), 'voice-agents-voices-'));
  after(() => rmSync(models, { recursive: true }));

  const put = (name: string, files: readonly string[]): string => {
    const folder = join(models, name);
    mkdirSync(folder, { recursive: true });
    for (const file of files) {
      if (file.endsWith('/')) mkdirSync(join(folder, file));
      else writeFileSync(join(folder, file), '');
    }
    return folder;
  };
  const voiceIn = (folder: string) => {
    const found = readVoiceFolder(folder);
    assert.ok('voice' in found, JSON.stringify(found));
    return found.voice;
  };

  it('are recognized under the names and with the files they are published with', () => {
    const published: [string, string[], string, string[], string[]][] = [
      [
        'vits-piper-en_US-amy-low',
        ['en_US-amy-low.onnx', 'tokens.txt', 'espeak-ng-data/'],
        'vits',
        ['en'],
        ['dataDir', 'model', 'tokens'],
      ],
      [
        'vits-melo-tts-zh_en',
        ['model.onnx', 'tokens.txt', 'lexicon.txt'],
        'vits',
        ['zh', 'en'],
        ['lexicon', 'model', 'tokens'],
      ],
      [
        'matcha-icefall-en_US-ljspeech',
        ['model-steps-3.onnx', 'vocos-22khz-univ.onnx', 'tokens.txt', 'espeak-ng-data/'],
        'matcha',
        ['en'],
        ['acousticModel', 'dataDir', 'tokens', 'vocoder'],
      ],
      [
        'kokoro-en-v0_19',
        ['model.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/'],
        'kokoro',
        ['en'],
        ['dataDir', 'model', 'tokens', 'voices'],
      ],
      [
        'kokoro-multi-lang-v1_0',
        ['model.onnx', 'voices.bin', 'tokens.txt', 'lexicon-us-en.txt', 'lexicon-zh.txt', 'espeak-ng-data/'],
        'kokoro',
        ['en', 'zh'],
        ['dataDir', 'lexicon', 'model', 'tokens', 'voices'],
      ],
      [
        'kitten-nano-en-v0_1-fp16',
        ['model.fp16.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/'],
        'kitten',
        ['en'],
        ['dataDir', 'model', 'tokens', 'voices'],
      ],
    ];
    for (const [name, files, kind, languages, parts] of published) {
      const voice = voiceIn(put(name, files));
      assert.deepEqual([voice.voiceId, voice.kind, voice.languages], [name, kind, languages]);
      assert.deepEqual(Object.keys(voice.config).sort(), parts);
    }
    assert.deepEqual(
      findVoiceModels(models).map(({ voiceId }) => voiceId),
      published.map(([name]) => name).sort(),
    );
  });

  it('have the smaller variant of a model if there are two', () => {
    const folder = put('vits-two-en', ['model.onnx', 'model.int8.onnx', 'tokens.txt']);
    assert.equal(voiceIn(folder).config.model, join(folder, 'model.int8.onnx'));
  });

  it('are left out if they are incomplete or something else', () => {
    put('sherpa-onnx-sense-voice-zh-en-ja', ['model.onnx', 'tokens.txt']);
    put('vits-piper-de_DE-thorsten-low', ['model.onnx', 'tokens.txt']);
    writeFileSync(join(models, 'vits-file-en'), '');
    const found = findVoiceModels(models).map(({ voiceId }) => voiceId);
    for (const name of ['sherpa-onnx-sense-voice-zh-en-ja', 'vits-piper-de_DE-thorsten-low', 'vits-file-en'])
      assert.ok(!found.includes(name), name);
    assert.deepEqual(readVoiceFolder(join(models, 'vits-piper-de_DE-thorsten-low')), {
      problems: ['it has no folder espeak-ng-data'],
    });
    assert.deepEqual(findVoiceModels(join(models, 'nowhere')), []);
  });
});
