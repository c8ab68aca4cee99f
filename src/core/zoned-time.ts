/** Writes times with the offset that a time zone has then, such as 2026-12-18T09:30:00.000+09:00. */
export function zonedTimes(timeZone: string): (time: string | number) => string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset', hour: 'numeric' });
  return (time) => {
    const ms = typeof time === 'number' ? time : Date.parse(time);
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '00', minutes = '00', seconds = '00'] =
      /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    const offsetMs = Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return `${new Date(ms + offsetMs).toISOString().slice(0, -1)}${sign}${hours}:${minutes}`;
  };
}
