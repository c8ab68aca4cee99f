import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Page, PageBody } from '../../../sdk/src/page.ts';
import { path } from '../../../sdk/src/path.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError, describeFailure, exitCodeFor, exitCodes, explainMissing, invalidUsage } from '../failures.ts';
import { confirm, requireTerminal } from '../terminal/dialog.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { type Cell, table } from '../terminal/table.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import type { Action, Values } from './action.ts';
import { checkedId, checkedVersion, listOf } from './ids.ts';
import { commandOf, optionName, type PathParameter, type ResourceOperation } from './operation.ts';
import { resourceOperations } from './operations.ts';
import { cellOf, defaultColumns, defaultText, type Item, type View, viewOf } from './views.ts';

/** The options of all derived commands, and the filters of lists. */
export interface ResourceOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly limit?: number;
  readonly all?: boolean;
  readonly etag?: boolean;
  readonly yes?: boolean;
  readonly ifMatch?: string;
}

/** The maximum page size of the service. */
const largestPage = 200;

/** JSON is streamed page by page; a table needs all rows to size its columns. */
export async function listResource(
  operation: ResourceOperation,
  values: readonly string[],
  options: ResourceOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, environment } = context;
  const { all = false, json = false, limit } = options;
  const view = viewOf(operation.id);
  const place = pathOf(operation, values);
  const { client, transport } = await connect(options, environment);
  const query = await queryOf(operation, options, client);
  const most = all || limit === undefined ? Number.POSITIVE_INFINITY : limit;
  const firstPage = async (): Promise<Page<Item> | PageBody<Item>> =>
    operation.isPaged
      ? transport.list<Item>(place, { ...query, limit: Math.min(most, largestPage) }, {})
      : transport.request<PageBody<Item>>({ method: 'GET', path: place, query });
  const rows: (readonly Cell[])[] = [];
  let columns: ReturnType<typeof columnsOf> = [];
  let done = 0;
  const take = async (items: readonly Item[]): Promise<void> => {
    const [first] = items;
    if (first === undefined) return;
    if (json) await print(stdout, items.map(jsonLine).join(''));
    else if (view.columns === undefined && view.text !== undefined) {
      const texts = await Promise.all(items.map((item) => view.text?.(item, { client, stdout, etag: null })));
      await print(stdout, `${done === 0 ? '' : '\n'}${texts.join('\n')}`);
    } else {
      if (done === 0) columns = columnsOf(view, first);
      const loaded = await view.load?.(items, client);
      rows.push(...items.map((item) => columns.map(([, column]) => cellOf(column, item, loaded, stdout))));
    }
    done += items.length;
  };
  const progress = createProgress('Reading', stderr);
  const onProgress = (): void => {
    // JSON lines on the same terminal already show the progress.
    if (!json || !stdout.isTTY) progress.show(done, all ? null : most);
  };
  const hasMore = await watched(progress, async () => walk(await firstPage(), most, take, onProgress));
  if (rows.length > 0) {
    const { dispensable = [], elastic = 'NAME' } = view;
    const head = columns.map(([name]) => name);
    await print(stdout, table(head, rows, { stream: stdout, elastic, dispensable }));
  }
  if (done === 0 && !json) await print(stdout, noneText(operation, view, Object.keys(query).length > 0));
  if (hasMore && stderr.isTTY) stderr.write('There are more. Use --all to show all of them, or a higher --limit.\n');
}

function columnsOf({ columns }: View, item: Item) {
  return Object.entries(columns ?? defaultColumns(item));
}

/** Returns whether there are more. A page may be shorter than requested and still be followed by another. */
async function walk(
  first: Page<Item> | PageBody<Item>,
  most: number,
  take: (items: readonly Item[]) => Promise<void>,
  onProgress: () => void,
): Promise<boolean> {
  let done = 0;
  for (let page = first; ; ) {
    const items = page.items.slice(0, most - done);
    await take(items);
    done += items.length;
    if (items.length < page.items.length) return true;
    if (!('hasNextPage' in page) || !page.hasNextPage()) return false;
    if (done >= most) return true;
    onProgress();
    page = await page.getNextPage();
  }
}

function noneText(operation: ResourceOperation, { things, hint = '' }: View, isFiltered: boolean): string {
  const { group, command } = commandOf(operation);
  const name = things ?? (command === 'list' ? group : command).replaceAll('-', ' ');
  return isFiltered ? `No ${name} match.\n` : `No ${name} yet.${hint === '' ? '' : ` ${hint}`}\n`;
}

export async function getResource(
  operation: ResourceOperation,
  values: readonly string[],
  options: ResourceOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const view = viewOf(operation.id);
  const place = pathOf(operation, values);
  const { client, transport } = await connect(options, environment);
  const query = await queryOf(operation, options, client);
  const call = transport.request<Item>({ method: 'GET', path: place, query });
  const { data, response } = await call.withResponse();
  if (options.etag) return print(stdout, `${response.etag ?? ''}\n`);
  if (options.json) return print(stdout, jsonLine(data));
  await print(stdout, await (view.text ?? defaultText)(data, { client, stdout, etag: response.etag }));
}

