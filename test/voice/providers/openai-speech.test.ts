import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOpenAi } from '../../../src/voice/providers/openai/provider.ts';
import { openAiSpeechKey, startOpenAiSpeechDouble } from '../../providers/openai-speech-double.ts';
import { describeRecognizer, describeVoice, heardWords, spoken, spokenAudio } from '../../providers/speech-suite.ts';
import { sttOf, ttsOf, useProvider, words } from '../../providers/use-provider.ts';
import { CallTime } from '../../support/call-time.ts';

describe('OpenAI', () => {
  const modelMap = new Map([['gpt-4o-transcribe', 'large']]);
  const create = (account: { apiKey: string; baseUrl: string }) =>
    createOpenAi({ ...account, modelMap }, new CallTime());
  const parts = useProvider(startOpenAiSpeechDouble, create, openAiSpeechKey);
  describeVoice('OpenAI', () => ({ ...parts, voiceId: 'alloy' }));
  describeRecognizer('OpenAI', () => ({ ...parts, audio: words, words: /^hello there$/ }));

  it('is asked for the voice, the model, the speed and the emotion', async () => {
    const tts = ttsOf(parts.provider);
    await spokenAudio(tts, { voiceId: 'coral', speed: 1.5, emotion: 'calm' }, 'Good morning.');
    assert.deepEqual(parts.double.speech.at(-1), {
      model: 'gpt-4o-mini-tts',
      input: 'Good morning.',
      voice: 'coral',
      response_format: 'pcm',
      speed: 1.5,
      instructions: 'Speak in a tone that is calm.',
    });
    await spokenAudio(tts, { voiceId: 'coral', model: 'tts-1', emotion: 'calm' }, 'Good morning.');
    assert.deepEqual(parts.double.speech.at(-1), {
      model: 'tts-1',
      input: 'Good morning.',
      voice: 'coral',
      response_format: 'pcm',
    });
  });

  it('reports what it does not do; of another server, voices are not known', () => {
    const own = create({ apiKey: 'sk', baseUrl: 'https://api.openai.com/v1' });
    const options = { ...spoken, voiceId: 'nanami', model: 'tts-1', emotion: 'happy', temperature: 0 };
    assert.deepEqual(ttsOf(own).notApplied(options), [
      { field: 'voiceId', reason: 'not_supported', used: 'alloy' },
      { field: 'voiceEmotion', reason: 'not_supported' },
      { field: 'voiceTemperature', reason: 'not_supported' },
    ]);
    assert.deepEqual(ttsOf(parts.provider).notApplied({ ...spoken, voiceId: 'nanami' }), []);
    assert.deepEqual([own.automatic, parts.provider.automatic], [true, false]);
  });

  it('fails if a transcript never ends, before it fills the memory', async () => {
    parts.double.fail('never ends');
    const heard = await heardWords(sttOf(parts.provider), {}, ...words);
    assert.equal(heard.failure, 'openai closed the connection');
    parts.double.fail('none');
  });

  it('gets the language, the keywords, and a model by the mode', async () => {
    const stt = sttOf(parts.provider);
    await heardWords(stt, { language: 'ja-JP', keywords: ['Keratin', 'ブリーチ'] }, ...words);
    const { bytes: _, ...fast } = parts.double.transcriptions.at(-1) ?? {};
    assert.deepEqual(fast, {
      model: 'gpt-4o-mini-transcribe',
      language: 'ja',
      response_format: 'json',
      prompt: 'Keratin, ブリーチ',
    });
    await heardWords(stt, { mode: 'accurate' }, ...words);
    assert.equal(parts.double.transcriptions.at(-1)?.model, 'large');
    assert.equal(stt.hasPartials, false);
  });

  for (const [fault, detail, isFinal] of [
    [{ status: 401 }, 'HTTP 401 of openai', true],
    [{ status: 429, headers: { 'retry-after': '1' } }, 'HTTP 429 of openai', false],
    [{ status: 500 }, 'HTTP 500 of openai', false],
    ['hangs up', 'openai closed the connection', false],
  ] as const) {
    it(`says in words of our own what failed: ${JSON.stringify(fault)}`, async () => {
      parts.double.fail(fault, fault, 'none');
      const recognized = await heardWords(sttOf(parts.provider), {}, ...words);
      assert.deepEqual([recognized.failure, recognized.isFinal], [detail, isFinal]);
      const { failure } = await spokenAudio(ttsOf(parts.provider), { voiceId: 'alloy' }, 'Hello.');
      assert.equal(failure, detail);
    });
  }

  it('fails in the middle of a word', async () => {
    parts.double.fail('closes midway', 'none');
    const { failure, samples } = await spokenAudio(ttsOf(parts.provider), { voiceId: 'alloy' }, 'Hello there.');
    assert.equal(failure, 'openai closed the connection');
    assert.ok(samples.length > 0);
  });
});
