import type { Migration } from '../migration.ts';

/** Saved views, alerts and prices. `doc` is the response body. */
export const viewsAlertsPrices: Migration = {
  version: 23,
  name: 'views, alerts and prices',
  statements: ({ idType, integerType }) => [
    `CREATE TABLE analytics_views (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
    `CREATE TABLE analytics_alerts (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
    `CREATE TABLE prices (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      valid_from ${integerType} NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      UNIQUE (workspace_id, valid_from)
    )`,
  ],
  backup: ['analytics_views', 'analytics_alerts', 'prices'],
};
