import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'fuzz',
    about: 'an unknown method gets 500',
    engine: 'sqlite',
    file: 'src/http/server.ts',
    from: '    return allowed.length > 0 ? methodNotAllowed(allowed) : pathNotFound();',
    to: '    throw new Error(String(allowed.length || pathNotFound()) + methodNotAllowed(allowed));',
  },
  {
    campaign: 'fuzz',
    about: 'NUL and unpaired surrogates in bodies reach the database',
    engine: 'both',
    file: 'src/http/operations/validation.ts',
    from: '    for (const issue of findUnstorable(body)) issues.add(issue);\n',
    to: '',
  },
  {
    campaign: 'fuzz',
    about: 'a parameter that is no list may be repeated',
    engine: 'sqlite',
    file: 'src/http/operations/query.ts',
    from: "    if (earlier !== undefined && !lists.has(name)) parameters.set(name, { issue: 'must be given only once' });\n    else if",
    to: '    if',
  },
  {
    campaign: 'fuzz',
    about: 'an error body has its own request id',
    engine: 'sqlite',
    file: 'src/http/operations/exchange.ts',
    from: 'JSON.stringify(errorBodyOf(error, this.requestId))',
    to: "JSON.stringify(errorBodyOf(error, 'req_none'))",
  },
  {
    campaign: 'fuzz',
    about: 'the response for a key has a field that is not in the contract',
    engine: 'sqlite',
    file: 'src/areas/keys/routes.ts',
    from: '    hint: key.hint,\n',
    to: "    hint: key.hint,\n    ...{ digest: 'x' },\n",
  },
];
