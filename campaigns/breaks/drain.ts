import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'drain',
    about: 'idle connections are closed at the signal',
    engine: 'both',
    file: 'src/http/shutdown.ts',
    from: 'const quietMs = 1000;',
    to: 'const quietMs = 0;',
  },
  {
    campaign: 'drain',
    about: 'the last response on a connection does not announce the close',
    engine: 'both',
    file: 'src/http/operations/exchange.ts',
    from: "lifecycle.stage === 'closing' && ",
    to: 'lifecycle.lastRequestAt < 0 && ',
  },
  {
    campaign: 'drain',
    about: 'the process ends without waiting for requests in progress',
    engine: 'both',
    file: 'src/main.ts',
    from: '    await drain(app.server, lifecycle, { socketMs });\n    await app.close();\n',
    to: '',
  },
];
