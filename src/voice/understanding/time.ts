import { isJapanese } from '../text/language.ts';
import { normalizeText } from '../text/normalized.ts';
import type { HourRange, SpokenTime } from './spoken-time.ts';
import { englishTimes } from './time-english.ts';
import { japaneseTimes } from './time-japanese.ts';

/**
 * The only time in the words, as HH:MM. An hour of 1 to 11 without a part of the day has two readings, and `within`
 * decides if it leaves one.
 */
export function understandTime(
  words: string,
  { language, within }: { readonly language: string; readonly within?: readonly [string, string] | undefined },
): string | undefined {
  const text = normalizeText(words.replaceAll('’', "'")).plain;
  const isOther = isJapanese(language) || /[^\x00-\x7f]/.test(text);
  const found = isOther ? japaneseTimes(text) : englishTimes(text);
  if (found === undefined) return undefined;
  const readings = new Set(found.times.map((time) => readingOf(time, found.ranges, within)));
  const [only] = readings;
  return readings.size === 1 && only !== undefined ? clockTime(only) : undefined;
}

/** The minute of the day. */
function readingOf(
  time: SpokenTime,
  ranges: readonly HourRange[],
  within: readonly [string, string] | undefined,
): number | undefined {
  const { hour, minute, minutesBefore = 0 } = time;
  if (hour > 23 || minute > 59 || minutesBefore > 59) return undefined;
  const hours = hour > 12 ? [hour] : hour === 12 ? [12, 0] : [hour, hour + 12];
  const allowed = hours.filter((each) => ranges.every((range) => isBetween(each, range)));
  const minutes = allowed.map((each) => (each * 60 + minute - minutesBefore + 1440) % 1440);
  // Zero is midnight, unless it is in the afternoon: 午後0時.
  if (minutes.length <= 1 || hour === 0) return minutes[0];
  const [from, until] = (within ?? []).map(minuteOf);
  const open =
    from === undefined || until === undefined ? [] : minutes.filter((each) => isBetween(each, [from, until]));
  if (open.length === 1) return open[0];
  // Twelve alone is noon.
  return hour === 12 ? minutes[0] : undefined;
}

/** A range may go beyond midnight. */
function isBetween(value: number, [from, until]: readonly [from: number, until: number]): boolean {
  return from <= until ? value >= from && value <= until : value >= from || value <= until;
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':').map(Number);
  return (hour ?? 0) * 60 + (minute ?? 0);
}

function clockTime(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
