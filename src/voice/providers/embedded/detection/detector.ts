import { programFile } from '../../../../workers/program-file.ts';
import { ResidentThread } from '../../../../workers/resident/resident-thread.ts';
import type { Detector } from '../../../speech-ports.ts';
import { NoiseGate } from '../noise-gate.ts';
import { speechThread } from '../speech-thread.ts';
import type { DetectionEvent, DetectionMessage, DetectionModel, DetectionOptions } from './messages.ts';

/** Where it is never silent, a new thread is tried after so long; sooner, it might end for the same reason. */
const reopenSeconds = 1;

export type DetectionThread = ResidentThread<DetectionOptions, DetectionMessage, DetectionEvent>;

export function createDetectionThread(model: DetectionModel): DetectionThread {
  return new ResidentThread(speechThread(programFile('./worker', import.meta.url), model));
}

/** Speech as a model hears it, after a gate that withholds silence. */
export function createModelDetector(thread: DetectionThread): Detector {
  return {
    name: 'embedded',
    load: () => thread.load(),
    open(rate, events) {
      // Loads the model while it is still silent.
      void thread.load();
      let written = 0;
      let isSpeaking = false;
      let isClosed = false;
      /** Where the thread ended; null: it has not. */
      let failedAt: number | null = null;
      const report = ({ type, position }: DetectionEvent): void => {
        isSpeaking = type === 'start';
        events[type](Math.max(0, written - position));
      };
      const openStream = () =>
        thread.open(
          { rate },
          {
            event: report,
            failed: () => {
              // A new thread hears what is said next; what was being said ends here.
              stream = null;
              failedAt = written;
              if (isSpeaking && !isClosed) report({ type: 'end', position: written });
            },
          },
        );
      let stream: ReturnType<typeof openStream> | null = null;
      const gate = new NoiseGate(rate, {
        pass: (frame, position) => {
          if (failedAt !== null && written - failedAt < reopenSeconds * rate) return;
          failedAt = null;
          const samples = new Int16Array(frame);
          stream ??= openStream();
          stream.send({ type: 'audio', samples, position }, [samples.buffer]);
        },
        closed: () => {
          failedAt = null;
          stream?.send({ type: 'silence' });
        },
      });
      return {
        write(samples) {
          written += samples.length;
          gate.write(samples);
        },
        close() {
          isClosed = true;
          stream?.close();
        },
      };
    },
  };
}
