/** Runs in a thread: speaks for all calls, one sentence at a time. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { programFile } from '../../../../workers/program-file.ts';
import { serveStreams } from '../../../../workers/resident/serve-streams.ts';
import { TaskQueue } from '../../../../workers/resident/task-queue.ts';
import { resampled } from '../../../audio/resample.ts';
import { loadSherpa, type SherpaVoice } from '../sherpa.ts';
import { readableEnglish } from './english-text.ts';
import { type Flite, loadFlite } from './flite.ts';
import { readableJapanese } from './japanese-text.ts';
import type { SpeakingEvent, SpeakingMessage, SpeakingOptions, SpeakingPrograms } from './messages.ts';
import { loadVoice, speakWith } from './model-voice.ts';
import { speakJapanese } from './open-jtalk.ts';
import type { Recording } from './wav-samples.ts';

const programs = workerData as SpeakingPrograms;
const maxProbeMs = 60_000;
const tasks = new TaskQueue();
const addedVoices = new Map<string, SherpaVoice | Error>();
let flite: Promise<Flite> | null = null;

async function speak(text: string, options: SpeakingOptions): Promise<readonly Recording[]> {
  const { program, variant, speed } = options;
  if (program === 'model') return speakWithModel(text, options);
  if (program === 'open-jtalk') {
    const readable = readableJapanese(text);
    if (programs.japanese === null) throw new Error('the Japanese voice is not installed');
    return readable === '' ? [] : speakJapanese(programs.japanese, { text: readable, emotion: variant, speed });
  }
  const readable = readableEnglish(text);
  if (readable === '') return [];
  return [(await loadedFlite())(readable, variant, speed)];
}

function speakWithModel(text: string, { variant, speed }: SpeakingOptions): readonly Recording[] {
  const languages = programs.models.find(({ voiceId }) => voiceId === variant)?.languages ?? [];
  const [language = ''] = languages;
  const read = { en: readableEnglish, ja: readableJapanese }[language];
  const readable = (read?.(text) ?? text).trim();
  if (readable === '') return [];
  const known = addedVoices.get(variant);
  const voice = known ?? loadedVoice(variant);
  if (known === undefined) addedVoices.set(variant, voice);
  if (voice instanceof Error) throw voice;
  const recording = speakWith(voice, readable, speed);
  return recording === null ? [] : [recording];
}

/** The runtime ends the process if a model is damaged: whether it loads is found out in another one. */
function loadedVoice(voiceId: string): SherpaVoice | Error {
  const model = programs.models.find((one) => one.voiceId === voiceId);
  if (model === undefined || programs.runtime === null) return new Error(`the voice ${voiceId} is not installed`);
  const probe = fileURLToPath(programFile('./probe', import.meta.url));
  const { status } = spawnSync(process.execPath, [probe, programs.runtime, JSON.stringify(model), 'a'], {
    stdio: 'ignore',
    timeout: maxProbeMs,
  });
  if (status !== 0) return new Error(`the voice ${voiceId} cannot be loaded: see "voice-agents speech check"`);
  return loadVoice(loadSherpa(programs.runtime), model);
}

function loadedFlite(): Promise<Flite> {
  if (programs.flite === null) throw new Error('the English voices are not installed');
  flite ??= loadFlite(programs.flite);
  return flite;
}

// Compiled before the first sentence needs it.
const loading = programs.flite === null ? Promise.resolve() : loadedFlite();

serveStreams<SpeakingOptions, SpeakingMessage, SpeakingEvent>((options, { report, failed }) => {
  const sentences: SpeakingMessage[] = [];
  let isClosed = false;
  const task = {
    // What a caller waits for is before what follows it.
    isUrgent: () => isFirst,
    async run() {
      const { text, isLast } = sentences.shift() as SpeakingMessage;
      isFirst = false;
      try {
        for (const { samples, rate } of await speak(text, options)) {
          if (isClosed) return;
          const audio = amplified(resampled(samples, rate, options.rate), options.gain);
          if (audio.length > 0) report({ type: 'audio', samples: audio }, [audio.buffer]);
        }
        if (isLast && !isClosed) report({ type: 'done' });
        if (sentences.length > 0 && !isClosed) tasks.add(task);
      } catch (error) {
        if (!isClosed) failed((error as Error).message);
      }
    },
  };
  let isFirst = true;
  return {
    receive(message) {
      sentences.push(message);
      tasks.add(task);
    },
    close() {
      isClosed = true;
      tasks.remove(task);
    },
  };
}, loading);

function amplified(samples: Int16Array, gain: number): Int16Array<ArrayBuffer> {
  return Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * gain))));
}
