import { z } from 'zod';
import { text } from '../text.ts';

export function number(min: number, max: number) {
  return z.number().min(min).max(max);
}

export function integer(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** A list of texts that are not empty. */
export function texts(maxLength: number, maxCount: number) {
  return z.array(text({ min: 1, max: maxLength })).max(maxCount);
}
