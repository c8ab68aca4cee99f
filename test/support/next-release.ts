import { type Area, defineArea } from '../../src/areas/area.ts';
import type { Call } from '../../src/contract/calls/call.ts';
import type { Release } from '../../src/main.ts';
import type { Queries } from '../../src/storage/database.ts';
import { createDocumentKinds } from '../../src/storage/documents/upgrades.ts';
import { newestSchema } from '../../src/storage/migrate.ts';
import type { Migration } from '../../src/storage/migration.ts';
import { migrations } from '../../src/storage/migrations/index.ts';

/** What the release after this one could have: it derives `call_ends` from calls, a row for each that is over. */
const callEnds: Migration = {
  version: newestSchema + 1,
  name: 'call ends',
  statements: ({ engine, idType }) => [
    // Instances of the release before either have committed, or see the schema.
    ...(engine === 'postgres' ? ['LOCK TABLE calls IN EXCLUSIVE MODE'] : []),
    `CREATE TABLE call_ends (
      workspace_id ${idType} NOT NULL,
      call_id ${idType} NOT NULL PRIMARY KEY,
      end_reason TEXT,
      external_id TEXT
    )`,
    'ALTER TABLE calls ADD COLUMN mood TEXT',
    `INSERT INTO call_ends (workspace_id, call_id, end_reason, external_id)
      SELECT workspace_id, id, end_reason, external_id FROM calls WHERE ended_at IS NOT NULL`,
  ],
  withoutBackup: ['call_ends'],
};

const moodIndex: Migration = {
  version: newestSchema + 2,
  name: 'calls by mood',
  statements: () => [],
  index: { name: 'calls_by_mood', on: 'calls (workspace_id, mood)' },
};

/** Documents that only it writes. They look as before, so that clients and the contract of this release understand them. */
const unchanged = (document: object) => ({ ...document });

export const nextRelease: Release = {
  migrations: [...migrations, callEnds, moodIndex],
  documents: createDocumentKinds({
    call: [unchanged],
    turn: [unchanged],
    agent: [unchanged],
    webhook: [unchanged],
    workflow: [unchanged],
    workflowVersion: [unchanged],
  }),
};

const contract = { tag: { name: 'Call ends', description: '' }, idPrefixes: [], scopes: {}, operations: [] };

/** The area of the next release. */
export function createCallEnds(): Area {
  const write = (queries: Queries, { workspaceId, id, endReason, externalId }: Call) =>
    queries.run(
      `INSERT INTO call_ends (workspace_id, call_id, end_reason, external_id) VALUES ($1, $2, $3, $4)
        ON CONFLICT (call_id) DO UPDATE SET end_reason = excluded.end_reason, external_id = excluded.external_id`,
      [workspaceId, id, endReason, externalId],
    );
  const remove = (queries: Queries, id: string) => queries.run('DELETE FROM call_ends WHERE call_id = $1', [id]);
  return defineArea(contract, {
    handlers: {},
    onCallSettled: async (queries, { what, call }) => {
      if (what === 'deleted') await remove(queries, call.id);
      else await write(queries, call);
    },
    onCallMissed: async (queries, { id, call }) => {
      if (call === null) await remove(queries, id);
      else await write(queries, call);
    },
  });
}
