import type { Webhook } from '../../contract/webhooks/webhook.ts';
import type { Sealer } from '../../core/sealer.ts';
import { associatedId } from '../../storage/data-key.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import { type AddressVersion, tagOf } from './webhook.ts';

/** The webhook of an agent. */
export interface AgentWebhook {
  readonly webhook: Webhook;
  readonly address: AddressVersion;
  readonly documentVersion: number;
}

export type AgentWebhookStore = ReturnType<typeof createAgentWebhookStore>;

/** SQL for the webhooks that agents have of their own. */
export function createAgentWebhookStore(database: Database, sealer: Sealer) {
  const { dialect } = database;
  const kind = database.documents.webhook;
  const sql = `SELECT doc, doc_version, agent_version, is_agent_published FROM webhooks
    WHERE workspace_id = $1 AND agent_id = $2`;
  const find = async (
    queries: Reads,
    workspaceId: string,
    agentId: string,
    lock = '',
  ): Promise<AgentWebhook | undefined> => {
    const row = await queries.get<AgentWebhookRow>(`${sql} ${lock}`, [workspaceId, agentId]);
    if (row === undefined) return undefined;
    const address = { version: row.agent_version, isPublished: row.is_agent_published === 1 };
    return { webhook: kind.parse(row.doc, row.doc_version), address, documentVersion: row.doc_version };
  };

  return {
    find: (queries: Reads, workspaceId: string, agentId: string) => find(queries, workspaceId, agentId),

    /** Locks the webhook of an agent until the transaction ends. */
    lock: async (queries: Queries, workspaceId: string, agentId: string) => {
      const locked = await find(queries, workspaceId, agentId, dialect.forUpdate);
      if (locked !== undefined) kind.requireWritable(locked.documentVersion);
      return locked;
    },

    /** Another transaction may create the webhook of the same agent at the same time: one of them does nothing. */
    insert: async (queries: Queries, webhook: Webhook, address: AddressVersion, secret: string) => {
      const { workspaceId, id, agentId, status } = webhook;
      await queries.write(
        `INSERT INTO webhooks
            (workspace_id, id, kind, agent_id, agent_version, is_agent_published, status, etag, doc, doc_version, sealed_secret)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
        [
          workspaceId,
          id,
          webhook.kind,
          agentId,
          address.version,
          Number(address.isPublished),
          status,
          tagOf(webhook),
          JSON.stringify(webhook),
          kind.version,
          sealer.seal(secret, associatedId(workspaceId, id)),
        ],
      );
    },

    replace: async (queries: Queries, webhook: Webhook, address: AddressVersion): Promise<void> => {
      const { workspaceId, id, status } = webhook;
      await queries.write(
        `UPDATE webhooks SET agent_version = $3, is_agent_published = $4, status = $5, etag = $6, doc = $7,
            doc_version = $8
          WHERE workspace_id = $1 AND id = $2`,
        [
          workspaceId,
          id,
          address.version,
          Number(address.isPublished),
          status,
          tagOf(webhook),
          JSON.stringify(webhook),
          kind.version,
        ],
      );
    },

    noteDeletedAgent: async (queries: Queries, workspaceId: string, agentId: string, at: number): Promise<void> => {
      await queries.write('UPDATE webhooks SET agent_deleted_at = $3 WHERE workspace_id = $1 AND agent_id = $2', [
        workspaceId,
        agentId,
        at,
      ]);
    },
  };
}

interface AgentWebhookRow extends Row {
  doc: string;
  doc_version: number;
  agent_version: number;
  is_agent_published: number;
}
