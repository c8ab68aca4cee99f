import type { Clock } from '../clock.ts';
import type { Input } from '../ports.ts';
import { speechMs } from '../text/words.ts';
import type { TurnEvent } from '../turn/events.ts';
import type { SeededRandom } from './random.ts';
import { spokenWords } from './spoken-words.ts';

/** How late a speech detector and a recognizer report, for those at the usual distance. */
const soundStartMs = 80;
const soundEndMs = 100;
const partialMs = 150;
const finalMs = 100;

interface CallerTimes {
  readonly language: string;
  readonly noise: number;
}

/** A caller and their recognizer: speaks texts for as long as a person would take. */
export class SimulatedCaller implements Input {
  private readonly clock: Clock;
  private readonly dispatch: (event: TurnEvent) => void;
  private readonly random: SeededRandom;
  private readonly times: CallerTimes;
  private words = '';
  private isClosed = false;

  constructor(clock: Clock, dispatch: (event: TurnEvent) => void, random: SeededRandom, times: CallerTimes) {
    this.clock = clock;
    this.dispatch = dispatch;
    this.random = random;
    this.times = times;
  }

  /** Returns how long it takes. */
  speak(text: string, durationMs?: number): number {
    const { language } = this.times;
    const usualMs = Math.max(200, speechMs(text, language));
    const totalMs = durationMs ?? this.random.around(usualMs, this.times.noise);
    this.sound(totalMs);
    for (const word of spokenWords(text, language)) {
      const heardMs = (word.end / text.length) * totalMs + this.vary(partialMs);
      this.after(Math.min(heardMs, totalMs), () => {
        this.words = text.slice(0, word.end);
        this.dispatch({ type: 'stt.partial', text: this.words });
      });
    }
    this.after(totalMs, () => {
      this.words = text;
    });
    return totalMs;
  }

  /** A sound without words. */
  sound(ms: number): void {
    const start = this.clock.now();
    const isHeard = ms > soundStartMs / 2;
    if (!isHeard) return;
    this.after(Math.min(ms, this.vary(soundStartMs)), () => this.dispatch({ type: 'vad.start', since: start }));
    this.after(ms + this.vary(soundEndMs), () => this.dispatch({ type: 'vad.end', since: start + ms }));
  }

  flush(): void {
    this.after(this.vary(finalMs), () => {
      const text = this.words;
      this.words = '';
      this.dispatch({ type: 'stt.final', text });
    });
  }

  close(): void {
    this.isClosed = true;
  }

  private vary(ms: number): number {
    return this.random.around(ms, this.times.noise);
  }

  private after(ms: number, run: () => void): void {
    this.clock.after(ms, () => {
      if (!this.isClosed) run();
    });
  }
}
