import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'rejections have no Retry-After',
    engine: 'sqlite',
    in: 'Exchange.refuse',
    statement: 'this.setHeaders(error.headers)',
  },
  {
    about: 'a rejected request gets 403 instead of 503',
    engine: 'sqlite',
    in: 'createOperation',
    replace: 'exchange.refuse(overloaded)',
    with: "exchange.refuse(Object.assign(Object.create(overloaded), { code: 'SCOPE_INSUFFICIENT' }))",
  },
];
