import type { Break } from './break.ts';

function inFile(file: string, about: string, from: string, to: string): Break {
  return { campaign: 'phrases', engine: 'sqlite', about, file: `src/voice/${file}`, from, to };
}

export const breaks: readonly Break[] = [
  inFile('understanding/work.ts', 'the work of a reply has no limit', 'return this.#left < 0;', 'return false;'),
  inFile(
    'understanding/counted-text.ts',
    'what patterns read is not counted',
    'if (!this.#work.take(this.#stepsPerRead)) throw new TooMuchWork();',
    '',
  ),
  inFile(
    'text/normalized.ts',
    'thousands of marks are put in order at once',
    '[\\p{M}\\p{Cf}\\uFF9E\\uFF9F]{0,30}',
    '[\\p{M}\\p{Cf}\\uFF9E\\uFF9F]*',
  ),
];
