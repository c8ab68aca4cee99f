import { maxWebhooks } from '../../contract/webhooks/requests.ts';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import { limitReached } from '../../core/errors.ts';
import type { Sealer } from '../../core/sealer.ts';
import { associatedId } from '../../storage/data-key.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import type { StoredDocuments } from '../../storage/documents/rewriting.ts';
import { afterEveryId, type Page, type PageRow, pageOf, pageSql } from '../../storage/page.ts';
import { tagOf } from './webhook.ts';

export interface WebhookFilters {
  readonly kind?: string | undefined;
  readonly agentId?: string | undefined;
  readonly status?: string | undefined;
}

/** A webhook with what is not part of the resource. */
export interface OpenedWebhook {
  readonly webhook: Webhook;
  readonly etag: string;
  /** The version of the stored document. */
  readonly documentVersion: number;
  readonly secret: string;
  readonly previousSecret: string | null;
  /** Whether it is the webhook of an agent that was deleted. */
  readonly isAgentDeleted: boolean;
  /** How many attempts have failed since `failingSince`. */
  readonly failures: number;
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** SQL for webhooks. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createWebhookStore(database: Database, sealer: Sealer) {
  const { dialect } = database;
  const kind = database.documents.webhook;
  // Documents have a few kilobytes at most, so a page of 200 needs no limit in bytes.
  const listSql = pageSql(
    dialect,
    kind,
    'id',
    (place) => `FROM webhooks WHERE workspace_id = $1 AND id < ${place}
      AND ($4 = '' OR kind = $4) AND ($5 = '' OR agent_id = $5) AND ($6 = '' OR status = $6)`,
  );
  const openSql = `SELECT id, doc, doc_version, etag, sealed_secret, sealed_previous_secret, agent_deleted_at, failures
    FROM webhooks WHERE workspace_id = $1 AND id = $2`;
  const openOfAgentSql = openSql.replace('id = $2', 'agent_id = $2');

  const opened = (workspaceId: string, row: SecretRow): OpenedWebhook => {
    const { id, doc, doc_version, sealed_secret, sealed_previous_secret, agent_deleted_at, failures } = row;
    const open = (sealed: Uint8Array) => String(sealer.open(sealed, associatedId(workspaceId, id)));
    const webhook = kind.parse<Webhook>(doc, doc_version);
    return {
      webhook,
      etag: doc_version < kind.version ? tagOf(webhook) : row.etag,
      documentVersion: doc_version,
      secret: open(sealed_secret),
      previousSecret: sealed_previous_secret === null ? null : open(sealed_previous_secret),
      isAgentDeleted: agent_deleted_at !== null,
      failures,
    };
  };
  const open = async (
    queries: Reads,
    workspaceId: string,
    id: string,
    lock = '',
  ): Promise<OpenedWebhook | undefined> => {
    const row = await queries.get<SecretRow>(`${openSql} ${lock}`, [workspaceId, id]);
    return row === undefined ? undefined : opened(workspaceId, row);
  };
  return {
    page: async (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      { kind: ofKind = '', agentId = '', status = '' }: WebhookFilters,
    ): Promise<Page<Webhook>> => {
      const place = beforeId ?? afterEveryId;
      const values = [workspaceId, place, limit, ofKind, agentId, status];
      return pageOf(await database.get<PageRow>(listSql, values), kind);
    },

    /** All webhooks of the workspace, and that of one agent. In no order: SQLite would scan those of all agents for it. */
    subscribers: async (queries: Queries, workspaceId: string, agentId: string | null): Promise<Webhook[]> => {
      const rows = await queries.all<DocumentRow>(
        "SELECT doc, doc_version FROM webhooks WHERE workspace_id = $1 AND coalesce(agent_id, '') IN ('', $2)",
        [workspaceId, agentId ?? ''],
      );
      return rows.map(({ doc, doc_version }) => kind.parse(doc, doc_version));
    },

    find: async (queries: Reads, workspaceId: string, id: string): Promise<Webhook | undefined> => {
      const sql = 'SELECT doc, doc_version FROM webhooks WHERE workspace_id = $1 AND id = $2';
      const row = await queries.get<DocumentRow>(sql, [workspaceId, id]);
      return row === undefined ? undefined : kind.parse(row.doc, row.doc_version);
    },

    /** Replaces the webhook and its secret. No earlier secret is valid any more. */
    replaceSecret: async (queries: Queries, webhook: Webhook, secret: string): Promise<void> => {
      const { workspaceId, id } = webhook;
      await queries.write(
        `UPDATE webhooks SET etag = $3, doc = $4, doc_version = $5, sealed_secret = $6, sealed_previous_secret = NULL
          WHERE workspace_id = $1 AND id = $2`,
        [
          workspaceId,
          id,
          tagOf(webhook),
          JSON.stringify(webhook),
          kind.version,
          sealer.seal(secret, associatedId(workspaceId, id)),
        ],
      );
    },

    /** Whether this release may change it: deliveries of one that a newer release has written are still sent. */
    isWritable: ({ documentVersion }: Pick<OpenedWebhook, 'documentVersion'>): boolean =>
      !kind.isNewer(documentVersion),

    requireWritable: ({ documentVersion }: Pick<OpenedWebhook, 'documentVersion'>): void =>
      kind.requireWritable(documentVersion),

    /** The webhook with its secrets in the clear. */
    open: (queries: Reads, workspaceId: string, id: string) => open(queries, workspaceId, id),

    /** The same, locked until the transaction ends. Events can still be addressed to it meanwhile. */
    lock: (queries: Queries, workspaceId: string, id: string) => open(queries, workspaceId, id, dialect.forFieldUpdate),

    /** The same, or undefined if another transaction holds it at the time. */
    lockIfFree: (queries: Queries, workspaceId: string, id: string) =>
      open(queries, workspaceId, id, dialect.forFieldUpdateSkipLocked),

    /** The same for a webhook that is about to be deleted: events that are being addressed to it are waited for. */
    lockForDeletion: (queries: Queries, workspaceId: string, id: string) =>
      open(queries, workspaceId, id, dialect.forUpdate),

    /** Concurrent creations wait for each other here, so that together they cannot exceed the limit. */
    requireRoom: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const sql = "SELECT count(*) AS count FROM webhooks WHERE workspace_id = $1 AND coalesce(agent_id, '') = ''";
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
      if (count >= maxWebhooks) throw limitReached('webhooks', maxWebhooks);
    },

    insert: async (queries: Queries, webhook: Webhook, secret: string): Promise<string> => {
      const { workspaceId, id, status } = webhook;
      const etag = tagOf(webhook);
      await queries.write(
        `INSERT INTO webhooks (workspace_id, id, kind, status, etag, doc, doc_version, sealed_secret)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          workspaceId,
          id,
          webhook.kind,
          status,
          etag,
          JSON.stringify(webhook),
          kind.version,
          sealer.seal(secret, associatedId(workspaceId, id)),
        ],
      );
      return etag;
    },

    /** Replaces a webhook that is locked, and its number of failures unless that stays. Resolves to its tag. */
    replace: async (queries: Queries, webhook: Webhook, failures: number | null = null): Promise<string> => {
      const { workspaceId, id, status } = webhook;
      const etag = tagOf(webhook);
      await queries.write(
        `UPDATE webhooks SET status = $3, etag = $4, doc = $5, doc_version = $6, failures = coalesce($7, failures)
          WHERE workspace_id = $1 AND id = $2`,
        [workspaceId, id, status, etag, JSON.stringify(webhook), kind.version, failures],
      );
      return etag;
    },

    /** Replaces the secret of a webhook that is locked. `previous` is the one that stays valid. */
    rotateSecret: async (
      queries: Queries,
      webhook: Webhook,
      secret: string,
      previous: string | null,
    ): Promise<void> => {
      const { workspaceId, id } = webhook;
      const seal = (text: string) => sealer.seal(text, associatedId(workspaceId, id));
      await queries.write(
        `UPDATE webhooks SET etag = $3, doc = $4, doc_version = $5, sealed_secret = $6, sealed_previous_secret = $7
          WHERE workspace_id = $1 AND id = $2`,
        [
          workspaceId,
          id,
          tagOf(webhook),
          JSON.stringify(webhook),
          kind.version,
          seal(secret),
          previous === null ? null : seal(previous),
        ],
      );
    },

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write('DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
    },

    openOfAgent: async (workspaceId: string, agentId: string) => {
      const row = await database.get<SecretRow>(openOfAgentSql, [workspaceId, agentId]);
      return row === undefined ? undefined : opened(workspaceId, row);
    },
  };
}

/** The tags of webhooks leave out what each delivery changes. */
export function storedWebhooks({ documents: { webhook: kind } }: Database): StoredDocuments[] {
  const derived = (webhook: Webhook) => ({ etag: tagOf(webhook) });
  return [{ kind, table: 'webhooks', key: ['workspace_id', 'id'], derived }];
}

interface DocumentRow extends Row {
  doc: string;
  doc_version: number;
}

interface SecretRow extends DocumentRow {
  id: string;
  etag: string;
  agent_deleted_at: number | null;
  failures: number;
  sealed_secret: Uint8Array;
  sealed_previous_secret: Uint8Array | null;
}
