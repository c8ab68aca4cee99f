import type { Filter, FilterLeaf } from '../../../contract/filter.ts';
import { textsFor, valueReader } from '../../../core/call-values.ts';
import { compileFilter } from '../../../core/filter.ts';
import { type AddParameter, compileFilterToSql, type FilterCondition, fieldValueOf } from '../../../core/filter-sql.ts';
import type { Dialect, Reader, Row, Value } from '../../../storage/database.ts';
import { columnOf } from '../record/filter-values.ts';
import { isCommon, isTranscriptLeaf, transcriptCondition, transcriptLeaves } from './transcript-conditions.ts';

/** What to look for. It can be sent to a thread. */
export interface CallSearch {
  readonly workspaceId: string;
  /** Null: every call. */
  readonly filter: Filter | null;
  readonly limit: number;
  /** After this many calls a page ends, even if it is not full. */
  readonly maxScanned: number;
}

/** How far a search has come. */
export interface Progress {
  /** The calls found so far, newest first: one more than the limit, if there are as many. */
  readonly ids: readonly string[];
  /** The calls before it are still to be looked at. Null: there are none. */
  readonly position: string | null;
  readonly scanned: number;
}

/** How many calls one statement looks at: a few milliseconds. Fewer if the process has to compare each of them. */
const columnStep = 10_000;
const narrowStep = 2000;
const valueStep = 2000;
/** A page with values of each call that the process compares ends after so many, whatever else it is about. */
const maxCompared = 20_000;
/** How many of the newest calls tell how many have a condition, and up to which share its index is used. */
const sampleSize = 500;
const narrowShare = 0.2;

/** An indexed condition that every result satisfies. */
interface Narrowing {
  readonly column: 'external_id' | 'phone_number_id' | 'agent_id';
  readonly value: string;
}

/** Looks for calls, newest first, step by step. */
export class CallScan {
  readonly #reader: Reader;
  readonly #search: CallSearch;
  #condition: FilterCondition;
  readonly #narrowing: Narrowing | null;
  readonly #candidates: Candidates | null;
  /** The leaves about what was said. */
  readonly #transcripts: readonly FilterLeaf[];
  /** Null until it is decided how to find what was said. */
  #plan: Plan | null;
  /** Whether an index holds the results and nothing else, so that nothing is scanned in vain. */
  readonly #isDirect: boolean;

  constructor(reader: Reader, search: CallSearch) {
    const { filter } = search;
    this.#reader = reader;
    this.#search = search;
    this.#condition = conditionOf(filter, reader.dialect, new Set());
    this.#narrowing = filter === null ? null : narrowingOf(filter);
    this.#isDirect = filter === null || (this.#narrowing !== null && isSingleLeaf(filter));
    this.#transcripts = filter === null ? [] : transcriptLeaves(filter);
    this.#candidates =
      filter === null || this.#condition.isExact ? null : candidatesFor(filter, reader.dialect, this.#transcripts);
    this.#plan = this.#transcripts.length === 0 ? columnPlan : null;
  }

  /** Whether it is about what was said, which takes too long for the event loop. */
  get isAboutTranscripts(): boolean {
    return this.#transcripts.length > 0;
  }

  /** Whether SQL decides which calls match. */
  get isInSql(): boolean {
    return this.#candidates === null;
  }

  start(before: string): Progress {
    return { ids: [], position: before, scanned: 0 };
  }

  isDone({ ids, position, scanned }: Progress): boolean {
    return position === null || ids.length > this.#search.limit || scanned >= this.#maxScanned;
  }

