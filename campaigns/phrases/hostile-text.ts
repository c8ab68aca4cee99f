import type { Random } from '../random.ts';
import { letters } from './random-pattern.ts';

/** The longest message of a chat. */
const maxLength = 10_000;
/** Fillers, answers, dates, marks that normalizing puts in order, a character that stands for a phrase, and pauses. */
const pieces = [
  ...letters,
  ...['はい、', 'えっと', 'no, ', '明日', '1/1/', 'next ', 'いち', 'ゼロ', '@', 'ドット', 'です。', '。', '…', '\n'],
  ...['\u0301', '\u0323', 'ﷺ', 'ß', '😀', '\u200b', '{{a}}'],
];

/** What no caller says: a few pieces over and over, up to the longest message. */
export function hostileText(random: Random): string {
  const used = Array.from({ length: random.int(1, 4) }, () => random.pick(pieces));
  const length = random.pick([60, 400, 500, 1000, 1100, maxLength]);
  const isRegular = random.chance(0.6);
  const whole: string[] = [];
  for (let size = 0, count = 0; size < length; count += 1) {
    const next = isRegular ? (used[count % used.length] as string) : random.pick(used);
    whole.push(next);
    size += next.length;
  }
  return whole.join('').slice(0, length);
}
