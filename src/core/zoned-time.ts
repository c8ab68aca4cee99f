/** How far a time zone is ahead of UTC at a time, in milliseconds. Creating one takes a tenth of a millisecond. */
export function zoneOffset(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset', hour: 'numeric' });
  return (ms) => {
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '00', minutes = '00', seconds = '00'] =
      /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    return Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  };
}

/** Writes times with the offset that a time zone has then, such as 2026-12-18T09:30:00.000+09:00. */
export function zonedTimes(timeZone: string): (time: string | number) => string {
  const offsetAt = zoneOffset(timeZone);
  return (time) => {
    const ms = typeof time === 'number' ? time : Date.parse(time);
    const offsetMs = offsetAt(ms);
    const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
    const offset = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
    return `${new Date(ms + offsetMs).toISOString().slice(0, -1)}${offsetMs < 0 ? '-' : '+'}${offset}`;
  };
}

const dayMs = 86_400_000;

/**
 * The next time, after `afterMs`, that it is this time of day in a time zone, given as HH:MM. A time that a change of the
 * clocks skips is the one of the next day; of a time that comes twice, each counts.
 */
export function nextTimeOfDay(timeOfDay: string, timeZone: string, afterMs: number): number {
  const offsetAt = zoneOffset(timeZone);
  const [hours, minutes] = timeOfDay.split(':').map(Number) as [number, number];
  const timeMs = (hours * 60 + minutes) * 60_000;
  const today = Math.floor((afterMs + offsetAt(afterMs)) / dayMs);
  // The clocks are changed on one day at most, and one zone has skipped a whole day.
  for (let day = today; ; day += 1) {
    const local = day * dayMs + timeMs;
    const candidates = [offsetAt(local - dayMs), offsetAt(local + dayMs)]
      .map((offsetMs) => local - offsetMs)
      .filter((ms) => ms > afterMs && ms + offsetAt(ms) === local);
    if (candidates.length > 0) return Math.min(...candidates);
  }
}
