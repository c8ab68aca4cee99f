import type { Migration } from '../migration.ts';

/**
 * On SQLite the audit log is stored in key order instead of with a separate index: every change writes one page less.
 */
export const shorterAuditLog: Migration = {
  version: 4,
  name: 'shorter audit log',
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? [
          'DROP INDEX audit_log_by_resource',
          'ALTER TABLE audit_log RENAME TO longer_audit_log',
          `CREATE TABLE audit_log (
            workspace_id TEXT NOT NULL,
            id TEXT NOT NULL,
            resource_id TEXT NOT NULL,
            doc TEXT NOT NULL,
            PRIMARY KEY (workspace_id, id)
          ) WITHOUT ROWID`,
          `INSERT INTO audit_log (workspace_id, id, resource_id, doc)
            SELECT workspace_id, id, resource_id, doc FROM longer_audit_log ORDER BY workspace_id, id`,
          'DROP TABLE longer_audit_log',
          'CREATE INDEX audit_log_by_resource ON audit_log (workspace_id, resource_id, id)',
        ]
      : [],
};
