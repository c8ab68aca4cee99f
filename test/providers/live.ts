/**
 * `npm run test:live -- <provider>`: the suite of the doubles against the vendor, with the operator's own key. It costs
 * money, so it is no test file, and never part of CI.
 */
import { after } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { createConnectedProviders } from '../../src/voice/providers/connected.ts';
import type { SpeechProvider } from '../../src/voice/providers/speech-provider.ts';
import type { Tts } from '../../src/voice/speech-ports.ts';
import { embeddedSpeech } from '../support/service.ts';
import { describeRecognizer, describeVoice, spokenAudio } from './speech-suite.ts';

const { LIVE_PROVIDER: name = '', LIVE_VOICE: chosenVoice } = process.env;
const { speechProviders, llm, outboundProxy } = readConfig(process.env);
const providers = await createConnectedProviders({ ...speechProviders, openai: llm }, outboundProxy);
const provider = providers.find((each) => each.name === name) as SpeechProvider;
after(() => Promise.all(providers.map((each) => each.close?.())));

if (provider.tts !== undefined) {
  const voices = (await provider.voices?.()) ?? [];
  const voiceId = chosenVoice ?? voices[0]?.voiceId ?? 'alloy';
  describeVoice(name, () => ({ provider, voiceId }));
}

if (provider.stt !== undefined) {
  // A voice of this machine, so that a recognizer can be tested alone.
  const speech = embeddedSpeech();
  after(() => speech.close());
  const sentence = 'Thank you for calling. How can I help you today?';
  const { samples } = await spokenAudio(speech.tts('embedded', 'en-US') as Tts, { voiceId: 'slt' }, sentence);
  const audio: Int16Array[] = [];
  for (let start = 0; start < samples.length; start += 1600) audio.push(samples.slice(start, start + 1600));
  describeRecognizer(name, () => ({ provider, audio, words: /thank you for calling/i }));
}
