import type { TurnWord } from '../../ports.ts';
import type { Detector, Stt, Tts } from '../../speech-ports.ts';
import { wordsOf } from '../../text/words.ts';
import { joined } from '../../turn/caller-turn.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { createFrameCutter, frameSamplesAt, readTestFrame, testFrames } from './frames.ts';

/** Speech for tests: exact to the frame, without a model, an account or a network. */
export const testProviderName = 'test';

const framesPerWord = 10;
const frameMs = 20;

/** Speech is what starts with `TEST`. */
export function createTestDetector(): Detector {
  return {
    name: testProviderName,
    open(rate, events) {
      let isSpeech = false;
      const cut = createFrameCutter((frame, after) => {
        const isVoiced = readTestFrame(frame) !== null;
        if (isVoiced === isSpeech) return;
        isSpeech = isVoiced;
        const ago = after + frame.length;
        if (isVoiced) events.start(ago);
        else events.end(ago);
      }, rate);
      return { write: cut, close: () => {} };
    },
  };
}

/** Reports every word when its first frame arrives, and the final at once when it is flushed. */
export function createTestStt(): Stt {
  return {
    name: testProviderName,
    hasPartials: true,
    waitMs: 200,
    open({ rate }, events) {
      let text = '';
      let words: { text: string; startMs: number; endMs: number; confidence: null }[] = [];
      let elapsedMs = 0;
      let segmentStartMs = 0;
      const cut = createFrameCutter((frame) => {
        const word = readTestFrame(frame);
        const startMs = elapsedMs;
        elapsedMs += frameMs;
        if (word === null) return;
        if (word !== '') {
          text = joined(text, word);
          words.push({ text: word.trim(), startMs, endMs: elapsedMs, confidence: null });
          events.partial(text, segmentStartMs);
        } else {
          const last = words.at(-1);
          if (last?.endMs === startMs) last.endMs = elapsedMs;
        }
      }, rate);
      return {
        write: cut,
        flush() {
          const finished: readonly TurnWord[] = words;
          const finalText = text;
          text = '';
          words = [];
          segmentStartMs = elapsedMs;
          events.final(finalText, finished, elapsedMs);
        },
        close: () => {},
      };
    },
  };
}

/** Says every word in ten frames, all at once. It has one voice, which does not change. */
export function createTestTts(): Tts {
  return {
    name: testProviderName,
    notApplied: ({ model, speed, emotion, temperature }) => [
      ...(model === null ? [] : [{ field: 'voiceModel', reason: 'not_supported' } as const]),
      ...(speed === 1 ? [] : [{ field: 'voiceSpeed', reason: 'not_supported' } as const]),
      ...(emotion === null ? [] : [{ field: 'voiceEmotion', reason: 'not_supported' } as const]),
      ...((temperature ?? 1) === 1 ? [] : [{ field: 'voiceTemperature', reason: 'not_supported' } as const]),
    ],
    open({ language, rate }, events) {
      let isOver = false;
      let characters = 0;
      let samples = 0;
      return {
        say(text, isLast) {
          for (const { text: word, end } of wordsOf(text, language)) {
            if (isOver) return;
            samples += framesPerWord * frameSamplesAt(rate);
            events.mark?.(characters + end, samples);
            events.audio(testFrames(word, framesPerWord, rate));
          }
          characters += text.length;
          if (isOver || !isLast) return;
          isOver = true;
          events.done();
        },
        cancel() {
          isOver = true;
        },
      };
    },
  };
}

/** Only for agents that name it. */
export const testProvider: SpeechProvider = {
  name: testProviderName,
  configured: true,
  capabilities: ['stt', 'tts'],
  languages: [],
  automatic: false,
  stt: () => createTestStt(),
  tts: () => createTestTts(),
};
