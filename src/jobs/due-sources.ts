import type { Database, Row } from '../storage/database.ts';
import type { Leases } from './leases.ts';
import type { Source } from './source-slots.ts';

/**
 * Finds the sources that have something to do, with one probe of the index for each that has open work, however much that
 * is. Of a workspace with many such sources, a listing has the first ones and some that follow those of the listing
 * before, so that it delays no other workspace.
 */
export class DueSources {
  readonly #database: Database;
  readonly #maxSources: number;
  readonly #given: () => number | null;
  readonly #sql: { readonly all: string; readonly after: string };
  /** The last source that was listed, for workspaces with more of them. */
  readonly #places = new Map<string, string>();

  /** `sourceColumn`: the id of the source of a row. `maxSources`: how many of a workspace are looked at in each of the two steps of a listing. */
  constructor(database: Database, leases: Leases, sourceColumn: string, maxSources = 100) {
    const { dueAt, time, given, table } = leases;
    const { name, isOpen } = table;
    this.#database = database;
    this.#maxSources = maxSources;
    this.#given = given;
    const [workspace, source] = [`${name}.workspace_id`, `${name}.${sourceColumn}`];
    const isDue = `EXISTS (SELECT 1 FROM ${name} WHERE ${isOpen} AND ${workspace} = found.workspace_id
      AND ${source} = found.source_id AND ${dueAt} <= ${time})`;
    const first = (condition: string, order: string) =>
      `(SELECT id FROM ${name} WHERE ${isOpen} AND ${condition} ORDER BY ${order} LIMIT 1)`;
    const sameWorkspace = (id: string, after: string) => first(`${workspace} = ${id} AND ${source} > ${after}`, source);
    const listing = (start: string, next: string) => `WITH RECURSIVE found (workspace_id, source_id, place) AS (
        SELECT workspace_id, ${sourceColumn}, 1 FROM ${name} WHERE id = ${start}
        UNION ALL
        SELECT next.workspace_id, next.${sourceColumn},
          CASE WHEN next.workspace_id = found.workspace_id THEN found.place + 1 ELSE 1 END
        FROM found JOIN ${name} AS next ON next.id = ${next})
      SELECT workspace_id, source_id, place, CASE WHEN ${isDue} THEN 1 ELSE 0 END AS is_due FROM found`;
    const nextOfSame = `CASE WHEN found.place < ${maxSources}
      THEN ${sameWorkspace('found.workspace_id', 'found.source_id')} END`;
    const nextOfOther = first(`${workspace} > found.workspace_id`, `${workspace}, ${source}`);
    this.#sql = {
      all: listing(first('TRUE', `${workspace}, ${source}`), `coalesce(${nextOfSame}, ${nextOfOther})`),
      after: listing(sameWorkspace('$2', '$3'), nextOfSame),
    };
  }

  /** `hasMore`: the next listing has sources that this one has not. */
  async list(): Promise<{ readonly due: Source[]; readonly hasMore: boolean }> {
    const rows = await this.#database.all<FoundRow>(this.#sql.all, [this.#given()]);
    const full = rows.filter(({ place }) => place >= this.#maxSources);
    for (const workspaceId of this.#places.keys()) {
      if (!full.some(({ workspace_id }) => workspace_id === workspaceId)) this.#places.delete(workspaceId);
    }
    for (const { workspace_id: workspaceId, source_id: last } of full) {
      const after = this.#places.get(workspaceId) ?? last;
      const more = await this.#database.all<FoundRow>(this.#sql.after, [this.#given(), workspaceId, after]);
      rows.push(...more.filter(({ source_id }) => source_id > last));
      const end = more.at(-1);
      if (end === undefined || end.place < this.#maxSources) this.#places.delete(workspaceId);
      else this.#places.set(workspaceId, end.source_id);
    }
    const due = rows.flatMap(({ is_due, workspace_id, source_id }) =>
      is_due === 1 ? [{ workspaceId: workspace_id, id: source_id }] : [],
    );
    return { due, hasMore: this.#places.size > 0 };
  }
}

interface FoundRow extends Row {
  workspace_id: string;
  source_id: string;
  place: number;
  is_due: number;
}
