// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

const campaign = 'tenants';

export const breaks: readonly Break[] = [
  {
    campaign,
    about: 'an agent is found by its id alone',
    engine: 'both',
    file: 'src/areas/agents/store.ts',
    from: 'get: `SELECT ${document} FROM agents WHERE workspace_id = $1 AND id = $2`',
    to: "get: `SELECT ${document} FROM agents WHERE $1 <> '' AND id = $2`",
  },
  {
    campaign,
    about: 'an API key is found by its id alone',
    engine: 'both',
    file: 'src/areas/keys/store.ts',
    from: "findOne(queries, 'k.workspace_id = $1 AND k.id = $2', [workspaceId, id])",
    to: "findOne(queries, 'k.id = $1', [id])",
  },
  {
    campaign,
    about: 'the audit log of a resource includes every workspace',
    engine: 'both',
    file: 'src/areas/audit/store.ts',
    from: '`FROM audit_log WHERE workspace_id = $1 AND id < ${place} ${condition}`',
    to: "`FROM audit_log WHERE $1 <> '' AND id < ${place} ${condition}`",
  },
  {
    campaign,
    about: 'a response cached for one workspace is served to another',
    engine: 'sqlite',
    file: 'src/storage/cache/read-cache.ts',
    from: 'entry?.workspaceId === workspaceId && entry.generation',
    to: 'entry?.generation',
  },
  {
    campaign,
    about: 'an Idempotency-Key is shared by all workspaces',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: '    scope,\n    createHash(',
    to: "    scope.replace(/.+/, 'everybody'),\n    createHash(",
  },
  {
    campaign,
    about: 'a cursor is valid in every workspace',
    engine: 'both',
    file: 'src/core/cursor.ts',
    from: '\\n${workspaceId}\\n${JSON.stringify(params)}',
    to: '\\n${workspaceId.length}\\n${JSON.stringify(params)}',
  },
  {
    campaign,
    about: 'agents:read allows reading the audit log',
    engine: 'both',
    file: 'src/http/operations/serve.ts',
    from: 'if (scope === null || caller.scopes.has(scope)) return;',
    to: "if (scope === null || caller.scopes.has(scope) || (id === 'auditLog.list' && caller.scopes.has('agents:read'))) return;",
  },
  {
    campaign,
    about: 'the content is validated before the rate limit',
    engine: 'both',
    file: 'src/http/operations/serve.ts',
    from: 'if (refusal !== null) throw refusal;',
    to: "if (refusal !== null && !exchange.url.includes('unknown')) throw refusal;",
  },
  {
    campaign,
    about: 'the first of two different keys is used',
    engine: 'both',
    file: 'src/areas/keys/authenticate.ts',
    from: "if (bearer === '' || (own !== undefined && own !== bearer)) throw",
    to: "if (bearer === '') throw",
  },
  {
    campaign,
    about: 'changes of other processes do not invalidate the read cache',
    engine: 'sqlite',
    file: 'src/storage/cache/read-cache.ts',
    from: '      this.#clear();\n      this.#version = version;',
    to: '      this.#version = version;',
  },
];
