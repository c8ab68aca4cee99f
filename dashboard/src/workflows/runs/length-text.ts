import type { Format } from '../../language/format.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** From milliseconds to days. */
export function lengthText(ms: number, format: Pick<Format, 'milliseconds' | 'clock' | 'rounded'>): string {
  if (ms < minuteMs) return format.milliseconds(ms);
  return ms < dayMs ? format.clock(ms) : `${format.rounded(ms / dayMs)} d`;
}
