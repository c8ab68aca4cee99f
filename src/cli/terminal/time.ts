const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Relative time on a terminal, the timestamp otherwise. */
export function describeTime(iso: string, stream: NodeJS.WriteStream, now = Date.now()): string {
  const agoMs = now - Date.parse(iso);
  if (!stream.isTTY || Number.isNaN(agoMs)) return iso;
  if (agoMs < minuteMs) return 'just now';
  if (agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min ago`;
  if (agoMs < dayMs) return `${Math.floor(agoMs / hourMs)} h ago`;
  if (agoMs < 30 * dayMs) return `${Math.floor(agoMs / dayMs)} d ago`;
  return iso.slice(0, 10);
}

/** Such as `850 ms`, `12 s` or `1 min 42 s`. */
export function describeDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
