/** Runs in a thread: recognizes speech for all calls, one decoding at a time. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { programFile } from '../../../../workers/program-file.ts';
import { serveStreams } from '../../../../workers/resident/serve-streams.ts';
import { TaskQueue } from '../../../../workers/resident/task-queue.ts';
import { Resampler } from '../../../audio/resample.ts';
import { loadSherpa, modelRate, type SherpaRecognizer, toFloat } from '../sherpa.ts';
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

/** The audio between two finals. */
interface Part {
  readonly segment: Segment;
  /** The text of the last partial. */
  lastText: string;
}

interface EndedPart extends Part {
  /** Whether its final is the response to a flush. */
  readonly isFlush: boolean;
}

const newPart = (): Part => ({ segment: new Segment(), lastText: '' });

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
  const program = fileURLToPath(programFile('./probe', import.meta.url));
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
  let current = newPart();
  /** Parts that have ended and are not decoded yet, oldest first: the model may still be loading, or be busy. */
  const ended: EndedPart[] = [];
  let recognizer: SherpaRecognizer | null = null;

  const decode = (samples: Float32Array): string => {
    if (recognizer === null) return '';
    const input = recognizer.createStream();
    input.acceptWaveform({ samples, sampleRate: modelRate });
    recognizer.decode(input);
    return recognizer.getResult(input).text.trim();
  };

  const textOf = ({ segment, lastText }: Part): string => {
    if (!segment.hasWords) return '';
    // In fast mode, the last partial is good enough if only silence followed.
    if (!isAccurate && !segment.hasNewSound && lastText !== '') return lastText;
    return decode(segment.take()) || lastText || decode(segment.takeAgain());
  };

  const end = (isFlush: boolean): void => {
    const rest = current.segment.takeRest();
    ended.push({ ...current, isFlush });
    current = newPart();
    if (rest.length > 0) current.segment.append(rest, true);
  };

  const work = (): void => {
    const [next] = ended;
    const part = next ?? current;
    if (part.segment.isTooLong) {
      report({ type: 'final', text: decode(part.segment.cut()), isFlush: false });
      part.lastText = '';
    } else if (next !== undefined) {
      ended.shift();
      report({ type: 'final', text: textOf(next), isFlush: next.isFlush });
    } else if (current.segment.wantsPartial) {
      current.lastText = decode(current.segment.take()) || current.lastText;
      report({ type: 'partial', text: current.lastText });
    }
    wake();
  };

  const task = { isUrgent: () => ended.length > 0, run: work };
  const isBusy = (): boolean => ended.length > 0 || current.segment.isTooLong || current.segment.wantsPartial;
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
        current.segment.append(toFloat(resampler.process(message.samples)), message.isLoud);
      } else if (message.type === 'flush') end(true);
      else if (current.segment.isLong && current.segment.hasWords) end(false);
      wake();
    },
    close: () => tasks.remove(task),
  };
});
