import type { Break } from './break.ts';

function inFile(file: string, about: string, from: string, to: string): Break {
  return { campaign: 'phrases', engine: 'sqlite', about, file: `src/voice/${file}`, from, to };
}

export const breaks: readonly Break[] = [
  inFile('understanding/work.ts', 'the work of a reply has no limit', 'return this.#left >= 0;', 'return true;'),
  inFile(
    'understanding/counted-text.ts',
    'what patterns read is not counted',
    'if (!this.#work.take(this.#stepsPerRead)) throw new TooMuchWork();',
    '',
  ),
  inFile(
    'understanding/phrases.ts',
    'phrases see the whole text',
    'return text.length <= 2 * seenLength ? text :',
    'return text.length >= 0 ? text :',
  ),
];
