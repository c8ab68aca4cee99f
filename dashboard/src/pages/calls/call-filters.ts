import { callEndReasons } from '../../../../src/contract/calls/end-reasons.ts';
import type { Filter } from '../../analytics/query.ts';
import {
  type CallStatus,
  type CallType,
  callTypes,
  type Direction,
  directions,
  type EndReason,
  openStatuses,
  terminalStatuses,
} from '../../calls/call.ts';
import { dayOf, startOf } from '../../parts/days.ts';

/** What the list is filtered by, as in the URL of the page. Empty: everything. */
export interface CallFilters {
  readonly agentId: string;
  readonly agentVersion: string;
  readonly type: CallType | '';
  readonly direction: Direction | '';
  readonly phoneNumberId: string;
  readonly status: readonly CallStatus[];
  readonly endReason: readonly EndReason[];
  /** Days, in the time zone of the browser: 2026-11-15. Both are included. */
  readonly from: string;
  readonly to: string;
  /** A part of the transcript. */
  readonly transcript: string;
}

/** How long a text the service searches for. */
const minSearch = 2;
const maxSearch = 100;

/** The service accepts this many values of one filter. */
const maxValues = 10;
const statuses: readonly CallStatus[] = [...openStatuses, ...terminalStatuses];
export const endReasons: readonly EndReason[] = callEndReasons;

/** Values that do not exist are dropped, because the service would reject them. */
export function readFilters(parameters: URLSearchParams): CallFilters {
  const type = parameters.get('type') ?? '';
  const direction = parameters.get('direction') ?? '';
  return {
    agentId: (parameters.get('agentId') ?? '').slice(0, 64),
    agentVersion: /^[1-9]\d{0,8}$/.exec(parameters.get('agentVersion') ?? '')?.[0] ?? '',
    type: callTypes.find((known) => known === type) ?? '',
    direction: directions.find((known) => known === direction) ?? '',
    phoneNumberId: (parameters.get('phoneNumberId') ?? '').slice(0, 64),
    status: known(parameters.get('status'), statuses),
    endReason: known(parameters.get('endReason'), endReasons),
    from: dayOf(parameters.get('from')),
    to: dayOf(parameters.get('to')),
    transcript: [...(parameters.get('transcript') ?? '')].slice(0, maxSearch).join(''),
  };
}

/** As URL parameters, without those that are not set. */
export function writeFilters(filters: CallFilters): Record<string, string> {
  const { status, endReason, ...texts } = filters;
  const all = { ...texts, status: status.join(','), endReason: endReason.join(',') };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function countFilters(filters: CallFilters): number {
  return Object.keys(writeFilters(filters)).length;
}

type Query = Record<string, string | undefined>;

/** Whether transcripts are searched. A single character is too little. */
export function isSearch({ transcript }: CallFilters): boolean {
  return [...transcript.trim()].length >= minSearch;
}

/** The filter of calls.search for ended calls whose transcript contains the text; null if the filters exclude them. */
export function searchOf(filters: CallFilters): Filter | null {
  const query = finishedQuery(filters);
  if (query === null || !isSearch(filters)) return null;
  const { createdAfter, createdBefore, ...rest } = query;
  const isOneOf = Object.entries(rest).flatMap(([field, values]): Filter[] => {
    if (values === undefined) return [];
    const all = values.split(',');
    return [{ field, op: 'in', value: field === 'agentVersion' ? all.map(Number) : all }];
  });
  const times: Filter[] = [
    ...(createdAfter === undefined ? [] : [{ field: 'createdAt', op: 'gte' as const, value: createdAfter }]),
    ...(createdBefore === undefined ? [] : [{ field: 'createdAt', op: 'lt' as const, value: createdBefore }]),
  ];
  return { all: [{ field: 'transcript', op: 'contains', value: filters.transcript.trim() }, ...isOneOf, ...times] };
}

/** The query for calls that are open; null if the filters exclude them. */
export function openQuery(filters: CallFilters): Query | null {
  if (filters.endReason.length > 0 || isSearch(filters)) return null;
  return queryOf(filters, openStatuses);
}

/** The query for calls that are over; null if the filters exclude them. */
export function finishedQuery(filters: CallFilters): Query | null {
  return queryOf(filters, terminalStatuses);
}

/** The query for all calls that are shown, to export them. */
export function exportQuery(filters: CallFilters): Query {
  const all = [...openStatuses, ...terminalStatuses];
  const possible = filters.endReason.length > 0 ? terminalStatuses : all;
  return {
    ...queryOf(filters, possible),
    ...(filters.status.length === 0 && possible === all && { status: undefined }),
  };
}

function queryOf(filters: CallFilters, possible: readonly CallStatus[]): Query | null {
  const { status, endReason, from, to, ...texts } = filters;
  const wanted = status.length === 0 ? possible : possible.filter((each) => status.includes(each));
  if (wanted.length === 0) return null;
  return {
    agentId: texts.agentId || undefined,
    agentVersion: texts.agentVersion || undefined,
    type: texts.type || undefined,
    direction: texts.direction || undefined,
    phoneNumberId: texts.phoneNumberId || undefined,
    status: wanted.join(','),
    endReason: endReason.join(',') || undefined,
    createdAfter: from === '' ? undefined : startOf(from, 0),
    // The end is not included, so it is the start of the next day.
    createdBefore: to === '' ? undefined : startOf(to, 1),
  };
}

function known<Value extends string>(text: string | null, values: readonly Value[]): readonly Value[] {
  const given = (text ?? '').split(',');
  return values.filter((value) => given.includes(value)).slice(0, maxValues);
}
