/** Shared parts of the plots. */
import type { Measured } from './figures.ts';
import { median } from './statistics.ts';
import { colours, rect, text } from './svg.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function find(measured: readonly Measured[], subject: string, work: string): Measured | undefined {
  return measured.find((one) => one.subject === subject && one.work === work);
}

/** The median of the ratios of the rounds, as in the table. NaN if one of the two was not measured. */
export function ratioOf(
  one: Measured | undefined,
  other: Measured | undefined,
  figure: keyof Measured['medians'],
): number {
  const ratios = one?.rounds.map((result, round) => result[figure] / (other?.rounds[round]?.[figure] ?? Number.NaN));
  return median(ratios ?? []);
}

export function legendOf(
  x: number,
  y: number,
  entries: readonly { name: string; colour: string }[],
  hasGoal: boolean,
): string {
  let place = x;
  const parts = entries.map(({ name, colour }) => {
    const part = rect(place, y - 9, 10, 10, colour, 2) + text(place + 15, y, name, { size: 12, colour: colours.quiet });
    place += 15 + name.length * 6.6 + 12;
    return part;
  });
  if (hasGoal)
    parts.push(goalMark(place + 4, y - 10, 12), text(place + 12, y, 'goal', { size: 12, colour: colours.quiet }));
  return parts.join('');
}

export function goalMark(x: number, y: number, height: number): string {
  return rect(x - 1.5, y, 3, height, colours.ink, 1);
}

export function whole(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

export function short(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000} M` : whole(count);
}
