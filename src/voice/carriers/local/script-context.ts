import type { Conferences } from './conferences.ts';
import type { Leg, StatusCallback } from './leg.ts';
import type { MediaStreamContext } from './media-stream.ts';
import type { PhoneVoice } from './speech.ts';
import { DocumentError, type Verb } from './twiml.ts';

/** What a call does next. */
export type Instruction =
  | {
      readonly url: string;
      readonly method: 'GET' | 'POST';
      /** In addition to those of every request about the call. */
      readonly parameters?: Readonly<Record<string, string>>;
    }
  | { readonly twiml: string };

/** After a verb: the next verb, another document, or the end of the call. */
export type VerbEnd = 'next' | 'end' | Instruction;

export interface ChildRequest {
  readonly parent: Leg;
  readonly to: string;
  readonly callerId: string;
  readonly statusCallback: StatusCallback | null;
  readonly timeoutMs: number;
  readonly timeLimitMs: number;
}

export interface Child {
  readonly leg: Leg;
  readonly answered: Promise<boolean>;
}

export interface ScriptContext extends MediaStreamContext {
  readonly conferences: Conferences;
  /** The carrier's own voice; null: test speech. */
  readonly voiceOf: (language: string) => PhoneVoice | null;
  /** The second leg of a `Dial`, or Twilio's code of why there is none. */
  readonly dialChild: (request: ChildRequest) => Child | { readonly code: number; readonly message: string };
}

export interface VerbRun {
  readonly context: ScriptContext;
  readonly leg: Leg;
  readonly verb: Verb;
  readonly signal: AbortSignal;
  /** The address of the document; null if it came with a request. */
  readonly documentUrl: string | null;
}

/** Absolute URLs are not normalized, because the signature is that of the text. */
export function resolveUrl(url: string, documentUrl: string | null): string {
  if (URL.canParse(url)) return url;
  if (documentUrl === null || !URL.canParse(url, documentUrl))
    throw new DocumentError(11_100, 'An address is not valid.');
  return new URL(url, documentUrl).href;
}

export function methodOf(text: string | undefined): 'GET' | 'POST' {
  return text?.toUpperCase() === 'GET' ? 'GET' : 'POST';
}

export function callbackOf(verb: Verb, documentUrl: string | null): { url: string; method: 'GET' | 'POST' } | null {
  const { statusCallback, statusCallbackMethod } = verb.attributes;
  if (statusCallback === undefined) return null;
  return { url: resolveUrl(statusCallback, documentUrl), method: methodOf(statusCallbackMethod) };
}

/** The `action` of a verb, or `otherwise` if it has none. */
export function actionOf<Otherwise>(
  { verb, documentUrl }: VerbRun,
  parameters: Readonly<Record<string, string>>,
  otherwise: Otherwise,
): Instruction | Otherwise {
  const { action, method } = verb.attributes;
  if (action === undefined || action === '') return otherwise;
  return { url: resolveUrl(action, documentUrl), method: methodOf(method), parameters };
}

/** A whole number of seconds, as milliseconds. */
export function secondsOf(text: string | undefined, defaultSeconds: number): number {
  if (text === undefined) return defaultSeconds * 1000;
  if (!/^\d{1,6}$/.test(text)) throw new DocumentError(12_200, `${text} is not a number of seconds.`);
  return Number(text) * 1000;
}
