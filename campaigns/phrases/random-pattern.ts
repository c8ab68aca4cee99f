import type { Random } from '../random.ts';

/** Few different characters, so that texts made from them match often and almost match everywhere. */
export const letters = ['a', 'b', 'x', '予', '約', 'を', '1', ' '];
const classes = ['.', '\\w', '\\d', '\\pL', '[^x]', '[a-z]', '[ぁ-ん]', '\\S', '(?:a|b|ab)', '(?i:A)'];
const assertions = ['^', '$', '\\b', '\\B'];
const repetitions = ['*', '+', '?', '*?', '{2,5}', '{0,20}', '{1,100}', '{30}'];

/** A pattern as its author might write it, or as somebody might write it who wants to stop the service. */
export function randomPattern(random: Random): string {
  const body = random.chance(0.3) ? optionalTail(random) : sequence(random, 3);
  return random.chance(0.1) ? `${'('.repeat(40)}${body}${')'.repeat(40)}` : body;
}

/** Matches one character anywhere, and reads to the end of the text to find out whether it could be more. */
function optionalTail(random: Random): string {
  const parts = Array.from({ length: random.int(1, 4) }, () => `.*${random.pick(letters)}`);
  return `${random.pick(letters)}(${parts.join('')}${sequence(random, 1)})?`;
}

function sequence(random: Random, depth: number): string {
  return Array.from({ length: random.int(1, 4) }, () => piece(random, depth)).join('');
}

function piece(random: Random, depth: number): string {
  const atom = atomOf(random, depth);
  return random.chance(0.5) ? atom + random.pick(repetitions) : atom;
}

function atomOf(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.3)) {
    const choices = Array.from({ length: random.int(1, 3) }, () => sequence(random, depth - 1));
    return `(${random.chance(0.5) ? '?:' : ''}${choices.join('|')}${random.chance(0.2) ? '|' : ''})`;
  }
  if (random.chance(0.1)) return `(?:${random.pick(assertions)})`;
  return random.chance(0.5) ? random.pick(letters) : random.pick(classes);
}
