/** A table whose rows go into a backup, as one schema has it. */
export interface Table {
  readonly name: string;
  /** Unique, and the order of the rows in a backup. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/**
 * Everything that cannot be made again, by the schema that brought the columns. A table stands after those that it refers
 * to.
 */
const tables: readonly {
  name: string;
  key: readonly string[];
  columns: Readonly<Record<number, readonly string[]>>;
}[] = [
  { name: 'settings', key: ['name'], columns: { 1: ['name', 'value'] } },
  { name: 'workspaces', key: ['id'], columns: { 1: ['id', 'name', 'created_at'] } },
  {
    name: 'api_keys',
    key: ['id'],
    columns: {
      1: ['id', 'workspace_id', 'name', 'hash', 'hint', 'scopes', 'created_at', 'expires_at', 'revoked_at'],
      2: ['last_used_at', 'rotated_at'],
    },
  },
  {
    name: 'agents',
    key: ['workspace_id', 'id'],
    columns: {
      1: ['workspace_id', 'id', 'folded_name', 'doc_version', 'doc'],
      2: ['version', 'is_published', 'etag'],
    },
  },
  {
    name: 'agent_versions',
    key: ['workspace_id', 'agent_id', 'version'],
    columns: { 2: ['workspace_id', 'agent_id', 'version', 'etag', 'doc_version', 'doc'] },
  },
  {
    name: 'idempotency_keys',
    key: ['workspace_id', 'key_hash'],
    columns: { 2: ['workspace_id', 'key_hash', 'fingerprint', 'expires_at', 'status', 'headers', 'body'] },
  },
  {
    name: 'audit_log',
    key: ['workspace_id', 'id'],
    columns: { 2: ['workspace_id', 'id', 'resource_id', 'doc'] },
  },
  {
    name: 'jobs',
    key: ['id'],
    columns: {
      7: [
        'id',
        'kind',
        'workspace_id',
        'payload',
        'dedupe_key',
        'state',
        'run_at',
        'lease_owner',
        'lease_until',
        'attempt',
        'max_attempts',
        'last_error',
        'created_at',
        'finished_at',
      ],
    },
  },
];

/** What the service makes by itself: the index of names, counts of a day and less, the record of the schema. */
export const leftOut = [
  'agent_grams',
  'agent_blocks',
  'agent_shelves',
  'rate_limits',
  'request_figures',
  'schema_migrations',
] as const;

/** The tables of a schema, in the order in which they are read and filled. */
export function tablesOf(schema: number): Table[] {
  return tables
    .map(({ name, key, columns }) => ({ name, key, columns: columnsOf(columns, schema) }))
    .filter((table) => table.columns.length > 0);
}

function columnsOf(columns: Readonly<Record<number, readonly string[]>>, schema: number): string[] {
  return Object.entries(columns).flatMap(([since, names]) => (Number(since) <= schema ? names : []));
}
