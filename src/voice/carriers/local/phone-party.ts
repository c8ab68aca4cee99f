import type { Clock } from '../../clock.ts';
import { frameBytes, frameMs, isSound, silence, tone } from './mulaw.ts';
import { type Phone, type PhoneStep, textIn } from './phones.ts';
import { PlayQueue } from './play-queue.ts';
import { type PhoneVoice, speak } from './speech.ts';
import { Interrupted, pause, untilAborted } from './waiting.ts';

export interface PhonePartyEvents {
  /** The party has finished saying something. */
  said(text: string): void;
  pressed(digit: string): void;
  beeped(): void;
  hungUp(): void;
}

export interface PhonePartyOptions {
  readonly clock: Clock;
  readonly phone: Phone;
  /** Both are asked for at each utterance. */
  readonly language: () => string;
  /** Null: test speech. */
  readonly voice: () => PhoneVoice | null;
  readonly events: PhonePartyEvents;
}

const listening = { quietMs: 800, startWithinMs: 10_000, maxMs: 120_000 };
const maxWaitForMediaMs = 10_000;
const keyGapMs = 200;

/** The person at a phone: follows the phone's steps, speaks in frames and hears in frames. */
export class PhoneParty {
  readonly #options: PhonePartyOptions;
  readonly #queue = new PlayQueue();
  readonly #over = new AbortController();
  #hasMedia = false;
  #onMedia: (() => void) | null = null;
  #onFrame: ((hasSound: boolean) => void) | null = null;

  constructor(options: PhonePartyOptions) {
    this.#options = options;
  }

  start(): void {
    this.#run(this.#options.phone.steps ?? []).catch((error: unknown) => {
      // A voice that throws ends the call, not the process.
      if (!(error instanceof Interrupted)) this.#options.events.hungUp();
    });
  }

  /** The call is over. */
  stop(): void {
    this.#over.abort();
  }

  /** The other side can hear from now on. */
  hasMedia(): void {
    this.#hasMedia = true;
    this.#onMedia?.();
  }

  /** What it says in the next 20 ms. */
  frame(): Uint8Array {
    const frame = silence(frameBytes);
    this.#queue.take(frame);
    return frame;
  }

  hear(frame: Uint8Array): void {
    this.#onFrame?.(isSound(frame));
  }

  async #run(steps: readonly PhoneStep[]): Promise<void> {
    for (const step of steps) await this.#step(step);
  }

  async #step(step: PhoneStep): Promise<void> {
    const { clock, events } = this.#options;
    const { signal } = this.#over;
    switch (step.do) {
      case 'wait_for_media':
        return this.#waitForMedia(step.maxMs ?? maxWaitForMediaMs);
      case 'wait':
        return pause(clock, step.ms, signal);
      case 'say':
        return this.#say(textIn(step.text, this.#options.language()));
      case 'listen':
        return this.#listen({ ...listening, ...step });
      case 'press':
        return this.#press(step.digits, step.gapMs ?? keyGapMs);
      case 'beep':
        await this.#play(tone(step.hz ?? 1000, step.ms ?? 400));
        events.beeped();
        return;
      case 'repeat':
        for (let count = 0; count < step.times; count += 1) await this.#run(step.steps);
        return;
      case 'hang_up':
        events.hungUp();
        return;
      default:
        step satisfies never;
    }
  }

  #waitForMedia(maxMs: number): Promise<void> {
    return untilAborted<void>(this.#over.signal, (resolve) => {
      if (this.#hasMedia) resolve();
      this.#onMedia = resolve;
      return this.#options.clock.after(maxMs, () => resolve());
    });
  }

  async #say(text: string): Promise<void> {
    const { language, voice, events } = this.#options;
    await speak({ text, language: language(), voice: voice() }, this.#queue, this.#over.signal);
    events.said(text);
  }

  #play(bytes: Uint8Array): Promise<void> {
    this.#queue.push(bytes);
    return untilAborted<void>(this.#over.signal, (resolve) => {
      this.#queue.mark(resolve);
      return undefined;
    });
  }

  #listen({ quietMs, startWithinMs, maxMs }: typeof listening): Promise<void> {
    let elapsedMs = 0;
    let quietForMs = 0;
    let hasHeard = false;
    return untilAborted<void>(this.#over.signal, (resolve) => {
      this.#onFrame = (hasSound) => {
        elapsedMs += frameMs;
        quietForMs = hasSound ? 0 : quietForMs + frameMs;
        hasHeard ||= hasSound;
        if (hasHeard ? quietForMs >= quietMs : elapsedMs >= startWithinMs) resolve();
        else if (elapsedMs >= maxMs) resolve();
      };
      return () => {
        this.#onFrame = null;
      };
    });
  }

  async #press(digits: string, gapMs: number): Promise<void> {
    for (const digit of digits) {
      if (digit === 'w') await pause(this.#options.clock, 500, this.#over.signal);
      else this.#options.events.pressed(digit);
      await pause(this.#options.clock, gapMs, this.#over.signal);
    }
  }
}
