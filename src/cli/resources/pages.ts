import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Page, PagePromise } from '../../../sdk/src/page.ts';
import { type CommandContext, print } from '../context.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { type Cell, type TableOptions, table } from '../terminal/table.ts';
import { jsonLine } from '../terminal/text.ts';

const defaultLimit = 50;
/** The maximum page size of the service. */
const largestPage = 200;

/** The options of every command that lists something. */
export interface PageOptions {
  readonly limit: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** How to display the items of a list. */
export interface View<Item> {
  readonly head: readonly string[];
  /** Called before the rows of a page, to load what they show besides the items. */
  readonly load?: (items: readonly Item[]) => Promise<void>;
  readonly row: (item: Item) => readonly Cell[];
  readonly table: TableOptions;
  readonly none: string;
}

export function withPageOptions(made: Command): Command {
  return made
    .option('--limit <number>', 'maximum number of results', parseCount, defaultLimit)
    .addOption(new Option('--all', 'show all results').conflicts('limit'));
}

/** JSON is streamed page by page; a table needs all rows to size its columns. */
export async function showPages<Item>(
  firstPage: (limit: number) => PagePromise<Item>,
  { limit, all = false, json = false }: PageOptions,
  { stdout, stderr }: CommandContext,
  view: View<Item>,
): Promise<void> {
  const most = all ? Number.POSITIVE_INFINITY : limit;
  const rows: (readonly Cell[])[] = [];
  const take = json
    ? (items: readonly Item[]) => print(stdout, items.map(jsonLine).join(''))
    : async (items: readonly Item[]) => {
        await view.load?.(items);
        rows.push(...items.map(view.row));
      };
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
async function walk<Item>(
  first: PagePromise<Item>,
  most: number,
  take: (items: readonly Item[]) => Promise<void>,
  onProgress: (done: number) => void,
): Promise<boolean> {
  let done = 0;
  for (let page: Page<Item> = await first; ; page = await page.getNextPage()) {
    const items = page.items.slice(0, most - done);
    await take(items);
    done += items.length;
    if (items.length < page.items.length) return true;
    if (done >= most || !page.hasNextPage()) return page.hasNextPage();
    onProgress(done);
  }
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number of 1 or more.');
}
