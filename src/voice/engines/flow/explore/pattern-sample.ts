/**
 * A text that a regular expression matches, for the patterns that people write as phrases: the first alternative, the
 * first character of a class, every optional part left out. Undefined where this reads too little of the syntax.
 */
export function sampleOf(pattern: string): string | undefined {
  const reader = new PatternReader(pattern);
  const sample = reader.alternatives();
  return reader.isAtEnd ? sample : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: ' ',
  S: 'a',
  b: '',
  B: '',
  A: '',
  z: '',
};

class PatternReader {
  readonly #characters: readonly string[];
  #place = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  get isAtEnd(): boolean {
    return this.#place >= this.#characters.length;
  }

  alternatives(): string {
    const first = this.#sequence();
    while (this.#take('|')) this.#sequence();
    return first;
  }

  #sequence(): string {
    let text = '';
    while (!this.isAtEnd && this.#next !== '|' && this.#next !== ')') {
      const piece = this.#piece();
      text += piece.repeat(this.#repetitions());
    }
    return text;
  }

  #piece(): string {
    const character = this.#advance();
    if (character === '^' || character === '$') return '';
    if (character === '.') return 'a';
    if (character === '[') return this.#class();
    if (character === '\\') {
      const escaped = this.#advance();
      return escapes[escaped] ?? escaped;
    }
    if (character !== '(') return character;
    if (this.#take('?')) while (!this.isAtEnd && !/[:>]/.test(this.#advance()));
    const inner = this.alternatives();
    this.#take(')');
    return inner;
  }

  #class(): string {
    const isNegated = this.#take('^');
    let first = '';
    for (let character = this.#advance(); character !== ']' && character !== ''; character = this.#advance()) {
      if (character === '\\') character = escapes[this.#next ?? ''] ?? this.#next ?? '';
      if (first === '') first = character;
    }
    return isNegated ? '々' : first;
  }

  #repetitions(): number {
    if (this.#take('*') || this.#take('?')) {
      this.#take('?');
      return 0;
    }
    if (this.#take('+')) {
      this.#take('?');
      return 1;
    }
    if (this.#next !== '{') return 1;
    let count = '';
    for (let character = this.#advance(); character !== '}' && character !== ''; character = this.#advance()) {
      count += character;
    }
    return Math.min(Number.parseInt(count.slice(1), 10) || 0, 20);
  }

  get #next(): string | undefined {
    return this.#characters[this.#place];
  }

  #advance(): string {
    return this.#characters[this.#place++] ?? '';
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false;
    this.#place += 1;
    return true;
  }
}
