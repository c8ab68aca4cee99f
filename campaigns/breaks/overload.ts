import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'overload',
    about: 'rejections have no Retry-After',
    engine: 'sqlite',
    file: 'src/http/operations/exchange.ts',
    from: '    this.setHeaders(error.headers);\n',
    to: '',
  },
  {
    campaign: 'overload',
    about: 'a rejected request gets 403 instead of 503',
    engine: 'sqlite',
    file: 'src/http/operations/serve.ts',
    from: 'exchange.refuse(overloaded);',
    to: "exchange.refuse(Object.assign(Object.create(overloaded), { code: 'SCOPE_INSUFFICIENT' }));",
  },
];
