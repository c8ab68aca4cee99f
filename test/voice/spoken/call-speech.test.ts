import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { SpeechProviders } from '../../../src/voice/speech-ports.ts';
import { callSpeech } from '../../../src/voice/spoken/call-speech.ts';
import { SpeechCache } from '../../../src/voice/spoken/speech-cache.ts';
import { ToldDetector, ToldStt, ToneVoice } from './doubles.ts';

const detector = new ToldDetector();
const voice = new ToneVoice(new VirtualClock());
const recognizers = ['first', 'second', 'third'].map((name) => new ToldStt(name));

/** Three recognizers for English, and a voice. */
const providers: SpeechProviders = {
  stt: (name, language) =>
    language === 'en' ? (recognizers.find((each) => name === 'auto' || each.name === name) ?? null) : null,
  sttAfter: (name) => recognizers[recognizers.findIndex((each) => each.name === name) + 1] ?? null,
  tts: (name, language) => (language === 'en' && name !== 'unknown' ? voice : null),
  isConfigured: () => true,
  detector: () => detector,
  list: async () => [],
  voices: async () => [],
  missing: () => [],
  close: async () => {},
};

function speechOf(fields: Partial<Agent>) {
  const speech = callSpeech(providers, agentWith(fields), new SpeechCache());
  return {
    stt: speech.recognizers.map(({ name }) => name),
    tts: speech.tts?.name ?? null,
    isRecognizedByCaller: speech.isRecognizedByCaller,
    missing: speech.notApplied.map(({ field }) => field),
  };
}

describe('The speech of a call', () => {
  it('is what `auto` finds, with those that replace a recognizer', () => {
    const { stt, tts, missing } = speechOf({ sttProvider: 'auto', ttsProvider: 'auto' });
    assert.deepEqual([stt, tts, missing], [['first', 'second', 'third'], 'tone', []]);
  });

  it('is the provider that the agent names, alone', () => {
    assert.deepEqual(speechOf({ sttProvider: 'second' }).stt, ['second']);
  });

  it('is what the caller’s browser recognizes', () => {
    const { stt, isRecognizedByCaller, missing } = speechOf({ sttProvider: 'browser' });
    assert.deepEqual([stt, isRecognizedByCaller, missing], [[], true, []]);
  });

  it('says what is missing', () => {
    const { stt, tts, missing } = speechOf({ language: 'fr' });
    assert.deepEqual([stt, tts, missing], [[], null, ['sttProvider', 'ttsProvider']]);
  });
});
