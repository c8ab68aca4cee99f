const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Localized numbers and times, in the time zone of the browser. */
export interface Format {
  number(value: number): string;
  /** Rounded to three significant digits. */
  rounded(value: number): string;
  /** A fraction of 1, as a percentage. */
  share(value: number): string;
  /** From 10 seconds on, in seconds. */
  milliseconds(value: number): string;
  /** A length of time as a clock shows it: 1:42, or 1:02:03. */
  clock(milliseconds: number): string;
  time(at: string | number): string;
  dateTime(at: string | number): string;
  /** "5 minutes ago"; a date if it was long ago. */
  ago(at: string, now?: number): string;
  /** "in 5 days", for times in the future. */
  until(at: string, now?: number): string;
}

const maxMilliseconds = 10_000;
const leastShare = 0.0001;

export function createFormat(language: string): Format {
  const number = new Intl.NumberFormat(language);
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 });
  const below = (text: string) => (language === 'ja' ? `${text}未満` : `<${text}`);
  const rounded = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
  const relative = createRelative(language);
  const distance = (elapsedMs: number, at: string): string => {
    const distanceMs = Math.abs(elapsedMs);
    if (distanceMs < minute) return relative.format(Math.trunc(elapsedMs / 1000), 'second');
    if (distanceMs < hour) return relative.format(Math.trunc(elapsedMs / minute), 'minute');
    if (distanceMs < day) return relative.format(Math.trunc(elapsedMs / hour), 'hour');
    if (distanceMs < 30 * day) return relative.format(Math.trunc(elapsedMs / day), 'day');
    return date.format(new Date(at));
  };
  return {
    number: (value) => number.format(value),
    // A few among many are not none.
    share: (value) => (value > 0 && value < leastShare ? below(share.format(leastShare)) : share.format(value)),
    rounded: (value) => rounded.format(value),
    milliseconds: (value) =>
      value < maxMilliseconds ? `${rounded.format(value)} ms` : `${rounded.format(value / 1000)} s`,
    clock,
    time: (at) => time.format(new Date(at)),
    dateTime: (at) => dateTime.format(new Date(at)),
    // The word for "now" does not fit what has just happened.
    ago: (at, now = Date.now()) => distance(Math.min(0, Date.parse(at) - now), at).replace(/^今$/, 'たった今'),
    // Plus half a minute, so that a choice of 30 days is not displayed as 29 right away.
    until: (at, now = Date.now()) => distance(Math.max(0, Date.parse(at) - now + minute / 2), at),
  };
}

/** In Japanese, there is no space between a number and its unit. */
function createRelative(language: string): Pick<Intl.RelativeTimeFormat, 'format'> {
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (language !== 'ja') return relative;
  return { format: (value, unit) => relative.format(value, unit).replaceAll(' ', '') };
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
