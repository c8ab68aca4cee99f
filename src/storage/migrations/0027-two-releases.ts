import type { Migration } from '../migration.ts';

/** What instances of two releases need to know of each other while both use the database. */
export const twoReleases: Migration = {
  version: 27,
  name: 'two releases',
  statements: ({ idType, integerType }) => [
    // Instances of an earlier schema than that must not use the database. Null: all that could before still can.
    `ALTER TABLE schema_migrations ADD COLUMN compatible_from ${integerType}`,
    // Calls that were over when an instance of an earlier schema, `by_schema`, changed or ended them: what newer instances
    // derive from calls is missing, or that of the call before.
    `CREATE TABLE call_catch_up (
      id TEXT NOT NULL PRIMARY KEY,
      workspace_id ${idType} NOT NULL,
      call_id ${idType} NOT NULL,
      created_at ${integerType} NOT NULL,
      by_schema ${integerType} NOT NULL
    )`,
  ],
  withoutBackup: ['call_catch_up'],
  // Earlier releases expect exactly their own schema.
  compatibleFrom: 27,
};
