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
    about: 'who is turned away is told that a scope is missing',
    engine: 'sqlite',
    file: 'src/http/register.ts',
    from: "serviceUnavailable('The service has more to do than it can.')",
    to: "scopeInsufficient('agents:read', 'none')",
  },
];
