import type { Clock } from '../clock.ts';
import { speechMs } from '../text/words.ts';
import type { TurnEvent } from '../turn/events.ts';
import type { SeededRandom } from './random.ts';
import { spokenWords } from './spoken-words.ts';

/** How late a speech detector and a recognizer report, for those at the usual distance. */
const soundStartMs = 80;
const soundEndMs = 100;
const partialMs = 150;
const finalMs = 100;

/** A caller and their recognizer: speaks texts for as long as a person would take. */
export function createSimulatedCaller(
  clock: Clock,
  dispatch: (event: TurnEvent) => void,
  random: SeededRandom,
  { language, noise }: { readonly language: string; readonly noise: number },
) {
  let words = '';
  let isClosed = false;
  const vary = (ms: number): number => random.around(ms, noise);
  const after = (ms: number, run: () => void) =>
    clock.after(ms, () => {
      if (!isClosed) run();
    });
  /** A sound without words. */
  const sound = (ms: number): void => {
    const start = clock.now();
    const isHeard = ms > soundStartMs / 2;
    if (!isHeard) return;
    after(Math.min(ms, vary(soundStartMs)), () => dispatch({ type: 'vad.start', since: start }));
    after(ms + vary(soundEndMs), () => dispatch({ type: 'vad.end', since: start + ms }));
  };
  return {
    sound,
    /** Returns how long it takes. */
    speak(text: string, durationMs?: number): number {
      const totalMs = durationMs ?? vary(Math.max(200, speechMs(text, language)));
      sound(totalMs);
      for (const word of spokenWords(text, language)) {
        const heardMs = (word.end / text.length) * totalMs + vary(partialMs);
        after(Math.min(heardMs, totalMs), () => {
          words = text.slice(0, word.end);
          dispatch({ type: 'stt.partial', text: words });
        });
      }
      after(totalMs, () => {
        words = text;
      });
      return totalMs;
    },
    flush(): void {
      after(vary(finalMs), () => {
        const text = words;
        words = '';
        dispatch({ type: 'stt.final', text });
      });
    },
    close(): void {
      isClosed = true;
    },
  };
}
