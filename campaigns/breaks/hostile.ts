import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'texts with their values are not bounded',
    engine: 'sqlite',
    in: 'fitted',
    replace: 'Math.max(0, room.left)',
    with: 'Number.MAX_SAFE_INTEGER',
  },
  {
    about: 'a page that floods is told so and stays connected',
    engine: 'sqlite',
    in: 'LiveSocket.#tooMuch',
    statement: 'this.reject(',
  },
];
