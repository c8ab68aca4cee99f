import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'idle connections are closed at the signal',
    engine: 'both',
    in: 'quietMs',
    replace: '1000',
    with: '0',
  },
  {
    about: 'the last response on a connection does not announce the close',
    engine: 'both',
    in: 'Exchange.#addConnectionHeader',
    replace: "lifecycle.stage === 'closing'",
    with: 'lifecycle.lastRequestAt < 0',
  },
  {
    about: 'the process ends without waiting for requests in progress',
    engine: 'both',
    in: 'stopOnSignals.stop',
    statement: 'await drain(',
    with: 'await database.close(); process.exit(0);',
  },
];
