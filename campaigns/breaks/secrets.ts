// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a saved response with a secret is not encrypted',
    engine: 'both',
    in: 'perform.sealWith',
    replace: 'operation.success.isSecret',
    with: 'false',
  },
  {
    about: 'an Idempotency-Key is stored in plain text',
    engine: 'both',
    in: 'createIdempotencyStore.rowOf',
    replace: "createHash('sha256').update(key).digest('base64url')",
    with: 'key',
  },
  {
    about: 'request logs contain the URL',
    engine: 'both',
    in: 'Exchange.#log',
    replace: 'this.#routeId',
    with: 'this.url',
  },
  {
    about: 'the error for an invalid body quotes it',
    engine: 'both',
    in: 'parse',
    statement: 'throw new BodyError',
    with: 'throw new BodyError(`the body is not valid JSON${place} ${(error as Error).message}`);',
  },
  {
    about: 'the hint of a key shows too much of it',
    engine: 'both',
    in: 'hintOf',
    replace: 'prefix.length + 4',
    with: 'prefix.length + 8',
  },
  {
    about: 'the operator’s key is printed at startup',
    engine: 'both',
    in: 'bannerText.key',
    replace: "isOwnKey ? '$BOOTSTRAP_API_KEY' : firstKey.secret",
    with: 'firstKey.secret',
  },
  {
    about: 'the database URL is shown with its password',
    engine: 'postgres',
    in: 'describeDatabase',
    replace: '${url.host}${url.pathname}',
    with: '${url.href}',
  },
  {
    about: 'a key in place of an id is printed by the command line',
    engine: 'both',
    in: 'shown',
    replace: '/^key_\\w*$/.test(id)',
    with: 'true',
  },
];
