import type { Interval } from './query.ts';
import type { Bucket } from './table.ts';

export interface BucketFormat {
  /** For an axis. */
  short(bucket: Bucket): string;
  /** For a sentence, with the day of the week and the end. */
  long(bucket: Bucket): string;
}

/** The times of buckets, in the time zone of their query. */
export function createBucketFormat(language: string, timeZone: string, interval: Interval): BucketFormat {
  const formatter = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone, hourCycle: 'h23', ...options });
  const hour = formatter({ hour: '2-digit', minute: '2-digit' });
  const day = formatter({ day: 'numeric', month: 'short' });
  const month = formatter({ month: 'short', year: 'numeric' });
  const weekday = formatter({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const dayAndHour = formatter({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const lastDay = (bucket: Bucket) => new Date(Date.parse(bucket.to) - 1);
  const at = (text: string) => new Date(text);
  switch (interval) {
    case 'hour':
      return {
        short: ({ from }) => (/T00:00/.test(from) ? day : hour).format(at(from)),
        long: ({ from, to }) => `${dayAndHour.format(at(from))}–${hour.format(at(to))}`,
      };
    case 'month':
      return { short: ({ from }) => month.format(at(from)), long: ({ from }) => month.format(at(from)) };
    case 'week':
      return {
        short: ({ from }) => day.format(at(from)),
        long: (bucket) => weekday.formatRange(at(bucket.from), lastDay(bucket)),
      };
    case 'day':
      return { short: ({ from }) => day.format(at(from)), long: ({ from }) => weekday.format(at(from)) };
    default:
      return {
        short: ({ from }) => day.format(at(from)),
        long: (bucket) => weekday.formatRange(at(bucket.from), lastDay(bucket)),
      };
  }
}
