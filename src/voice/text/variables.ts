import type { Scalar, Variables } from '../variables.ts';
import { cutAtSentence } from './cut.ts';
import { isJapanese, localeOf } from './language.ts';
import { memo } from './memo.ts';

const tag = /\{\{([^{}]+)\}\}/g;

/** The maximum length of a text that is filled, in UTF-16 code units. A text that is written longer, such as a prompt, is never cut. */
export const maxFilledLength = 20_000;

/** Reports something in the record of the call. */
export type Warn = (code: string, message: string) => void;

/** How much values may still add to a text. Texts that are sent together share one. */
export interface Room {
  left: number;
  /** A value was cut. From then on, only values that fit as a whole are inserted. */
  isUsedUp: boolean;
}

/** For a text that is spoken or stored: with its values it has at most 20,000 characters. */
export function roomIn(text: string): Room {
  return { left: Math.max(0, maxFilledLength - lengthWithoutTags(text)), isUsedUp: false };
}

export function lengthWithoutTags(text: string): number {
  return text.includes('{{') ? text.replace(tag, '').length : text.length;
}

/** For prompts and the arguments of tools, which may be longer as written: values add at most 20,000 characters. */
export function roomBesides(): Room {
  return { left: maxFilledLength, isUsedUp: false };
}

/**
 * Replaces `{{name}}`, with or without spaces around the name. A name without a value stays visible and is reported once.
 * Values are inserted as they are, and tags in them are not replaced again: they may contain what a caller said. A value
 * for which there is no room is cut at the end of a sentence before it is inserted, so that no large text ever exists.
 */
export function fill(text: string, lookup: (name: string) => Scalar | undefined, warn: Warn, given?: Room): string {
  if (!text.includes('{{')) return text;
  const room = given ?? roomIn(text);
  // A text may have the same tag hundreds of times, and a spoken form takes time.
  const values = new Map<string, string | null>();
  const insertedFor = (inner: string): string | null => {
    const name = inner.trim();
    if (name === '') return null;
    const value = lookup(name);
    if (value === undefined) warnUnknown(warn, name);
    return value === undefined ? null : String(value ?? '');
  };
  let filled = '';
  let isInner = false;
  // Texts and what is between braces, in turn: a third of the time of a replacement that calls a function.
  for (const part of text.split(tag)) {
    if (isInner) {
      let value = values.get(part);
      if (value === undefined) {
        value = insertedFor(part);
        values.set(part, value);
      }
      if (value === null) {
        filled += `{{${part}}}`;
        room.left -= part.length + 4;
      } else filled += fitted(value, room, warn);
    } else filled += part;
    isInner = !isInner;
  }
  return filled;
}

/** The value, cut to the room that is left. */
export function fitted(value: string, room: Room, warn: Warn): string {
  const left = Math.max(0, room.left);
  const isWhole = value.length <= left;
  const inserted = isWhole ? value : room.isUsedUp ? '' : cutAtSentence(value, left);
  room.left -= inserted.length;
  if (!isWhole && !room.isUsedUp) {
    room.isUsedUp = true;
    warn('text_too_long', `a text is longer than ${maxFilledLength} characters with its values: they were cut`);
  }
  return inserted;
}

/** Callers and authors may have written anything between the braces. */
const maxNameInWarning = 100;

export function warnUnknown(warn: Warn, name: string): void {
  const shown = name.length > maxNameInWarning ? `${name.slice(0, maxNameInWarning)}…` : name;
  warn('unknown_variable', `the variable ${shown} has no value`);
}

/** The names that a text uses, each once, in order of appearance. */
export function variableNames(text: string): string[] {
  if (!text.includes('{{')) return [];
  const inner = new Set(text.split(tag).filter((_, index) => index % 2 === 1));
  return [...new Set([...inner].map((name) => name.trim()))].filter((name) => name !== '');
}

/** The two ends of a phone call, in E.164 format. */
export interface LineEnds {
  /** Null: withheld. */
  readonly from: string | null;
  readonly to: string;
  readonly direction: 'inbound' | 'outbound';
}

export interface CallStart {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  readonly language: string;
}

const timeVariables: ReadonlySet<string> = new Set(['current_date', 'current_weekday', 'current_time', 'time_zone']);

/**
 * The variables that every call has. Dates are ISO 8601 and times have 24 hours in every language, because models and
 * tools resolve these most reliably; only the weekday is in the call's language.
 */
export function builtInVariables({
  now,
  timeZone,
  language,
  callId,
  agentName,
  line,
}: CallStart & {
  readonly callId: string;
  readonly agentName: string;
  /** Absent: the call has no phone line, so that these variables are empty. */
  readonly line?: LineEnds | undefined;
}): Variables {
  const zone = zoneOf(timeZone);
  return {
    ...dateAndTime(now, zone),
    current_weekday: weekdayFormat(`${localeOf(language)} ${zone}`).format(now),
    time_zone: zone,
    call_id: callId,
    agent_name: agentName,
    direction: line?.direction ?? null,
    from_number: line?.from ?? null,
    to_number: line?.to ?? null,
  };
}

export function usesCurrentTime(text: string): boolean {
  return variableNames(text).some((name) => timeVariables.has(name));
}

/** For prompts that do not use the variables: without the date, a model cannot resolve "tomorrow". */
export function currentTimeSentence({ now, timeZone, language }: CallStart): string {
  const zone = zoneOf(timeZone);
  const { current_date: date, current_time: time } = dateAndTime(now, zone);
  const weekday = weekdayFormat(`${isJapanese(language) ? 'ja' : 'en'} ${zone}`).format(now);
  return isJapanese(language)
    ? `現在の日時は${date}（${weekday}）${time}、タイムゾーンは${zone}です。`
    : `The current date and time is ${weekday}, ${date}, ${time}, in the time zone ${zone}.`;
}

/** Invariant of the language: some languages have another calendar or other digits by default. */
const dateTimeFormat = memo(
  (timeZone) =>
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

/** The key is the locale and the time zone: neither contains a space. */
const weekdayFormat = memo((key) => {
  const [locale, timeZone] = key.split(' ');
  return new Intl.DateTimeFormat(locale, { timeZone: timeZone as string, weekday: 'long' });
});

function zoneOf(timeZone: string): string {
  try {
    dateTimeFormat(timeZone);
    return timeZone;
  } catch {
    return 'UTC';
  }
}

function dateAndTime(now: number, zone: string): { current_date: string; current_time: string } {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of dateTimeFormat(zone).formatToParts(now)) parts[type] = value;
  const { year = '', month, day, hour, minute } = parts;
  return { current_date: `${year.padStart(4, '0')}-${month}-${day}`, current_time: `${hour}:${minute}` };
}
