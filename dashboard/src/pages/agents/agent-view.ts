import type { AgentRow } from './agent-list.ts';
import type { AgentVersions } from './agent-states.ts';

/** How the list is sorted and filtered, as in the URL of the page. */
export interface AgentView {
  readonly q: string;
  readonly sort: 'created' | 'changed' | 'name';
  readonly state: 'any' | 'live' | 'changed' | 'unpublished';
}

export const sorts: readonly AgentView['sort'][] = ['created', 'changed', 'name'];
export const states: readonly AgentView['state'][] = ['any', 'live', 'changed', 'unpublished'];
export const maxSearch = 500;

export function readView(parameters: URLSearchParams): AgentView {
  return {
    q: (parameters.get('q') ?? '').slice(0, maxSearch),
    sort: sorts.find((sort) => sort === parameters.get('sort')) ?? 'created',
    state: states.find((state) => state === parameters.get('state')) ?? 'any',
  };
}

/** As URL parameters, without those that are not set. */
export function writeView({ q, sort, state }: AgentView): Record<string, string> {
  const all = { q: q.trim(), sort: sort === 'created' ? '' : sort, state: state === 'any' ? '' : state };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The service lists agents by creation and filters by name only: anything else is done here, with all rows loaded. */
export function isArranged({ sort, state }: AgentView): boolean {
  return sort !== 'created' || state !== 'any';
}

export function arrange(
  rows: readonly AgentRow[],
  { sort, state }: AgentView,
  versionsOf: (row: AgentRow) => AgentVersions,
): readonly AgentRow[] {
  const isWanted = (row: AgentRow) => {
    const { live, draft } = versionsOf(row);
    if (state === 'live') return live !== null;
    if (state === 'changed') return live !== null && draft !== null;
    return state === 'any' || live === null;
  };
  const kept = rows.filter(isWanted);
  if (sort === 'changed') return kept.sort((one, other) => compare(other.updatedAt, one.updatedAt));
  if (sort === 'name') return kept.sort((one, other) => one.name.localeCompare(other.name));
  return kept;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
