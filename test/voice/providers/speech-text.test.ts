import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedSpeechText } from '../../../src/voice/providers/embedded/speech-text.ts';
import type { ProviderInfo } from '../../../src/voice/speech-ports.ts';

describe('the log line about speech', () => {
  const embedded = (capabilities: ProviderInfo['capabilities'], languages: string[], configured = true) => ({
    name: 'embedded',
    configured,
    capabilities,
    languages,
    automatic: true,
  });
  const other = {
    name: 'deepgram',
    configured: true,
    capabilities: ['stt' as const],
    languages: ['fr'],
    automatic: true,
  };

  it('names the languages that are recognized and those that are spoken, which may differ', () => {
    assert.equal(
      embeddedSpeechText([other, embedded(['stt', 'tts'], ['en'])]),
      'embedded speech recognizes English and speaks English',
    );
    assert.equal(
      embeddedSpeechText([embedded(['stt'], ['en']), embedded(['tts'], ['en', 'ja']), other]),
      'embedded speech recognizes English and speaks English and Japanese',
    );
    assert.equal(embeddedSpeechText([embedded(['tts'], ['ja'])]), 'embedded speech speaks Japanese');
  });

  it('says if there is none', () => {
    const text = 'embedded speech is not installed';
    assert.equal(embeddedSpeechText([embedded(['stt', 'tts'], [], false), other]), text);
    assert.equal(embeddedSpeechText([]), text);
  });
});
