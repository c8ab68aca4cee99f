import type { Migration } from '../migration.ts';

const versionColumns = {
  calls: ['doc_version'],
  call_turns: ['doc_version', 'event_doc_version'],
  call_events: ['doc_version'],
  call_agents: ['doc_version'],
  call_analyses: ['doc_version'],
  webhooks: ['doc_version'],
  events: ['body_version'],
  audit_log: ['doc_version'],
};

/** The version of every stored document, which agents have had from the start. */
export const documentVersions: Migration = {
  version: 16,
  name: 'document versions',
  statements: ({ integerType }) =>
    Object.entries(versionColumns).flatMap(([table, columns]) =>
      columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column} ${integerType} NOT NULL DEFAULT 1`),
    ),
  backup: Object.keys(versionColumns),
};
