import { z } from 'zod';

/**
 * A string with a length limit in Unicode code points, which is also what JSON Schema counts.
 * zod's own `min` and `max` count UTF-16 code units, in which one emoji counts as two.
 */
export function text({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .superRefine((value, context) => {
      // A string never has more code points than units, so only long ones need to be counted.
      if (value.length < min) context.addIssue({ code: 'custom', message: tooShort(min) });
      else if (value.length > max && codePoints(value) > max) {
        context.addIssue({ code: 'custom', message: `must be at most ${characters(max)} long` });
      } else if (min > 1 && codePoints(value) < min) context.addIssue({ code: 'custom', message: tooShort(min) });
    })
    .meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });
}

function tooShort(min: number): string {
  return min === 1 ? 'must not be empty' : `must be at least ${characters(min)} long`;
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}
