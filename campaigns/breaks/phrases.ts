import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'the work of a reply has no limit',
    engine: 'sqlite',
    in: 'Work.take',
    replace: 'this.#left >= 0',
    with: 'true',
  },
  {
    about: 'what patterns read is not counted',
    engine: 'sqlite',
    in: 'CountedText.charCodeAt',
    statement: 'this.#work.take(',
  },
  {
    about: 'phrases see the whole text',
    engine: 'sqlite',
    in: 'withoutMiddle',
    replace: 'text.length <= 2 * seenLength',
    with: 'true',
  },
];
