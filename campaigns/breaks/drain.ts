import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'drain',
    about: 'idle connections are closed at the signal',
    engine: 'both',
    file: 'src/lifecycle.ts',
    from: 'const quietMs = 1000;',
    to: 'const quietMs = 0;',
  },
  {
    campaign: 'drain',
    about: 'nobody is told that an answer was the last on its connection',
    engine: 'both',
    file: 'src/http/exchange.ts',
    from: "this.#parts.lifecycle.stage === 'closing'",
    to: 'false',
  },
  {
    campaign: 'drain',
    about: 'the process ends without waiting for what is in work',
    engine: 'both',
    file: 'src/main.ts',
    from: '    await drain(server.doors, lifecycle);\n    await server.close();\n',
    to: '',
  },
];
