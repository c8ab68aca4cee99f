import assert from 'node:assert/strict';
import {
  type AnswerContext,
  type AnswerKind,
  type AnswerValue,
  understand,
} from '../../../src/voice/understanding/answer.ts';

/** Wednesday, 2026-05-06, 12:00 in Tokyo. */
export const wednesday = Date.UTC(2026, 4, 6, 3);
export const day = 86_400_000;

export const japanese: AnswerContext = { language: 'ja', now: wednesday, timeZone: 'Asia/Tokyo' };
export const english: AnswerContext = { language: 'en', now: wednesday, timeZone: 'Asia/Tokyo' };

export type Row = readonly [words: string, value: AnswerValue | undefined];

/** Shows all rows that are wrong at once. */
export function check(as: AnswerKind, context: AnswerContext, rows: readonly Row[]): void {
  const wrong = rows.flatMap(([words, expected]) => {
    const actual = understand(as, words, context);
    return actual === expected ? [] : [{ words, expected, actual }];
  });
  assert.deepEqual(wrong, []);
}
