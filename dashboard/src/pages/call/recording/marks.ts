import type { Turn } from '../../../../../sdk/src/index.ts';

/** Something in a recording that is worth listening to. */
export interface Mark {
  readonly kind: 'interruption' | 'silence';
  readonly startMs: number;
  /** The same as the start for an interruption, which is a moment. */
  readonly endMs: number;
}

/** Shorter pauses are part of any conversation. */
export const minSilenceMs = 2000;

type SpokenTurn = Pick<Turn, 'role' | 'startMs' | 'endMs' | 'interrupted'>;

/** Where the caller interrupted the agent, and where nobody spoke, in order. */
export function marksOf(turns: readonly SpokenTurn[], durationMs: number): readonly Mark[] {
  const spoken = turns.filter(({ role }) => role !== 'tool').toSorted((one, other) => one.startMs - other.startMs);
  const marks: Mark[] = [];
  let quietFrom = 0;
  const addSilence = (endMs: number) => {
    if (endMs - quietFrom >= minSilenceMs) marks.push({ kind: 'silence', startMs: quietFrom, endMs });
  };
  for (const { startMs, endMs, interrupted } of spoken) {
    addSilence(Math.min(startMs, durationMs));
    if (interrupted && endMs <= durationMs) marks.push({ kind: 'interruption', startMs: endMs, endMs });
    quietFrom = Math.max(quietFrom, endMs);
  }
  addSilence(durationMs);
  return marks.toSorted((one, other) => one.startMs - other.startMs);
}

/** The next mark of a kind after this time; after the last one, the first. */
export function nextMark(marks: readonly Mark[], kind: Mark['kind'], ms: number): Mark | null {
  const ofKind = marks.filter((mark) => mark.kind === kind);
  return ofKind.find(({ startMs }) => startMs > ms) ?? ofKind[0] ?? null;
}
