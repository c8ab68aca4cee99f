import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import type { Connection } from '../connection.ts';
import { pathOf, type Target } from './requests.ts';
import { json } from './resources.ts';
import { Api, idsIn, namesIn, type Tenant } from './world.ts';

/** The last use of a key changes by mere use, which is all that the other key does here. */
const columnsThatMove = { api_keys: 'last_used_at' } as Readonly<Record<string, string>>;
const tables = [
  'agents',
  'agent_versions',
  'api_keys',
  'audit_log',
  'idempotency_keys',
  'webhooks',
  'deliveries',
  'events',
  'calls',
  'call_analyses',
  'carriers',
  'phone_numbers',
  'do_not_call',
  'call_facts',
  'analytics_views',
  'analytics_alerts',
  'prices',
  'knowledge_bases',
  'documents',
  'document_texts',
  'chunks',
  'workflows',
  'workflow_versions',
  'workflow_runs',
  'workflow_steps',
  'workflow_attempts',
];
/** Tables without a workspace of their own. */
const ofRuns = new Set(['workflow_steps', 'workflow_attempts']);

export interface Holdings {
  /** Every row of the workspace as text, by table. */
  readonly rows: ReadonlyMap<string, string>;
  /** Every id in the workspace, none of which may be shown to others. */
  readonly ids: ReadonlySet<string>;
}

/** All data of a workspace, read directly from the database. */
export async function holdingsOf(databaseUrl: string, workspaceId: string): Promise<Holdings> {
  const database = openDatabase(locationOf(databaseUrl), () => {});
  try {
    const rows = new Map<string, string>();
    const ids = new Set<string>([workspaceId]);
    for (const table of tables) {
      const condition = ofRuns.has(table)
        ? 'run_id IN (SELECT id FROM workflow_runs WHERE workspace_id = $1)'
        : 'workspace_id = $1';
      const found = await database.all(`SELECT * FROM ${table} WHERE ${condition}`, [workspaceId]);
      const moving = columnsThatMove[table];
      const texts = found.map((row) => JSON.stringify(moving === undefined ? row : { ...row, [moving]: null })).sort();
      rows.set(table, texts.join('\n'));
      for (const text of texts)
        for (const [id] of text.matchAll(
          /(agt|key|aud|req|whk|evt|dlv|rpl|call|ana|car|num|wfl|run|kb|doc|chk|viw|alr)_[0-9a-z]{30}/g,
        ))
          ids.add(id);
    }
    return { rows, ids };
  } finally {
    await database.close();
  }
}

/** Everything that the service shows of a workspace to its own key: every page of every list. */
export async function viewOf(
  connection: Connection,
  targets: readonly Target[],
  tenant: Tenant,
): Promise<ReadonlyMap<string, string>> {
  const api = new Api(connection, tenant.secret);
  const view = new Map<string, string>();
  for (const target of targets.filter(({ isList }) => isList)) {
    const ids = target.kind === null ? [''] : idsIn(tenant, target.kind);
    // Only the first knowledge base has documents.
    const subjects = target.operation.path.includes('{documentId}') ? ids.slice(0, 1) : ids;
    for (const id of subjects) {
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: Record<string, string> = cursor === '' ? { limit: '50' } : { limit: '50', cursor };
        const reply = await api.must('GET', pathOf(target, { ...namesIn(tenant, target.kind), id }, query));
        pages.push(reply.body.toString('utf8').replaceAll(/"lastUsedAt":("[^"]*"|null)/g, '"lastUsedAt":WHENEVER'));
        cursor = json(reply).pagination.nextCursor;
      }
      view.set(`${target.operation.id} ${id}`, pages.join('\n'));
    }
  }
  return view;
}
