/** Runs in a thread: speaks for all calls, one sentence at a time. */
import { workerData } from 'node:worker_threads';
import { serveStreams } from '../../../../workers/resident/serve-streams.ts';
import { TaskQueue } from '../../../../workers/resident/task-queue.ts';
import { resampled } from '../../../audio/resample.ts';
import { readableEnglish } from './english-text.ts';
import { type Flite, loadFlite } from './flite.ts';
import { readableJapanese } from './japanese-text.ts';
import type { SpeakingEvent, SpeakingMessage, SpeakingOptions, SpeakingPrograms } from './messages.ts';
import { speakJapanese } from './open-jtalk.ts';
import type { Recording } from './wav-samples.ts';

const programs = workerData as SpeakingPrograms;
const tasks = new TaskQueue();
let flite: Promise<Flite> | null = null;

async function speak(text: string, { program, variant, speed }: SpeakingOptions): Promise<readonly Recording[]> {
  if (program === 'open-jtalk') {
    const readable = readableJapanese(text);
    if (programs.japanese === null) throw new Error('the Japanese voice is not installed');
    return readable === '' ? [] : speakJapanese(programs.japanese, { text: readable, emotion: variant, speed });
  }
  const readable = readableEnglish(text);
  if (readable === '') return [];
  return [(await loadedFlite())(readable, variant, speed)];
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
