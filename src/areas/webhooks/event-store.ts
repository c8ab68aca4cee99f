import type { EventResource } from '../../contract/webhooks/events.ts';
import { StoredJson } from '../../core/stored-json.ts';
import type { Database, Reads, Row, Value } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import { maxPageBytes, type Page } from '../../storage/page.ts';

export interface EventFilters {
  readonly type?: readonly string[] | undefined;
  readonly subjectId?: string | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

export interface EventPage extends Page<EventResource> {
  readonly isEmpty: boolean;
  /** The position that the page has come to: everything before it was looked at. */
  readonly position: number;
  /** Whether it has come to the newest event. */
  readonly isAtEnd: boolean;
}

/** A page looks at so many events, so that a rare type does not make it slow. */
const maxScanned = 20_000;

const columns = 'id, type, subject_type, subject_id, sequence, created_at, workspace_id, body, body_version';

export type EventStore = ReturnType<typeof createEventStore>;

/** SQL that reads events. Positions are in the order of commits, so everything up to the newest one is visible. */
export function createEventStore(database: Database) {
  const jsonOf = (row: EventRow) => eventJson(database.documents.eventBody, row);
  const isOfType = `($4 = '[]' OR type IN (${database.dialect.textsIn('$4')}))`;
  const matches = `workspace_id = $1 AND position >= $2 AND position <= $3 AND is_test = 0 AND ${isOfType}
    AND ($5 = '' OR subject_id = $5) AND created_at >= $6 AND created_at < $7`;

  const bounds = async (workspaceId: string): Promise<{ oldest: number; newest: number }> => {
    const row = await database.get<{ oldest: number | null; newest: number | null }>(
      `SELECT (SELECT min(position) FROM events WHERE workspace_id = $1) AS oldest,
        (SELECT last_position FROM event_positions WHERE workspace_id = $1) AS newest`,
      [workspaceId],
    );
    return { oldest: row?.oldest ?? 1, newest: row?.newest ?? 0 };
  };

  /** The matching events between two positions, as many as fit on a page. */
  const read = async (parameters: readonly Value[], order: 'ASC' | 'DESC', limit: number): Promise<EventRow[]> => {
    const lengths = await database.all<{ position: number; bytes: number | null }>(
      `SELECT position, octet_length(body) AS bytes FROM events WHERE ${matches} ORDER BY position ${order} LIMIT $8`,
      [...parameters, limit],
    );
    let total = 0;
    const fitting = lengths.filter(({ bytes }, index) => {
      total += (bytes ?? 0) + 1000;
      return index === 0 || total <= maxPageBytes;
    });
    const places = fitting.map(({ position }) => position);
    if (places.length === 0) return [];
    const [, , , ...filters] = parameters;
    return database.all<EventRow>(
      `SELECT position, ${columns} FROM events WHERE ${matches} ORDER BY position ${order}`,
      [parameters[0] as string, Math.min(...places), Math.max(...places), ...filters],
    );
  };

  const valuesOf = ({ type = [], subjectId = '', createdAfter, createdBefore }: EventFilters): Value[] => [
    JSON.stringify(type),
    subjectId,
    createdAfter ?? 0,
    createdBefore ?? Number.MAX_SAFE_INTEGER,
  ];

  return {
    /** Oldest first, after a position. */
    after: async (workspaceId: string, position: number, limit: number, filters: EventFilters): Promise<EventPage> => {
      const { oldest, newest } = await bounds(workspaceId);
      const from = Math.max(position + 1, oldest);
      const to = Math.min(newest, from + maxScanned - 1);
      const rows = await read([workspaceId, from, to, ...valuesOf(filters)], 'ASC', limit);
      // A full page, by number or by size, may be followed by more in the same range.
      const last = rows.at(-1)?.position;
      const hasMore =
        last !== undefined && (await read([workspaceId, last + 1, to, ...valuesOf(filters)], 'ASC', 1)).length > 0;
      const reached = hasMore ? last : Math.max(to, position);
      return { ...pageOf(rows.map(jsonOf)), next: String(reached), position: reached, isAtEnd: reached >= newest };
    },

    /** Newest first, before a position. */
    before: async (
      workspaceId: string,
      position: number | null,
      limit: number,
      filters: EventFilters,
    ): Promise<EventPage> => {
      const { oldest, newest } = await bounds(workspaceId);
      const to = position === null ? newest : Math.min(position - 1, newest);
      const from = Math.max(oldest, to - maxScanned + 1);
      const rows = await read([workspaceId, from, to, ...valuesOf(filters)], 'DESC', limit);
      const last = rows.at(-1)?.position;
      const hasMore =
        last !== undefined && (await read([workspaceId, from, last - 1, ...valuesOf(filters)], 'DESC', 1)).length > 0;
      const reached = hasMore ? last : from;
      const isAtEnd = !hasMore && from <= oldest;
      return { ...pageOf(rows.map(jsonOf)), next: isAtEnd ? null : String(reached), position: reached, isAtEnd };
    },

    get: async (queries: Reads, workspaceId: string, id: string): Promise<StoredJson<EventResource> | undefined> => {
      const sql = `SELECT ${columns} FROM events WHERE id = $1 AND workspace_id = $2`;
      const row = await queries.get<EventRow>(sql, [id, workspaceId]);
      return row === undefined ? undefined : new StoredJson<EventResource>(jsonOf(row));
    },

    newestPositions: async (workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      const rows = await database.all<{ workspace_id: string; last_position: number }>(
        `SELECT workspace_id, last_position FROM event_positions
          WHERE workspace_id IN (${database.dialect.textsIn('$1')})`,
        [JSON.stringify(workspaceIds)],
      );
      return new Map(rows.map(({ workspace_id, last_position }) => [workspace_id, last_position]));
    },
  };
}

interface EventRow extends Row {
  position: number;
  id: string;
  type: string;
  subject_type: string;
  subject_id: string;
  sequence: number;
  created_at: number;
  workspace_id: string;
  body: string | null;
  body_version: number;
}

function pageOf(items: readonly string[]): Pick<EventPage, 'items' | 'isEmpty'> {
  return { items: Buffer.from(items.join()), isEmpty: items.length === 0 };
}

/** The body is stored as JSON, and not parsed unless it is older. */
function eventJson(kind: DocumentKind, row: EventRow): string {
  const head = JSON.stringify({
    id: row.id,
    type: row.type,
    timestamp: new Date(row.created_at).toISOString(),
    sequence: row.sequence,
    subject: { type: row.subject_type, id: row.subject_id },
    workspaceId: row.workspace_id,
  });
  const body = row.body === null ? null : kind.current(row.body, row.body_version);
  return `${head.slice(0, -1)},"body":${body}}`;
}
