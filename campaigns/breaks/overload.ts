import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'overload',
    about: 'refusals do not say when to come back',
    engine: 'sqlite',
    file: 'src/http/exchange.ts',
    from: '    this.addAll(error.headers);\n',
    to: '',
  },
  {
    campaign: 'overload',
    about: 'everybody is refused as soon as somebody waits',
    engine: 'sqlite',
    file: 'src/http/turnstile.ts',
    from: 'const longestWaitMs = 1000;',
    to: 'const longestWaitMs = -1;',
  },
];
