import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'an unknown method gets 500',
    engine: 'sqlite',
    in: 'createRequestHandler.unmatched',
    statement: 'methodNotAllowed(',
    with: 'throw new Error(String(allowed));',
  },
  {
    about: 'NUL and unpaired surrogates in bodies reach the database',
    engine: 'both',
    in: 'readBody',
    statement: 'findUnstorable(body)',
  },
  {
    about: 'a parameter that is no list may be repeated',
    engine: 'sqlite',
    in: 'parseQuery',
    replace: 'earlier !== undefined && !lists.has(name)',
    with: 'false',
  },
  {
    about: 'an error body has its own request id',
    engine: 'sqlite',
    in: 'Exchange.refuse',
    replace: 'errorBodyOf(error, this.requestId)',
    with: "errorBodyOf(error, 'req_none')",
  },
  {
    about: 'the response for a key has a field that is not in the contract',
    engine: 'sqlite',
    in: 'bodyOf',
    replace: 'hint: key.hint,',
    with: "hint: key.hint, digest: 'x',",
  },
  {
    about: 'requests of a carrier need no signature',
    engine: 'sqlite',
    in: 'createCarrierRoutes.signed',
    statement: 'throw signatureRequired()',
  },
  {
    about: 'a report of a carrier that cannot be read gets 500',
    engine: 'sqlite',
    in: 'createCarrierRoutes.route',
    replace: 'error instanceof ReportError ? malformed(error.message) : error',
    with: 'error',
  },
];
