import type { Row } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from './engines.ts';

/** The content of a database, read from its tables without using the backup code. */
export type Content = Readonly<Record<string, readonly Row[]>>;

const orders = {
  settings: 'name',
  workspaces: 'id',
  api_keys: 'id',
  agents: 'workspace_id, id',
  agent_versions: 'workspace_id, agent_id, version',
  idempotency_keys: 'workspace_id, key_hash',
  audit_log: 'workspace_id, id',
  jobs: 'id',
  secrets: 'workspace_id, name',
  calls: 'workspace_id, id',
  call_turns: 'call_id, turn_index',
  call_events: 'call_id, sequence',
  call_agents: 'workspace_id, digest',
  call_analyses: 'call_id, id',
  webhooks: 'workspace_id, id',
  events: 'workspace_id, position',
  event_transcripts: 'event_id',
  deliveries: 'id',
  delivery_attempts: 'delivery_id, number',
  event_subjects: 'workspace_id, subject_id',
  event_positions: 'workspace_id',
  analytics_views: 'workspace_id, id',
  analytics_alerts: 'workspace_id, id',
  prices: 'workspace_id, valid_from',
  workflows: 'workspace_id, id',
  workflow_versions: 'workflow_id, version',
  workflow_runs: 'id',
  workflow_steps: 'run_id, step_id',
  workflow_attempts: 'run_id, step_id, number',
  workflow_calls: 'call_id',
};

/** Null if it has no tables. */
export async function contentOf(databaseUrl: string): Promise<Content | null> {
  const database = openDatabase(locationOf(databaseUrl), () => {});
  try {
    if ((await database.all(database.dialect.tableNames)).length === 0) return null;
    const content: Record<string, readonly Row[]> = {};
    for (const [table, order] of Object.entries(orders)) {
      // A generated data key is in a file on SQLite, and here on PostgreSQL.
      const condition = table === 'settings' ? "WHERE name <> 'data_key'" : '';
      const rows = await database.all(`SELECT * FROM ${table} ${condition} ORDER BY ${order}`);
      content[table] = rows.map(withBuffers);
    }
    return content;
  } finally {
    await database.close();
  }
}

/** Bytes have a different class on each engine. */
function withBuffers(row: Row): Row {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value) : value,
  ]);
  return Object.fromEntries(values);
}
