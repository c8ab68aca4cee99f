import type { Page, PagePromise } from '../../../sdk/src/page.ts';
import type { Agent } from '../../../sdk/src/schema.ts';
import { connect } from '../connection.ts';
import type { CommandContext } from '../context.ts';
import { print } from '../output.ts';
import { createProgress, watched } from '../progress.ts';
import { type Cell, type TableOptions, table } from '../table.ts';
import { jsonLine } from '../terminal-text.ts';
import { describeTime } from '../time.ts';
import { checkedId } from './names.ts';
import type { ListOptions } from './options.ts';

/** The maximum page size of the service. */
const largestPage = 200;

/** How to display agents or versions. */
interface View {
  readonly head: readonly string[];
  readonly row: (agent: Agent) => readonly Cell[];
  readonly table: TableOptions;
  readonly none: string;
}

export async function listAgents(
  options: ListOptions & { readonly search?: string },
  context: CommandContext,
): Promise<void> {
  const { client } = await connect(options, context.environment);
  // Treat an empty search as no search; the service would reject it.
  const search = options.search ? { q: options.search } : {};
  await showPages((limit) => client.agents.list({ limit, ...search }), options, context, {
    head: ['ID', 'NAME', 'ENGINE', 'LANGUAGE', 'VOICE', 'VERSION', 'STATE', 'CHANGED'],
    row: (agent) => [
      agent.id,
      agent.name,
      agent.responseEngine.type,
      agent.language,
      agent.voiceId,
      String(agent.version),
      stateOf(agent),
      describeTime(agent.updatedAt, context.stdout),
    ],
    table: { dispensable: ['VOICE', 'LANGUAGE', 'ENGINE', 'CHANGED', 'VERSION'], elastic: 'NAME' },
    none: options.search
      ? 'No agents match this search.\n'
      : 'No agents yet. Create one with "voice-agents agents create".\n',
  });
}

export async function listVersions(id: string, options: ListOptions, context: CommandContext): Promise<void> {
  const agentId = checkedId(id);
  const { client } = await connect(options, context.environment);
  await showPages((limit) => client.agents.versions.list(agentId, { limit }), options, context, {
    head: ['VERSION', 'STATE', 'CHANGED', 'NAME', 'DESCRIPTION'],
    row: (agent) => [
      String(agent.version),
      stateOf(agent),
      describeTime(agent.updatedAt, context.stdout),
      agent.name,
      agent.versionDescription ?? '',
    ],
    table: { dispensable: ['NAME'], elastic: 'DESCRIPTION' },
    none: '',
  });
}

/** JSON is streamed page by page; a table needs all rows to size its columns. */
async function showPages(
  firstPage: (limit: number) => PagePromise<Agent>,
  { limit, all = false, json = false }: ListOptions,
  { stdout, stderr }: CommandContext,
  view: View,
): Promise<void> {
  const most = all ? Number.POSITIVE_INFINITY : limit;
  const rows: (readonly Cell[])[] = [];
  const take = json
    ? (items: readonly Agent[]) => print(stdout, items.map(jsonLine).join(''))
    : async (items: readonly Agent[]) => void rows.push(...items.map(view.row));
  const progress = createProgress('Reading', stderr);
  // JSON lines on the same terminal already show the progress.
  const onProgress = json && stdout.isTTY ? () => {} : (done: number) => progress.show(done, all ? null : most);
  const hasMore = await watched(progress, () => walk(firstPage(Math.min(most, largestPage)), most, take, onProgress));
  if (!json) {
    const { head } = view;
    await print(stdout, rows.length === 0 ? view.none : table(head, rows, { ...view.table, stream: stdout }));
  }
  if (hasMore && stderr.isTTY) stderr.write(`There are more. Use --all to show all of them, or a higher --limit.\n`);
}

/** Returns whether there are more. A page may be shorter than requested and still be followed by another. */
async function walk(
  first: PagePromise<Agent>,
  most: number,
  take: (items: readonly Agent[]) => Promise<void>,
  onProgress: (done: number) => void,
): Promise<boolean> {
  let done = 0;
  for (let page: Page<Agent> = await first; ; page = await page.getNextPage()) {
    const items = page.items.slice(0, most - done);
    await take(items);
    done += items.length;
    if (items.length < page.items.length) return true;
    if (done >= most || !page.hasNextPage()) return page.hasNextPage();
    onProgress(done);
  }
}

function stateOf({ isPublished }: Agent): Cell {
  return isPublished ? { text: 'published', format: 'green' } : { text: 'draft', format: 'yellow' };
}
