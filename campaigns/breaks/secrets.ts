// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

const campaign = 'secrets';

export const breaks: readonly Break[] = [
  {
    campaign,
    about: 'a kept answer with a key in it is not sealed',
    engine: 'both',
    file: 'src/http/operations/serve.ts',
    from: 'const sealWith = operation.success.isSecret ? secretIn(exchange.headers) : null;',
    to: 'const sealWith = secretIn(exchange.headers) === operation.id ? operation.id : null;',
  },
  {
    campaign,
    about: 'an Idempotency-Key is stored as it is',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: "[workspaceId, createHash('sha256').update(key).digest('base64url')]",
    to: "[workspaceId, key || createHash('sha256').update(key).digest('base64url')]",
  },
  {
    campaign,
    about: 'the line of a request has its address',
    engine: 'both',
    file: 'src/http/operations/exchange.ts',
    from: 'route: this.#routeId,',
    to: "route: this.#routeId === '' ? this.#routeId : this.url,",
  },
  {
    campaign,
    about: 'a body that is no JSON is quoted',
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
    about: 'the operator’s own key is repeated at the start',
    engine: 'both',
    file: 'src/process/banner.ts',
    from: "const key = isOwnKey ? '$BOOTSTRAP_API_KEY' : firstKey.secret;",
    to: 'const key = firstKey.secret;',
  },
  {
    campaign,
    about: 'the address of the database is shown with its password',
    engine: 'postgres',
    file: 'src/process/banner.ts',
    from: 'return `PostgreSQL at ${url.host}${url.pathname}`;',
    to: 'return `PostgreSQL at ${url.href}`;',
  },
  {
    campaign,
    about: 'a key in place of its id is repeated on the command line',
    engine: 'both',
    file: 'src/cli/keys.ts',
    from: "return /^key_\\w*$/.test(id) ? id : 'with this id (ids start with key_)';",
    to: 'return id;',
  },
];
