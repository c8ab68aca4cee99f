import type { Call } from '../../../contract/calls/call.ts';
import type { Filter } from '../../../contract/filter.ts';
import type { Database } from '../../../storage/database.ts';
import { afterEveryId, type Page } from '../../../storage/page.ts';
import { ReaderThreads } from '../../../storage/readers/reader-threads.ts';
import type { PoolLimits } from '../../../workers/pool.ts';
import { programFile } from '../../../workers/program-file.ts';
import { pageOfCalls } from './page.ts';
import { CallScan, type CallSearch, type Progress } from './scan.ts';
import { transcriptLeaves } from './transcript-conditions.ts';

export interface SearchJob {
  readonly search: CallSearch;
  readonly progress: Progress;
}

export interface SearchResult {
  readonly items: Uint8Array<ArrayBuffer>;
  readonly next: string | null;
}

/** The filters of calls.list, which combine with AND. Times are in milliseconds. */
export interface CallListFilters {
  readonly agentId?: readonly string[] | undefined;
  readonly agentVersion?: readonly number[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly direction?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly endReason?: readonly string[] | undefined;
  readonly sentiment?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  readonly phoneNumberId?: readonly string[] | undefined;
  readonly batchId?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly successful?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

/** A page of a search looks at no more calls than this. */
export const maxScanned = 20_000;
/** The same in a search for what was said, which has no other way to find a rare word. */
export const maxScannedTexts = 100_000;

export type CallListing = ReturnType<typeof createCallListing>;

/** Finds calls. The threads of `limits` do what would take longer than a few milliseconds. */
export function createCallListing(database: Database, limits: Partial<PoolLimits> = {}) {
  const program = { file: programFile('./worker', import.meta.url), name: 'searches' };
  const threads = new ReaderThreads<SearchJob, SearchResult>(database, program, limits);
  const isSqlite = database.dialect.engine === 'sqlite';

  const finishInThread = async (search: CallSearch, progress: Progress): Promise<Page<Call>> => {
    const { items, next } = await threads.read(search.workspaceId, { search, progress });
    return { items: Buffer.from(items.buffer), next };
  };

  /**
   * SQLite runs in this process: one step here, which is enough for most pages, and the rest in a thread. PostgreSQL
   * does the same work elsewhere. Values inside of JSON are always compared in a thread.
   */
  const find = async (search: CallSearch, before: string | null): Promise<Page<Call>> => {
    const scan = new CallScan(database, search);
    const start = scan.start(before ?? afterEveryId);
    if (!scan.isInSql || (isSqlite && scan.isAboutTranscripts)) return finishInThread(search, start);
    const progress = await (isSqlite ? scan.step(start) : scan.finish(start));
    return scan.isDone(progress) ? pageOfCalls(database, search, progress) : finishInThread(search, progress);
  };

  return {
    /** The calls before `before`, newest first; null starts at the newest. `next` is null if no other call matches. */
    listCalls: (
      workspaceId: string,
      filters: CallListFilters,
      before: string | null,
      limit: number,
    ): Promise<Page<Call>> =>
      find({ workspaceId, filter: filterOf(filters), limit, maxScanned: Number.POSITIVE_INFINITY }, before),

    /** The same for any valid filter. A page may be short or empty although `next` is not null. */
    searchCalls: (workspaceId: string, filter: Filter, before: string | null, limit: number): Promise<Page<Call>> =>
      find({ workspaceId, filter, limit, maxScanned: maxScannedOf(filter) }, before),

    /** Ends the threads. Searches that are still running fail. */
    close: (): Promise<void> => threads.close(),
  };
}

function maxScannedOf(filter: Filter): number {
  return transcriptLeaves(filter).length > 0 ? maxScannedTexts : maxScanned;
}

const listFields = {
  agentId: 'agentId',
  agentVersion: 'agentVersion',
  type: 'type',
  direction: 'direction',
  status: 'status',
  endReason: 'endReason',
  sentiment: 'analysis.sentiment',
  phoneNumberId: 'phoneNumberId',
  batchId: 'batchId',
} as const;

/** Compared with one value, because that may contain commas. */
const singleValues = ['externalId', 'from', 'to'] as const;

function filterOf(filters: CallListFilters): Filter | null {
  const { successful, createdAfter, createdBefore } = filters;
  const all: Filter[] = [];
  for (const [name, field] of Object.entries(listFields)) {
    const values = filters[name as keyof typeof listFields];
    if (values !== undefined) all.push({ field, op: 'in', value: values });
  }
  for (const field of singleValues) {
    const value = filters[field];
    if (value !== undefined) all.push({ field, op: 'eq', value });
  }
  if (successful !== undefined) all.push({ field: 'analysis.successful', op: 'eq', value: successful });
  if (createdAfter !== undefined) all.push({ field: 'createdAt', op: 'gte', value: isoTime(createdAfter) });
  if (createdBefore !== undefined) all.push({ field: 'createdAt', op: 'lt', value: isoTime(createdBefore) });
  return all.length === 0 ? null : { all };
}

const lastTime = Date.UTC(9999, 11, 31);

/** Within the years of four digits, which filters compare: offsets in a request may lead out of them. */
function isoTime(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, 0), lastTime)).toISOString();
}
