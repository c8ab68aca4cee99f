import type { Scalar, Variables } from '../engines/engine.ts';
import { isJapanese, localeOf } from './language.ts';
import { memo } from './memo.ts';

const tag = /\{\{([^{}]+)\}\}/g;

/**
 * Replaces `{{name}}`, with or without spaces around the name. A name without a value stays visible and is reported once.
 * Values are inserted as they are, and tags in them are not replaced again: they may contain what a caller said.
 */
export function fill(
  text: string,
  lookup: (name: string) => Scalar | undefined,
  onUnknown: (name: string) => void,
): string {
  if (!text.includes('{{')) return text;
  const unknown = new Set<string>();
  return text.replace(tag, (whole, inner: string) => {
    const name = inner.trim();
    if (name === '') return whole;
    const value = lookup(name);
    if (value !== undefined) return value === null ? '' : String(value);
    if (!unknown.has(name)) {
      unknown.add(name);
      onUnknown(name);
    }
    return whole;
  });
}

/** The names that a text uses, each once, in order of appearance. */
export function variableNames(text: string): string[] {
  const names = new Set<string>();
  for (const [, inner] of text.matchAll(tag)) {
    const name = (inner as string).trim();
    if (name !== '') names.add(name);
  }
  return [...names];
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
}: CallStart & { readonly callId: string; readonly agentName: string }): Variables {
  const zone = zoneOf(timeZone);
  return {
    ...dateAndTime(now, zone),
    current_weekday: weekdayFormat(`${localeOf(language)} ${zone}`).format(now),
    time_zone: zone,
    call_id: callId,
    agent_name: agentName,
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
