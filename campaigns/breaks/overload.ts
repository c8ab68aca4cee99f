import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'overload',
    about: 'refusals do not say when to come back',
    engine: 'sqlite',
    file: 'src/http/operations/exchange.ts',
    from: '    this.setHeaders(error.headers);\n',
    to: '',
  },
  {
    campaign: 'overload',
    about: 'a refused request is told that a scope is missing',
    engine: 'sqlite',
    file: 'src/http/operations/serve.ts',
    from: 'exchange.refuse(overloaded);',
    to: "exchange.refuse(Object.assign(Object.create(overloaded), { code: 'SCOPE_INSUFFICIENT' }));",
  },
];
