/**
 * Loads a voice of SPEECH_MODELS, says a sentence with it, and ends: the runtime aborts the process if a model is
 * damaged, so that this is tried in a process of its own. Prints what it measured.
 */
import { writeFileSync } from 'node:fs';
import { wavHeader } from '../../../audio/wav.ts';
import { realClock } from '../../../clock.ts';
import { loadSherpa } from '../sherpa.ts';
import type { VoiceModel } from '../voice-folders.ts';
import { loadVoice, speakWith } from './model-voice.ts';

/** What the process prints as JSON. */
export interface ProbedVoice {
  readonly loadMs: number;
  readonly speakMs: number;
  readonly audioMs: number;
  readonly rate: number;
  readonly speakers: number;
  /** How loud it is at most, 0 to 1. */
  readonly peak: number;
}

const [runtime = '', model = '', text = '', out = ''] = process.argv.slice(2);
const startedAt = realClock.now();
const voice = loadVoice(loadSherpa(runtime), JSON.parse(model) as VoiceModel);
const loadedAt = realClock.now();
const { samples, rate } = speakWith(voice, text, 1) ?? { samples: new Int16Array(), rate: 1 };
const measured: ProbedVoice = {
  loadMs: Math.round(loadedAt - startedAt),
  speakMs: Math.round(realClock.now() - loadedAt),
  audioMs: Math.round((samples.length / rate) * 1000),
  rate,
  speakers: voice.numSpeakers,
  peak: samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) / 32_768,
};
if (out !== '') {
  const data = Buffer.from(samples.buffer);
  writeFileSync(out, Buffer.concat([wavHeader(rate, 1, data.length), data]));
}
process.stdout.write(JSON.stringify(measured));
