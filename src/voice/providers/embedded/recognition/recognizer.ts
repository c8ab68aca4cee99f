import { programFile } from '../../../../workers/program-file.ts';
import { ResidentThread } from '../../../../workers/resident/resident-thread.ts';
import type { Stt } from '../../../speech-ports.ts';
import { NoiseGate } from '../noise-gate.ts';
import { modelRate } from '../sherpa.ts';
import { speechThread } from '../speech-thread.ts';
import { createKeywordCorrection } from './keywords.ts';
import type {
  RecognitionEvent,
  RecognitionLanguage,
  RecognitionMessage,
  RecognitionModels,
  RecognitionOptions,
} from './messages.ts';

export type RecognitionThread = ResidentThread<RecognitionOptions, RecognitionMessage, RecognitionEvent>;

export function createRecognitionThread(models: RecognitionModels): RecognitionThread {
  return new ResidentThread(speechThread(programFile('./worker', import.meta.url), models));
}

export function createRecognizer(thread: RecognitionThread, language: RecognitionLanguage): Stt {
  let loading: Promise<void> | null = null;
  const load = () =>
    new Promise<void>((resolve) => {
      const done = (): void => {
        stream.close();
        resolve();
      };
      const failed = (): void => {
        loading = null;
        done();
      };
      const stream = thread.open({ language, rate: modelRate, isAccurate: false }, { event: done, failed });
    });
  return {
    name: 'embedded',
    hasPartials: true,
    waitMs: 1000,
    load: () => {
      loading ??= load();
      return loading;
    },
    open({ rate, keywords, mode }, events) {
      const correct = createKeywordCorrection(keywords);
      let written = 0;
      let segmentStartMs = 0;
      /** Where the segments end that have no final yet. They are answered in order. */
      const segmentEndsMs: number[] = [];
      const stream = thread.open(
        { language, rate, isAccurate: mode === 'accurate' },
        {
          event: (event) => {
            if (event.type === 'partial') events.partial(correct(event.text), segmentStartMs);
            // An end of a segment without words is no news; a flush is always responded to.
            else if (event.type === 'final' && (event.isFlush || event.text !== '')) {
              const endMs = segmentEndsMs[0];
              if (event.isFlush) segmentStartMs = segmentEndsMs.shift() ?? segmentStartMs;
              events.final(correct(event.text), [], endMs);
            }
          },
          failed: (detail) => events.failed(detail),
        },
      );
      const gate = new NoiseGate(rate, {
        pass: (frame, _, isLoud) => {
          const samples = new Int16Array(frame);
          stream.send({ type: 'audio', samples, isLoud }, [samples.buffer]);
        },
        closed: () => stream.send({ type: 'pause' }),
      });
      return {
        write: (samples) => {
          written += samples.length;
          gate.write(samples);
        },
        flush: () => {
          segmentEndsMs.push((written * 1000) / rate);
          stream.send({ type: 'flush' });
        },
        close: () => stream.close(),
      };
    },
  };
}
