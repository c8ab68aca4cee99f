import type { Database, Row } from '../../storage/database.ts';
import type { DeliveryStore, WebhookKey } from './delivery-store.ts';

/**
 * Finds the webhooks that have something to send, with one probe of the index for each that has deliveries to send,
 * however many those are. Of a workspace with many such webhooks, a listing has the first ones and some that follow
 * those of the listing before, so that it delays no other workspace.
 */
export class DueWebhooks {
  readonly #database: Database;
  readonly #maxWebhooks: number;
  readonly #given: () => number | null;
  readonly #sql: { readonly all: string; readonly after: string };
  /** The last webhook that was listed, for workspaces with more of them. */
  readonly #places = new Map<string, string>();

  /** `maxWebhooks`: how many of a workspace are looked at in each of the two steps of a listing. */
  constructor(database: Database, { leases }: Pick<DeliveryStore, 'leases'>, maxWebhooks = 100) {
    const { dueAt, time, given } = leases;
    this.#database = database;
    this.#maxWebhooks = maxWebhooks;
    this.#given = given;
    const pending = "deliveries.status = 'pending'";
    const isDue = `EXISTS (SELECT 1 FROM deliveries WHERE ${pending} AND deliveries.workspace_id = found.workspace_id
      AND deliveries.webhook_id = found.webhook_id AND ${dueAt} <= ${time})`;
    const first = (condition: string, order: string) =>
      `(SELECT id FROM deliveries WHERE ${pending} AND ${condition} ORDER BY ${order} LIMIT 1)`;
    const [workspace, webhook] = ['deliveries.workspace_id', 'deliveries.webhook_id'];
    const sameWorkspace = (id: string, after: string) =>
      first(`${workspace} = ${id} AND ${webhook} > ${after}`, webhook);
    const listing = (start: string, next: string) => `WITH RECURSIVE found (workspace_id, webhook_id, place) AS (
        SELECT workspace_id, webhook_id, 1 FROM deliveries WHERE id = ${start}
        UNION ALL
        SELECT next.workspace_id, next.webhook_id,
          CASE WHEN next.workspace_id = found.workspace_id THEN found.place + 1 ELSE 1 END
        FROM found JOIN deliveries AS next ON next.id = ${next})
      SELECT workspace_id, webhook_id, place, CASE WHEN ${isDue} THEN 1 ELSE 0 END AS is_due FROM found`;
    const nextOfSame = `CASE WHEN found.place < ${maxWebhooks}
      THEN ${sameWorkspace('found.workspace_id', 'found.webhook_id')} END`;
    const nextOfOther = first(`${workspace} > found.workspace_id`, `${workspace}, ${webhook}`);
    this.#sql = {
      all: listing(first('TRUE', `${workspace}, ${webhook}`), `coalesce(${nextOfSame}, ${nextOfOther})`),
      after: listing(sameWorkspace('$2', '$3'), nextOfSame),
    };
  }

  /** `hasMore`: the next listing has webhooks that this one has not. */
  async list(): Promise<{ readonly due: WebhookKey[]; readonly hasMore: boolean }> {
    const rows = await this.#database.all<FoundRow>(this.#sql.all, [this.#given()]);
    const full = rows.filter(({ place }) => place >= this.#maxWebhooks);
    for (const workspaceId of this.#places.keys()) {
      if (!full.some(({ workspace_id }) => workspace_id === workspaceId)) this.#places.delete(workspaceId);
    }
    for (const { workspace_id: workspaceId, webhook_id: last } of full) {
      const after = this.#places.get(workspaceId) ?? last;
      const more = await this.#database.all<FoundRow>(this.#sql.after, [this.#given(), workspaceId, after]);
      rows.push(...more.filter(({ webhook_id }) => webhook_id > last));
      const end = more.at(-1);
      if (end === undefined || end.place < this.#maxWebhooks) this.#places.delete(workspaceId);
      else this.#places.set(workspaceId, end.webhook_id);
    }
    const due = rows.flatMap(({ is_due, workspace_id, webhook_id }) =>
      is_due === 1 ? [{ workspaceId: workspace_id, id: webhook_id }] : [],
    );
    return { due, hasMore: this.#places.size > 0 };
  }
}

interface FoundRow extends Row {
  workspace_id: string;
  webhook_id: string;
  place: number;
  is_due: number;
}