/** The last parameter of the path may have several values. Without `confirmation`, nothing is asked. */
export async function deleteResources(
  operation: ResourceOperation,
  confirmation: { readonly canBeRead: boolean } | null,
  values: readonly string[],
  options: ResourceOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, environment } = context;
  const { params } = operation;
  const { noun } = params.at(-1) as PathParameter;
  const view = viewOf(operation.id);
  const parents = values.slice(0, params.length - 1);
  const ids = [...new Set(values.slice(parents.length))];
  const places = new Map(ids.map((id) => [id, pathOf(operation, [...parents, id])]));
  const { ifMatch, json = false, yes = false } = options;
  if (ifMatch !== undefined && ids.length > 1) throw invalidUsage(`--if-match works with a single ${noun} only`);
  const asks = confirmation !== null && !yes;
  if (asks) requireTerminal(context);
  const { transport } = await connect(options, environment);
  if (asks) {
    for (const [id, place] of places) {
      const item = confirmation.canBeRead ? await transport.request<Item>({ method: 'GET', path: place }) : null;
      stderr.write(`  ${id}${item === null ? '' : `  ${visible(view.line?.(item) ?? String(item.name ?? ''))}`}\n`);
    }
    const what = ids.length === 1 ? `this ${noun}` : `these ${ids.length} ${noun}s`;
    await confirm(`Delete ${what}${view.includes ? ` with ${view.includes}` : ''}?`, 'nothing was deleted', context);
  }
  const progress = createProgress('Deleting', stderr);
  let exitCode: number = exitCodes.done;
  let done = 0;
  await watched(progress, async () => {
    for (const [id, place] of places) {
      if (ids.length > 1 && !stdout.isTTY) progress.show(done, ids.length);
      try {
        const deleted = await transport.request({ method: 'DELETE', path: place, options: { ifMatch } });
        done += 1;
        await print(stdout, json ? jsonLine(deleted) : `${id} deleted.\n`);
      } catch (error) {
        // One that is missing does not affect the others; a bad key or an unreachable service affects all of them.
        if (ids.length === 1 || exitCodeFor(error) !== exitCodes.notFound) throw error;
        exitCode = exitCodes.notFound;
        progress.end();
        stderr.write(describeFailure(error).replace('voice-agents: ', `voice-agents: ${id}: `));
      }
    }
  });
  if (exitCode !== exitCodes.done) throw new CommandError(`${done} of ${ids.length} ${noun}s deleted`, exitCode);
}

/** A command that sends one request. What can be checked without the service is checked first. */
export async function runAction(
  action: Action,
  given: readonly string[],
  options: ResourceOptions & { readonly idempotencyKey?: string },
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, environment, setExitCode } = context;
  const [group = '', ...words] = action.name.split(' ');
  const names = words.filter((word) => /^[<[]/.test(word));
  const values = given.map((value, index) => checkedArgument(group, names[index]?.slice(1, -1) ?? '', value));
  const body = (await action.body?.(options, context)) ?? {};
  const { client } = await connect(options, environment);
  const { ifMatch, idempotencyKey, json, etag } = options;
  const call = action.send(client, values as unknown as Values, body, { ifMatch, idempotencyKey });
  const { data, response } = await call.withResponse().catch((error) => explainMissing(error, action.missing));
  if (etag) return print(stdout, `${response.etag ?? ''}\n`);
  const { text = defaultText, note, hasFailed } = action;
  const shown = { client, stdout, etag: response.etag, values };
  await print(stdout, json ? jsonLine(data) : await text(data, shown));
  if (!json && note !== undefined) stderr.write(note(data));
  if (await hasFailed?.(data)) setExitCode(exitCodes.failed);
}

/** An argument that identifies something: `id` in the group, or a resource inside, such as `delivery`. */
function checkedArgument(group: string, name: string, value: string): string {
  if (name === 'version') return checkedVersion(value);
  const operation = resourceOperations.find(({ params, ...rest }) => {
    if (commandOf({ params, ...rest }).group !== group) return false;
    return name === 'id' ? params.length === 1 : params.at(-1)?.noun === name;
  });
  return operation === undefined ? value : checkedValue(operation, operation.params.length - 1, value);
}

/** The filters that were given, as parameters of the service, which checks their values. */
export async function queryOf(
  operation: ResourceOperation,
  options: object,
  client: VoiceAgents,
): Promise<Record<string, string>> {
  const query: Record<string, string> = {};
  for (const parameter of operation.query) {
    const option = optionName(parameter);
    const attribute = option.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const text = (options as Readonly<Record<string, string | undefined>>)[attribute];
    // An empty search is no search; the service would reject it.
    if (text === undefined || text === '') continue;
    if (parameter.isTime) query[parameter.name] = timeOf(`--${option}`, text);
    else query[parameter.name] = parameter.isList ? (listOf(text) ?? []).join(',') : text;
  }
  return viewOf(operation.id).query?.(query, client) ?? query;
}

function timeOf(option: string, text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw invalidUsage(
    `${option} must be a date or a time such as 2026-11-20 or 2026-11-20T09:00:00Z, not "${visible(text)}"`,
  );
}

function checkedValue(operation: ResourceOperation, index: number, value = ''): string {
  const { name, noun, example } = operation.params[index] as PathParameter;
  if (name === 'version') return checkedVersion(value);
  if (!example.endsWith('_…')) return viewOf(operation.id).checkName?.(value) ?? value;
  const listId = operation.id.replace(/\w+$/, 'list');
  const list = resourceOperations.find(({ id, params }) => id === listId && params.length === index);
  const { group, command } = commandOf(list ?? operation);
  return checkedId(
    noun,
    value,
    example.slice(0, -2),
    `${group} ${list === undefined && index === 0 ? 'list' : command}`,
  );
}

/** Each value is checked, and is one segment of the path, as in the SDK. */
function pathOf(operation: ResourceOperation, values: readonly string[]): () => string {
  const fixed = operation.path.split(/\{\w+\}/);
  const checked = operation.params.map((_, index) => checkedValue(operation, index, values[index]));
  return path(Object.assign(fixed, { raw: fixed }), ...checked);
}
