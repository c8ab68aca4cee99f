/** A part of a text, and whether it matches the query. */
export interface TextPart {
  readonly text: string;
  readonly isHit: boolean;
}

/** Splits a text at its highlights. Overlapping ones become one. */
export function highlighted(text: string, highlights: readonly { start: number; end: number }[]): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const { start, end } of highlights.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, end);
    if (to <= from) continue;
    const last = parts.at(-1);
    if (from === at && last?.isHit) {
      parts[parts.length - 1] = { text: last.text + text.slice(from, to), isHit: true };
    } else {
      if (from > at) parts.push({ text: text.slice(at, from), isHit: false });
      parts.push({ text: text.slice(from, to), isHit: true });
    }
    at = to;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isHit: false });
  return parts;
}