  /** A rare text leaves few calls to compare. */
  get #maxScanned(): number {
    const { maxScanned } = this.#search;
    return this.isInSql || this.#plan?.isByText ? maxScanned : Math.min(maxScanned, maxCompared);
  }

  async finish(progress: Progress): Promise<Progress> {
    let current = progress;
    while (!this.isDone(current)) current = await this.step(current);
    return current;
  }

  async step({ ids, position, scanned }: Progress): Promise<Progress> {
    const wanted = this.#search.limit + 1 - ids.length;
    if (this.#isDirect) {
      return { ids: [...ids, ...(await this.#directIds(position as string, wanted))], position: null, scanned };
    }
    this.#plan ??= await this.#planFrom(position as string);
    const narrowing = this.#narrowingAfter(scanned);
    const count = Math.min(this.#stepAfter(scanned, narrowing), this.#maxScanned - scanned);
    if (this.isInSql && !this.isAboutTranscripts && this.#reader.dialect.engine === 'postgres') {
      const found = await this.#idsAmongNext(position as string, count, wanted, narrowing);
      if (found.length === wanted) return { ids: [...ids, ...found], position, scanned: scanned + count };
    }
    const [last, following] = await this.#entriesFrom(position as string, count, narrowing);
    const found = await this.#idsBetween(position as string, last ?? '', wanted, narrowing);
    return {
      ids: [...ids, ...found],
      position: following === undefined ? null : (last ?? null),
      scanned: scanned + count,
    };
  }

  /**
   * An external id has few calls. An agent or a phone number may have most of them, and then it is cheaper to scan the
   * newest calls, whose columns lie next to each other; only if that is not enough, its calls are picked out.
   */
  #narrowingAfter(scanned: number): Narrowing | null {
    if (this.#transcripts.length > 0) return this.#plan?.isNarrowed ? this.#narrowing : null;
    return this.#narrowing?.column !== 'external_id' && scanned < columnStep ? null : this.#narrowing;
  }

  #stepAfter(scanned: number, narrowing: Narrowing | null): number {
    if (narrowing !== null) return narrowStep;
    if (!this.isInSql && !this.#plan?.isByText) return valueStep;
    // Most texts are skipped by their signature, and finding the end of a step takes as long as searching it.
    return this.isAboutTranscripts && scanned > 0 ? this.#maxScanned : columnStep;
  }

  /**
   * What was said is looked up for each call that has all other conditions, or the other way round. Both engines know
   * nothing about texts to choose by, so the newest calls decide: a rare text first, unless the calls of an index are fewer.
   */
  async #planFrom(position: string): Promise<Plan> {
    const { filter, workspaceId } = this.#search;
    if (await this.#isNarrow(position)) return { isNarrowed: true, isByText: false };
    const rare = new Set<FilterLeaf>();
    for (const leaf of this.#transcripts) {
      if (!(await isCommon(this.#reader, workspaceId, position, leaf))) rare.add(leaf);
    }
    this.#condition = conditionOf(filter, this.#reader.dialect, rare);
    const isByText = filter !== null && requiredLeaves(filter).some((leaf) => rare.has(leaf));
    return { isNarrowed: false, isByText };
  }

  async #isNarrow(position: string): Promise<boolean> {
    if (this.#narrowing === null) return false;
    const { column, value } = this.#narrowing;
    if (column === 'external_id') return true;
    const row = await this.#reader.get<{ matching: number }>(
      `SELECT count(CASE WHEN ${column} = $3 THEN 1 END) AS matching FROM (
          SELECT ${column} FROM calls WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT ${sampleSize}
        ) AS newest`,
      [this.#search.workspaceId, position, value],
    );
    return (row?.matching ?? 0) < sampleSize * narrowShare;
  }

  async #directIds(position: string, wanted: number): Promise<string[]> {
    const narrowing = this.#narrowing;
    const isOwn = narrowing === null ? '' : `AND ${narrowing.column} = $4`;
    const rows = await this.#reader.all<{ id: string }>(
      `SELECT id FROM calls WHERE workspace_id = $1 AND id < $2 ${isOwn} ORDER BY id DESC LIMIT $3 + 0`,
      [this.#search.workspaceId, position, wanted, ...valuesOf(narrowing)],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * For a page that is full after fewer than `count` calls. PostgreSQL stops there; SQLite would copy every row that it
   * looks at, which takes longer than to look for the end of the step first.
   */
  async #idsAmongNext(
    position: string,
    count: number,
    wanted: number,
    narrowing: Narrowing | null,
  ): Promise<readonly string[]> {
    const { sql, parameters } = this.#condition;
    const values: Value[] = [this.#search.workspaceId, position, count, ...parameters, ...valuesOf(narrowing)];
    const isOwn = narrowing === null ? '' : `AND ${narrowing.column} = $${values.length}`;
    const rows = await this.#reader.adHoc.all<{ id: string }>(
      `SELECT id FROM (
          SELECT * FROM calls WHERE workspace_id = $1 AND id < $2 ${isOwn} ORDER BY id DESC LIMIT $3
        ) AS entries WHERE ${sql} ORDER BY id DESC LIMIT ${wanted}`,
      values,
    );
    return rows.map(({ id }) => id);
  }

  /** The last of the next `count` calls, and the one after it. */
  async #entriesFrom(position: string, count: number, narrowing: Narrowing | null): Promise<(string | undefined)[]> {
    const isOwn = narrowing === null ? '' : `AND ${narrowing.column} = $4`;
    const rows = await this.#reader.all<{ id: string }>(
      `SELECT id FROM calls WHERE workspace_id = $1 AND id < $2 ${isOwn} ORDER BY id DESC LIMIT 2 OFFSET $3 + 0`,
      [this.#search.workspaceId, position, count - 1, ...valuesOf(narrowing)],
    );
    return rows.map(({ id }) => id);
  }

  async #idsBetween(before: string, last: string, wanted: number, narrowing: Narrowing | null): Promise<string[]> {
    const candidates = this.#candidates;
    const { sql, parameters } = this.#condition;
    const values: Value[] = [this.#search.workspaceId, before, last, ...parameters, ...valuesOf(narrowing)];
    const isOwn = narrowing === null ? '' : narrowed(this.#reader.dialect, narrowing, `$${values.length}`);
    const columns = ['id', ...(candidates?.columns((value) => `$${values.push(value)}`) ?? [])].join(', ');
    const rows = await this.#reader.adHoc.all<Row & { id: string }>(
      `SELECT ${columns} FROM calls ${indexHint(this.#reader.dialect, 'calls_search')}
        WHERE workspace_id = $1 AND id < $2 AND id >= $3 ${isOwn} AND ${sql}
        ORDER BY id DESC ${candidates === null ? `LIMIT ${wanted}` : ''}`,
      values,
    );
    const matching = candidates === null ? rows : rows.filter(candidates.matches);
    return matching.slice(0, wanted).map(({ id }) => id);
  }
}

interface Plan {
  /** Whether only the calls of an index are looked at. */
  readonly isNarrowed: boolean;
  /** Whether only the calls are looked at in which a rare text was said. */
  readonly isByText: boolean;
}

/** For filters that are not about what was said. */
const columnPlan: Plan = { isNarrowed: false, isByText: false };

/** Parameters start after the workspace and the two ends of a step. */
const firstFilterParameter = 4;

/** `rare`: the leaves about what was said in few calls. */
function conditionOf(filter: Filter | null, dialect: Dialect, rare: ReadonlySet<FilterLeaf>): FilterCondition {
  if (filter === null) return { sql: 'TRUE', parameters: [], isExact: true };
  return compileFilterToSql(filter, {
    columnOf,
    firstParameter: firstFilterParameter,
    exactFor: (leaf) => (isTranscriptLeaf(leaf) ? transcriptCondition(leaf, dialect, rare.has(leaf)) : undefined),
    necessaryFor: (leaf) => {
      const texts = columnOf(leaf.field) === undefined ? textsFor(leaf) : undefined;
      const { contains } = dialect;
      return texts && ((add) => `(${texts.map((text) => contains('search_values', add(text))).join(' OR ')})`);
    },
  });
}

/** SQLite has no statistics to choose an index by; PostgreSQL needs no hints. */
function indexHint({ engine }: Dialect, index: string): string {
  return engine === 'sqlite' ? `INDEXED BY ${index}` : '';
}

const indexOf = {
  external_id: 'calls_by_external_id',
  phone_number_id: 'calls_by_phone_number',
  agent_id: 'calls_by_agent',
};

/** In SQLite both indexes are used: one for the ids, and the one for searches for what is compared. */
function narrowed(dialect: Dialect, { column }: Narrowing, parameter: string): string {
  if (dialect.engine === 'postgres') return `AND ${column} = ${parameter}`;
  return `AND id IN (SELECT id FROM calls ${indexHint(dialect, indexOf[column])}
      WHERE workspace_id = $1 AND id < $2 AND id >= $3 AND ${column} = ${parameter})`;
}

function valuesOf(narrowing: Narrowing | null): Value[] {
  return narrowing === null ? [] : [narrowing.value];
}

function isSingleLeaf(filter: Filter): boolean {
  return 'all' in filter ? filter.all.length === 1 && isSingleLeaf(filter.all[0] as Filter) : 'field' in filter;
}

function narrowingOf(filter: Filter): Narrowing | null {
  const leaves = requiredLeaves(filter);
  return (
    equalityOf(leaves, 'externalId', 'external_id') ??
    equalityOf(leaves, 'phoneNumberId', 'phone_number_id') ??
    equalityOf(leaves, 'agentId', 'agent_id')
  );
}

function equalityOf(leaves: readonly FilterLeaf[], field: string, column: Narrowing['column']): Narrowing | null {
  for (const { op, value, ...leaf } of leaves) {
    const values = op === 'eq' ? [value] : op === 'in' ? (value as readonly unknown[]) : [];
    if (leaf.field === field && values.length === 1 && values[0] !== '') return { column, value: values[0] as string };
  }
  return null;
}

function requiredLeaves(filter: Filter): FilterLeaf[] {
  if ('all' in filter) return filter.all.flatMap(requiredLeaves);
  return 'field' in filter ? [filter] : [];
}

interface Candidates {
  /** What the filter compares. */
  readonly columns: (add: AddParameter) => readonly string[];
  readonly matches: (row: Row) => boolean;
}

/** The whole filter, for rows that SQL has found. What was said is compared in SQL. */
function candidatesFor(filter: Filter, dialect: Dialect, transcripts: readonly FilterLeaf[]): Candidates {
  const columns = new Set<string>();
  const readers = new Map<string, (row: Row) => unknown>();
  const nameOf = (leaf: FilterLeaf) => `transcript_${transcripts.indexOf(leaf)}`;
  for (const leaf of transcripts) readers.set(nameOf(leaf), (row) => row[nameOf(leaf)] === 1);
  for (const leaf of allLeaves(filter)) {
    if (isTranscriptLeaf(leaf)) continue;
    const { field } = leaf;
    const column = columnOf(field);
    columns.add(column?.name ?? 'search_values');
    if (column === undefined) {
      const read = valueReader(field);
      readers.set(field, ({ search_values: text }) => (text === null ? undefined : read(text as string)));
    } else readers.set(field, (row) => fieldValueOf(column, row[column.name]));
  }
  const inRow = withLeaves(filter, (leaf) =>
    isTranscriptLeaf(leaf) ? { field: nameOf(leaf), op: 'eq', value: true } : leaf,
  );
  const matches = compileFilter(inRow, undefined, (field) => columnOf(field)?.field.type === 'time');
  return {
    columns: (add) => [
      ...columns,
      ...transcripts.map(
        (leaf) => `CASE WHEN ${transcriptCondition(leaf, dialect, false)(add)} THEN 1 ELSE 0 END AS ${nameOf(leaf)}`,
      ),
    ],
    matches: (row) => matches((field) => readers.get(field)?.(row)),
  };
}

function withLeaves(filter: Filter, change: (leaf: FilterLeaf) => FilterLeaf): Filter {
  if ('all' in filter) return { all: filter.all.map((part) => withLeaves(part, change)) };
  if ('any' in filter) return { any: filter.any.map((part) => withLeaves(part, change)) };
  return 'not' in filter ? { not: withLeaves(filter.not, change) } : change(filter);
}

function allLeaves(filter: Filter): FilterLeaf[] {
  if ('all' in filter) return filter.all.flatMap(allLeaves);
  if ('any' in filter) return filter.any.flatMap(allLeaves);
  return 'not' in filter ? allLeaves(filter.not) : [filter];
}
