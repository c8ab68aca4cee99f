import type { Leg } from './leg.ts';
import { tone } from './mulaw.ts';
import { type ScriptContext, secondsOf, type VerbRun } from './script-context.ts';
import { speak } from './speech.ts';
import { pause, untilAborted } from './waiting.ts';

const maxLoops = 1000;
const keyMs = 200;
const longPauseMs = 500;
/** What is heard instead of a file: the carrier has no decoder of them. */
const fileTone = { hz: 440, ms: 1000 };

export async function say({ context, leg, verb, signal }: VerbRun): Promise<void> {
  const { language = 'en-US' } = verb.attributes;
  for (let count = 0; count < loopsOf(verb.attributes.loop); count += 1) {
    await sayText({ context, leg, text: verb.text, language, signal });
  }
}

export async function sayText(options: {
  readonly context: ScriptContext;
  readonly leg: Leg;
  readonly text: string;
  readonly language: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { context, leg, text, language, signal } = options;
  leg.textsHeard.push(text);
  leg.hasMedia();
  try {
    await speak({ text, language, voice: leg.hasTestSpeech ? null : context.voiceOf(language) }, leg.queue, signal);
  } finally {
    if (signal.aborted) leg.queue.forget();
  }
}

export function pauseVerb({ context, verb, signal }: VerbRun): Promise<void> {
  return pause(context.clock, secondsOf(verb.attributes.length, 1), signal);
}

export async function play({ context, leg, verb, signal }: VerbRun): Promise<void> {
  const { digits, loop } = verb.attributes;
  leg.hasMedia();
  if (digits !== undefined) return sendKeys({ context, leg, digits, signal });
  for (let count = 0; count < loopsOf(loop); count += 1) {
    leg.queue.push(tone(fileTone.hz, fileTone.ms));
    await untilAborted<void>(signal, (resolve) => {
      leg.queue.mark(resolve);
      return () => {
        if (signal.aborted) leg.queue.forget();
      };
    });
  }
}

/** Presses keys towards the phone; `w` is half a second. */
export async function sendKeys(options: {
  readonly context: ScriptContext;
  readonly leg: Leg;
  readonly digits: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { context, leg, digits, signal } = options;
  for (const digit of digits) {
    if (digit !== 'w') leg.keysHeard += digit;
    await pause(context.clock, digit === 'w' ? longPauseMs : keyMs, signal);
  }
}

/** 0 is as often as possible. */
function loopsOf(text: string | undefined): number {
  const count = Number(text ?? 1);
  return count === 0 ? maxLoops : Math.min(count, maxLoops);
}
