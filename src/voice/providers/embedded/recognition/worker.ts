/** Runs in a thread: recognizes speech for all calls, one decoding at a time. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { Resampler } from '../../../audio/resample.ts';
import { loadSherpa, modelRate, type SherpaRecognizer, toFloat } from '../sherpa.ts';
import { serveStreams } from '../threads/serve-streams.ts';
import { threadFile } from '../threads/speech-thread.ts';
import { TaskQueue } from '../threads/task-queue.ts';
import type {
  RecognitionEvent,
  RecognitionLanguage,
  RecognitionMessage,
  RecognitionModels,
  RecognitionOptions,
} from './messages.ts';
import { loadEnglish, loadJapanese } from './models.ts';
import { Segment } from './segment.ts';

const maxLoadMs = 60_000;

const models = workerData as RecognitionModels;
const sherpa = loadSherpa(models.runtime);
const recognizers = new Map<RecognitionLanguage, Promise<SherpaRecognizer>>();

const tasks = new TaskQueue();

function recognizerFor(language: RecognitionLanguage): Promise<SherpaRecognizer> {
  const known = recognizers.get(language);
  if (known !== undefined) return known;
  const loading = language === 'en' ? english() : japanese();
  recognizers.set(language, loading);
  return loading;
}

async function english(): Promise<SherpaRecognizer> {
  if (models.english === null) throw new Error('the model for English is not installed');
  return loadEnglish(sherpa, models.english);
}

async function japanese(): Promise<SherpaRecognizer> {
  if (models.japanese === null) throw new Error('there is no model for Japanese');
  const program = fileURLToPath(threadFile('./probe', import.meta.url));
  const probe = spawnSync(process.execPath, [program, models.runtime, JSON.stringify(models.japanese)], {
    stdio: 'ignore',
    timeout: maxLoadMs,
  });
  if (probe.status !== 0) throw new Error('the model for Japanese cannot be loaded');
  return loadJapanese(sherpa, models.japanese);
}

serveStreams<RecognitionOptions, RecognitionMessage, RecognitionEvent>(({ language, rate, isAccurate }, reports) => {
  const { report } = reports;
  const resampler = new Resampler(rate, modelRate);
  const segment = new Segment();
  let recognizer: SherpaRecognizer | null = null;
  let lastText = '';
  let flushes = 0;

  const decode = (samples: Float32Array): string => {
    if (recognizer === null) return '';
    const input = recognizer.createStream();
    input.acceptWaveform({ samples, sampleRate: modelRate });
    recognizer.decode(input);
    return recognizer.getResult(input).text.trim();
  };

  const finish = (): string => {
    // In fast mode, the last partial is good enough if only silence followed.
    const isKnown = !isAccurate && !segment.hasNewSound;
    // The model sometimes finds nothing in audio whose beginning it has understood.
    const text = !segment.hasWords ? '' : isKnown ? lastText : decode(segment.take()) || lastText;
    segment.clear();
    lastText = '';
    return text;
  };

  const work = (): void => {
    if (segment.isTooLong) {
      report({ type: 'final', text: decode(segment.cut()), isFlush: false });
    } else if (flushes > 0) {
      const text = finish();
      report({ type: 'final', text, isFlush: true });
      for (; flushes > 1; flushes--) report({ type: 'final', text: '', isFlush: true });
      flushes = 0;
    } else if (segment.wantsPartial) {
      lastText = decode(segment.take()) || lastText;
      report({ type: 'partial', text: lastText });
    }
    wake();
  };

  const task = { isUrgent: () => flushes > 0, run: work };
  const isBusy = (): boolean => flushes > 0 || segment.isTooLong || segment.wantsPartial;
  const wake = (): void => {
    if (recognizer !== null && isBusy()) tasks.add(task);
  };

  recognizerFor(language).then(
    (loaded) => {
      recognizer = loaded;
      report({ type: 'loaded' });
      wake();
    },
    (error: Error) => {
      recognizers.delete(language);
      reports.failed(error.message);
    },
  );

  return {
    receive(message) {
      if (message.type === 'audio') {
        segment.append(toFloat(resampler.process(message.samples)), message.isLoud);
      } else if (message.type === 'flush') flushes += 1;
      else if (segment.isLong && recognizer !== null && segment.hasWords) {
        report({ type: 'final', text: finish(), isFlush: false });
      }
      wake();
    },
    close: () => tasks.remove(task),
  };
});
