import { RE2JS, RE2JSSyntaxException } from 're2js';
import { patternCost } from './pattern-cost.ts';

export const maxPatterns = 100;
/** In microseconds, for all patterns of an agent or a script together: compiling blocks the event loop. */
export const maxPatternCost = 100_000;

/**
 * Callers' patterns run on RE2, which matches in linear time; a pattern that RE2 cannot compile is rejected on input.
 * Compiling is not linear: a short pattern can take most of a second. So their number and cost are checked first.
 */
export function patternIssues(
  rules: readonly { find: string; isRegex?: boolean | undefined }[],
  maxCost: number = maxPatternCost,
) {
  const patterns = rules.flatMap(({ find, isRegex }, index) => (isRegex === true ? [{ find, index }] : []));
  if (patterns.length > maxPatterns) {
    return [{ path: [], message: `must have at most ${maxPatterns} regular expressions` }];
  }
  if (patterns.reduce((sum, { find }) => sum + patternCost(find), 0) > maxCost) {
    const message =
      'has regular expressions that are too complex in total: use smaller repetition counts, such as x{10} instead of x{1000}';
    return [{ path: [], message }];
  }
  return patterns.flatMap(({ find, index }) => {
    const compiled = compilePattern(find);
    return typeof compiled === 'string' ? [{ path: [index, 'find'], message: compiled }] : [];
  });
}

/** The compiled pattern, or what is wrong with it. Its cost must have been checked. */
export function compilePattern(source: string): RE2JS | string {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    return `is not a regular expression in RE2 syntax${reasonOf(error)}`;
  }
}

/** Without the rest of the message, which quotes the pattern: an issue names the field and never repeats its value. */
function reasonOf(error: unknown): string {
  return error instanceof RE2JSSyntaxException ? ` (${error.getDescription()})` : '';
}
