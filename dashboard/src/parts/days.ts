/** A day of a filter, such as 2026-11-15; empty if the text is none. */
export function dayOf(text: string | null): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(text ?? '')?.[0] ?? '';
  return day === '' || Number.isNaN(Date.parse(day)) ? '' : day;
}

/** The start of a day in the time zone of the browser, `days` later. */
export function startOf(day: string, days: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return new Date(year, month - 1, date + days).toISOString();
}
