/** Runs in a thread: detects speech for all calls. */
import { workerData } from 'node:worker_threads';
import { serveStreams } from '../../../../workers/resident/serve-streams.ts';
import { loadSherpa, modelRate, type SherpaVad } from '../sherpa.ts';
import type { DetectionEvent, DetectionMessage, DetectionModel, DetectionOptions } from './messages.ts';
import { maxPartSeconds, minSilenceSeconds, minSpeechSeconds, SpeechFinder, windowLength } from './speech-finder.ts';

const { runtime, model } = workerData as DetectionModel;
const sherpa = loadSherpa(runtime);
/**
 * Each detector takes about 12 MB, so that a stream has one only while there is something to hear. One is ready for
 * the first sound.
 */
const idle: SherpaVad[] = [createVad()];

function createVad(): SherpaVad {
  const sileroVad = {
    model,
    threshold: 0.5,
    minSpeechDuration: minSpeechSeconds,
    minSilenceDuration: minSilenceSeconds,
    windowSize: windowLength,
    // Longer utterances would need a louder voice: the limit is that of the finder.
    maxSpeechDuration: 1000,
  };
  return new sherpa.Vad({ sileroVad, sampleRate: modelRate, numThreads: 1, debug: 0 }, maxPartSeconds);
}

serveStreams<DetectionOptions, DetectionMessage, DetectionEvent>(({ rate }, { report }) => {
  let finder: SpeechFinder | null = null;
  let vad: SherpaVad | null = null;
  const release = (): void => {
    if (vad !== null) {
      vad.reset();
      idle.push(vad);
    }
    vad = null;
    finder = null;
  };
  return {
    receive(message) {
      if (message.type === 'silence') {
        finder?.close();
        return release();
      }
      if (finder === null) {
        vad = idle.pop() ?? createVad();
        finder = new SpeechFinder(vad, rate, message.position, {
          start: (position) => report({ type: 'start', position }),
          end: (position) => report({ type: 'end', position }),
        });
      }
      finder.write(message.samples);
    },
    close: release,
  };
});
