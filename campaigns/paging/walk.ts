import type { Connection } from '../connection.ts';
import type { Ticks, Workspace } from './workspace.ts';

export interface Item {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly version: number;
  readonly requestId: string;
}

export interface Walk {
  readonly items: readonly Item[];
  readonly pages: number;
  /** Before the first request was sent, and after the last response arrived. */
  readonly start: number;
  readonly end: number;
}

interface ListQuery {
  readonly path: string;
  /** Query parameters of the first request, such as a search; the cursor contains them. */
  readonly filter: string;
  readonly limit: number;
  readonly isFilterRepeated: boolean;
  readonly kind: string;
}

/** Walks a list from the first page to the last, alternating between connections, and checks each page. */
export async function walkList(
  connections: readonly Connection[],
  workspace: Workspace,
  { path, filter, limit, isFilterRepeated, kind }: ListQuery,
  ticks: Ticks,
  found: (what: string) => void,
): Promise<Walk> {
  const start = ticks.next();
  const items: Item[] = [];
  let cursor: string | null = null;
  let pageBefore = start;
  for (let pages = 1; ; pages += 1) {
    const connection = connections[pages % connections.length] as Connection;
    const place: string = cursor === null ? filter : `${isFilterRepeated ? filter : ''}&cursor=${cursor}`;
    const sent = ticks.next();
    const reply = await connection.request('GET', `${path}?limit=${limit}${place}`, { key: workspace.key.secret });
    const answered = ticks.next();
    if (reply.status !== 200) {
      found(`${kind}: a page got ${reply.status}`);
      return { items, pages, start, end: answered };
    }
    const page = JSON.parse(reply.body.toString()) as { items: Item[]; pagination: { nextCursor: string | null } };
    const { nextCursor } = page.pagination;
    items.push(...page.items);
    if (page.items.length > limit) found(`${kind}: a page has more items than its limit`);
    if (nextCursor !== null && page.items.length < limit)
      found(`${kind}: a page that others follow has fewer items than its limit`);
    if (page.items.length === 0 && cursor !== null && !workspace.mayHaveRemovedSince(pageBefore))
      found(`${kind}: nextCursor led to an empty page though nothing was taken away`);
    if (reply.headers.has('link') !== (nextCursor !== null)) found(`${kind}: Link and nextCursor disagree`);
    for (const { id, name } of page.items) {
      const agent = workspace.agents.get(id);
      if (agent === undefined) continue;
      if (agent.deletionAcknowledged < sent)
        found(`${kind}: a page shows an agent that was deleted before the page was asked for`);
      if (!agent.namesBetween(sent, answered).includes(name))
        found(`${kind}: a page shows an agent under a name that it did not have`);
    }
    if (nextCursor === null) return { items, pages, start, end: answered };
    if (nextCursor === cursor) {
      found(`${kind}: a page leads to itself`);
      return { items, pages, start, end: answered };
    }
    cursor = nextCursor;
    pageBefore = sent;
  }
}

/** Strictly newest first, which also excludes duplicates. */
export function checkOrder(items: readonly Item[], kind: string, found: (what: string) => void): void {
  const seen = new Set<string>();
  for (const [index, { id }] of items.entries()) {
    if (seen.has(id)) found(`${kind}: an item was seen twice`);
    else if (index > 0 && id >= (items[index - 1] as Item).id) found(`${kind}: items are not newest first`);
    seen.add(id);
  }
}

/**
 * Agents that existed during the whole walk must be seen, unless a search was for another name. Others may be seen only
 * if they were created, deleted or renamed meanwhile.
 */
export function checkAgents(
  walk: Walk,
  workspace: Workspace,
  matches: (name: string) => boolean,
  kind: string,
  found: (what: string) => void,
): void {
  const seen = new Set(walk.items.map(({ id }) => id));
  for (const { workspaceId } of walk.items) {
    if (workspaceId !== workspace.key.workspaceId) found(`${kind}: an agent of another workspace was seen`);
  }
  for (const agent of workspace.agents.values()) {
    const names = agent.namesBetween(walk.start, walk.end);
    const isSeen = seen.has(agent.id);
    if (!isSeen && agent.existedThroughout(walk.start, walk.end) && names.every(matches))
      found(`${kind}: an agent that was there all the time was not seen`);
    if (isSeen && !names.some(matches)) found(`${kind}: an agent was seen whose name does not match`);
  }
}
