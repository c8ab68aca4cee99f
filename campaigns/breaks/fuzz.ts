import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'fuzz',
    about: 'a method that no route has gets 500',
    engine: 'sqlite',
    file: 'src/http/server.ts',
    from: '    return allowed.length > 0 ? methodNotAllowed(allowed) : pathNotFound();',
    to: '    throw new Error(String(allowed.length || pathNotFound()) + methodNotAllowed(allowed));',
  },
  {
    campaign: 'fuzz',
    about: 'NUL and half surrogate pairs in bodies go through to the database',
    engine: 'both',
    file: 'src/http/operations/validation.ts',
    from: '    for (const issue of findUnstorable(body)) issues.add(issue);\n',
    to: '',
  },
  {
    campaign: 'fuzz',
    about: 'the last of two parameters of the same name counts',
    engine: 'sqlite',
    file: 'src/http/operations/query.ts',
    from: "    if (parameters.has(name)) parameters.set(name, { issue: 'must be given only once' });\n    else if",
    to: '    if',
  },
  {
    campaign: 'fuzz',
    about: 'a refusal has an id of its own in the body',
    engine: 'sqlite',
    file: 'src/http/operations/exchange.ts',
    from: 'JSON.stringify(errorBodyOf(error, this.requestId))',
    to: "JSON.stringify(errorBodyOf(error, 'req_none'))",
  },
  {
    campaign: 'fuzz',
    about: 'a key is answered with a field that the contract does not have',
    engine: 'sqlite',
    file: 'src/areas/keys/routes.ts',
    from: '    hint: key.hint,\n',
    to: "    hint: key.hint,\n    ...{ digest: 'x' },\n",
  },
];
