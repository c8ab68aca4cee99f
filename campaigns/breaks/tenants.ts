// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a call is found by its id alone',
    engine: 'both',
    in: 'createCallStore.sql.find',
    replace: 'workspace_id = $1',
    with: "$1 <> ''",
  },
  {
    about: 'a delivery is found by its id alone',
    engine: 'both',
    in: 'createDeliveryStore.sql.get',
    replace: 'workspace_id = $1 AND webhook_id = $2',
    with: "$1 <> '' AND $2 <> ''",
  },
  {
    about: 'an agent is found by its id alone',
    engine: 'both',
    in: 'statements.get',
    replace: 'workspace_id = $1',
    with: "$1 <> ''",
  },
  {
    about: 'an API key is found by its id alone',
    engine: 'both',
    in: 'createKeyStore.find',
    replace: "'k.workspace_id = $1 AND k.id = $2', [workspaceId, id]",
    with: "'k.id = $1', [id]",
  },
  {
    about: 'the audit log of a resource includes every workspace',
    engine: 'both',
    in: 'entriesBefore',
    replace: 'workspace_id = $1',
    with: "$1 <> ''",
  },
  {
    about: 'a response cached for one workspace is served to another',
    engine: 'sqlite',
    in: 'ReadCache.read.isValid',
    replace: 'entry?.workspaceId === workspaceId && entry.generation',
    with: 'entry?.generation',
  },
  {
    about: 'an Idempotency-Key is shared by all workspaces',
    engine: 'both',
    in: 'createIdempotencyStore.rowOf',
    replace: '[ scope,',
    with: "['everybody',",
  },
  {
    about: 'a cursor is valid in every workspace',
    engine: 'both',
    in: 'createCursorCodec.tagOf',
    replace: '${workspaceId}',
    with: '',
  },
  {
    about: 'agents:read allows reading the audit log',
    engine: 'both',
    in: 'checkScope',
    replace: 'caller.scopes.has(scope)',
    with: "caller.scopes.has(scope) || (id === 'auditLog.list' && caller.scopes.has('agents:read'))",
  },
  {
    about: 'the content is validated before the rate limit',
    engine: 'both',
    in: 'applyRateLimit',
    replace: 'refusal !== null',
    with: "refusal !== null && !exchange.url.includes('unknown')",
  },
  {
    about: 'the first of two different keys is used',
    engine: 'both',
    in: 'secretIn',
    replace: '|| (own !== undefined && own !== bearer)',
    with: '',
  },
  {
    about: 'changes of other processes do not invalidate the read cache',
    engine: 'sqlite',
    in: 'ReadCache.read',
    statement: 'this.#clear()',
  },
];
