// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

const campaign = 'secrets';

export const breaks: readonly Break[] = [
  {
    campaign,
    about: 'a saved response with a secret is not encrypted',
    engine: 'both',
    file: 'src/http/operations/serve.ts',
    from: 'const sealWith = operation.success.isSecret ? secretIn(exchange.headers) : null;',
    to: 'const sealWith = secretIn(exchange.headers) === operation.id ? operation.id : null;',
  },
  {
    campaign,
    about: 'an Idempotency-Key is stored in plain text',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: "    createHash('sha256').update(key).digest('base64url'),",
    to: "    key || createHash('sha256').update(key).digest('base64url'),",
  },
  {
    campaign,
    about: 'request logs contain the URL',
    engine: 'both',
    file: 'src/http/operations/exchange.ts',
    from: 'route: this.#routeId,',
    to: "route: this.#routeId === '' ? this.#routeId : this.url,",
  },
  {
    campaign,
    about: 'the error for an invalid body quotes it',
    engine: 'both',
    file: 'src/http/operations/body.ts',
    from: "throw new BodyError(`the body is not valid JSON${place === undefined ? '' : ` ${place}`}`);",
    to: 'throw new BodyError(`the body is not valid JSON${place} ${(error as Error).message}`);',
  },
  {
    campaign,
    about: 'the hint of a key shows too much of it',
    engine: 'both',
    file: 'src/areas/keys/secret.ts',
    from: 'secret.slice(0, prefix.length + 4)',
    to: 'secret.slice(0, prefix.length + 8)',
  },
  {
    campaign,
    about: 'the operator’s key is printed at startup',
    engine: 'both',
    file: 'src/process/banner.ts',
    from: "const key = isOwnKey ? '$BOOTSTRAP_API_KEY' : firstKey.secret;",
    to: 'const key = firstKey.secret;',
  },
  {
    campaign,
    about: 'the database URL is shown with its password',
    engine: 'postgres',
    file: 'src/process/banner.ts',
    from: 'return `PostgreSQL at ${url.host}${url.pathname}`;',
    to: 'return `PostgreSQL at ${url.href}`;',
  },
  {
    campaign,
    about: 'a key in place of an id is printed by the command line',
    engine: 'both',
    file: 'src/cli/keys/database-keys.ts',
    from: "const shown = /^key_\\w*$/.test(id) ? id : 'with this id (ids start with key_)';",
    to: 'const shown = id;',
  },
];
