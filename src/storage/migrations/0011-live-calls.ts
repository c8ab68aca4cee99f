import type { Migration } from '../migration.ts';

export const liveCalls: Migration = {
  version: 11,
  name: 'live calls',
  statements: ({ idType, integerType, bytesType }) => [
    // JSON: whether the call is to be recorded, and the file, with its digest, once there is one.
    'ALTER TABLE calls ADD COLUMN recording TEXT',
    // A process renews the leases of all its web calls in one statement.
    "CREATE INDEX calls_live ON calls (owner) WHERE type = 'web' AND status = 'ongoing'",
    // Requests in transit to the process that holds the socket of a call, and its answers. `claimed_at` is null until
    // that process has taken the request.
    `CREATE TABLE call_commands (
      id ${idType} PRIMARY KEY,
      owner TEXT NOT NULL,
      created_at ${integerType} NOT NULL,
      claimed_at ${integerType},
      sealed_request ${bytesType} NOT NULL,
      sealed_answer ${bytesType}
    )`,
    'CREATE INDEX call_commands_by_owner ON call_commands (owner, id) WHERE claimed_at IS NULL',
    'CREATE INDEX call_commands_by_time ON call_commands (created_at)',
  ],
  backup: ['calls'],
  withoutBackup: ['call_commands'],
};
