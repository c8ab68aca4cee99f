interface Span {
  readonly from: string;
  readonly to: string;
}

/** The shortest piece of time that an offset from UTC is made of. */
const stepMs = 15 * 60_000;

/** When it was this hour of this day (Monday is 1) in a time zone, from `from` to `to`. */
export function timesOfHour(range: Span, timeZone: string, day: number, hour: number): Span[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' });
  const isThen = (at: number) => {
    const parts = format.formatToParts(at);
    const partOf = (type: string) => parts.find((part) => part.type === type)?.value;
    return partOf('weekday') === weekdays[day - 1] && Number(partOf('hour')) === hour;
  };
  const end = Date.parse(range.to);
  const spans: { from: number; to: number }[] = [];
  let at = Date.parse(range.from);
  while (at < end) {
    if (!isThen(at)) {
      at += stepMs;
      continue;
    }
    const from = at;
    while (at < end && isThen(at)) at += stepMs;
    spans.push({ from, to: Math.min(at, end) });
    // Most of a week until then, whatever a clock change does to it.
    at += 6 * 24 * 3_600_000;
  }
  return spans.map(({ from, to }) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }));
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
