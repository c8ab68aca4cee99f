/** Approximate compile times in microseconds, rounded up: hostile patterns must not be underestimated. */
const costOf = {
  character: 6,
  /** Each copy that a counted repetition makes. */
  copy: 3,
  /** `\pL`: thousands of ranges to look up. */
  unicodeClass: 150,
  /** A range in a case-insensitive class: RE2 folds every character in it. */
  foldedRange: 4000,
};

interface Piece {
  /** How many characters of the pattern it takes. */
  readonly length: number;
  readonly cost: number;
}

/**
 * An upper bound for the time RE2 needs to compile a pattern, without compiling it. RE2 matches in linear time, but it
 * expands counted repetitions, including nested ones: `x{1000}` becomes a thousand instructions. This parses the pattern
 * only as far as needed to recognize groups, classes and escapes.
 */
export function patternCost(pattern: string): number {
  const ignoresCase = /\(\?[a-zA-Z]*i/.test(pattern);
  const groups = [0];
  let cost = 0;
  /** The size of what a following repetition would repeat. */
  let lastSize = 0;
  const add = (size: number): void => {
    lastSize = size;
    groups[groups.length - 1] = (groups.at(-1) as number) + size;
  };
  for (let place = 0; place < pattern.length; ) {
    const character = pattern[place] as string;
    if (character === '(') {
      groups.push(0);
      place += 1;
    } else if (character === ')') {
      // RE2 reports unmatched parentheses; here they close nothing.
      const size = groups.length > 1 ? (groups.pop() as number) : (groups[0] as number);
      add(size + 2);
      place += 1;
    } else {
      const times = repetitionAt(pattern, place);
      if (times !== undefined) {
        const copies = lastSize * Math.max(times.count, 1) + times.count;
        add(copies);
        place += times.length;
      } else {
        const piece = pieceAt(pattern, place, ignoresCase);
        cost += piece.cost;
        // Between \Q and \E every character counts on its own.
        add(Math.max(1, pattern.startsWith('\\Q', place) ? piece.length : 2));
        place += piece.length;
      }
    }
  }
  const size = groups.reduce((sum, each) => sum + each, 0);
  return cost + costOf.character * pattern.length + costOf.copy * size;
}

function repetitionAt(pattern: string, place: number): { readonly length: number; readonly count: number } | undefined {
  if (pattern[place] !== '{') return undefined;
  const match = /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(place, place + 24));
  if (match === null) return undefined;
  return { length: match[0].length, count: Math.max(Number(match[1]), Number(match[2] ?? 0)) };
}

/** A character, an escape, a quotation or a class. */
function pieceAt(pattern: string, place: number, ignoresCase: boolean): Piece {
  if (pattern[place] === '\\') return escapeAt(pattern, place);
  return pattern[place] === '[' ? classAt(pattern, place, ignoresCase) : { length: 1, cost: 0 };
}

function escapeAt(pattern: string, place: number): Piece {
  const kind = pattern[place + 1];
  if (kind === 'Q') {
    const end = pattern.indexOf('\\E', place + 2);
    return { length: end === -1 ? pattern.length - place : end + 2 - place, cost: 0 };
  }
  const cost = kind === 'p' || kind === 'P' ? costOf.unicodeClass : 0;
  const takesBraces = kind === 'p' || kind === 'P' || kind === 'x';
  const end = takesBraces && pattern[place + 2] === '{' ? pattern.indexOf('}', place) : -1;
  return { length: end === -1 ? 2 : end + 1 - place, cost };
}

function classAt(pattern: string, start: number, ignoresCase: boolean): Piece {
  let place = start + 1;
  let cost = 0;
  if (pattern[place] === '^') place += 1;
  // A bracket right at the start of a class is a literal.
  if (pattern[place] === ']') place += 1;
  while (place < pattern.length && pattern[place] !== ']') {
    if (pattern[place] === '\\') {
      const escaped = escapeAt(pattern, place);
      // \Q does not quote inside a class.
      place += pattern[place + 1] === 'Q' ? 2 : escaped.length;
      cost += escaped.cost;
    } else if (pattern.startsWith('[:', place) && pattern.includes(':]', place + 2)) {
      place = pattern.indexOf(':]', place + 2) + 2;
    } else {
      if (pattern[place] === '-' && ignoresCase && !isShortRange(pattern, place)) cost += costOf.foldedRange;
      place += 1;
    }
  }
  return { length: place + 1 - start, cost };
}

/** A range between two letters or digits, as in `[a-z0-9]`, or no range at all, as in `[+-]`. */
function isShortRange(pattern: string, dash: number): boolean {
  return pattern[dash + 1] === ']' || /^[0-9A-Za-z]-[0-9A-Za-z]$/.test(pattern.slice(dash - 1, dash + 2));
}
