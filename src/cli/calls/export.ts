import { pipeline } from 'node:stream/promises';
import type { CallFilter, CallQuery, Page, VoiceAgents } from '../../../sdk/src/index.ts';
import type { Call } from '../../../sdk/src/schema.ts';
import { byteOrderMark } from '../../core/csv.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, print, ReaderGoneError } from '../context.ts';
import { readJsonFile } from '../json-file.ts';
import { resourceOperation } from '../resources/operations.ts';
import { queryOf } from '../resources/work.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { counted, visible } from '../terminal/text.ts';
import type { ExportOptions } from './export-call.ts';
import { type ExportFormat, exportFormat } from './export-format.ts';

/** Half a minute, so that an export survives a restart of the service. Only the first page fails sooner. */
const maxRetries = 7;

/** All matching calls as JSON Lines or CSV; or one call, by its id, as a simulation. */
export async function exportCalls(
  id: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  if (id !== undefined) return (await import('./export-call.ts')).exportCall(id, options, context);
  const { out } = options;
  const { environment, stdout, stderr } = context;
  const format = exportFormat(options);
  const filter = options.filter === undefined ? null : await readJsonFile(options.filter, 'a filter');
  const { client } = await connect(options, environment);
  const query = await queryOf(resourceOperation('calls.list'), options, client);
  const progress = createProgress('Exporting', stderr);
  let count = 0;
  const lines = linesOf(client, pagesOf(client, query, filter as CallFilter | null, format), format, (done) => {
    count = done;
    // Lines on the same terminal already show the progress.
    if (out !== undefined || !stdout.isTTY) progress.show(done, null);
  });
  await watched(progress, async () => {
    if (out !== undefined) return writeFileAtomically(out, (target) => pipeline(lines, target));
    try {
      for await (const text of lines) await print(stdout, stdout.isTTY ? shown(text) : text);
    } catch (error) {
      const isPartial = count > 0 && !(error instanceof ReaderGoneError);
      if (isPartial) stderr.write(`The export is incomplete: it ends after ${counted(count, 'call')}.\n`);
      throw error;
    }
  });
  const what = counted(count, 'call');
  if (out !== undefined) stderr.write(`${what} exported to ${out}\n`);
  else if (stderr.isTTY && !stdout.isTTY) stderr.write(`${what} exported.\n`);
}

/** One page at a time, newest call first. */
async function* pagesOf(
  client: VoiceAgents,
  query: CallQuery,
  filter: CallFilter | null,
  { pageSize: limit }: ExportFormat,
): AsyncGenerator<readonly Call[], void, undefined> {
  const combined = filter === null ? null : bothOf(filter, leavesOf(query));
  const pageAt = (place: { readonly cursor?: string }, options: { readonly maxRetries?: number }) =>
    combined === null
      ? client.calls.list({ ...query, ...place, limit }, options)
      : client.calls.search({ filter: combined, ...place, limit }, options);
  for (let page: Page<Call> = await pageAt({}, {}); ; ) {
    yield page.items;
    if (page.nextCursor === null) return;
    page = await pageAt({ cursor: page.nextCursor }, { maxRetries });
  }
}

/** Alone, a filter is sent as it is in the file, so that an error names the place in the file. */
function bothOf(filter: CallFilter, leaves: readonly CallFilter[]): CallFilter {
  if (leaves.length === 0) return filter;
  return { all: ['all' in filter && Array.isArray(filter.all) ? filter.all : filter, leaves].flat() };
}

/** The filters of a list as conditions of a search. */
function leavesOf(query: CallQuery): CallFilter[] {
  const { createdAfter, createdBefore, successful, sentiment, agentVersion, ...others } = query;
  const given: Record<string, unknown> = { ...others, 'analysis.sentiment': sentiment };
  const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return [
    ...texts.map(([field, text]): CallFilter => ({ field, op: 'in', value: valuesIn(field, text) })),
    ...(agentVersion === undefined
      ? []
      : [{ field: 'agentVersion', op: 'in', value: String(agentVersion).split(',').map(Number) } as const]),
    ...(successful === undefined
      ? []
      : [{ field: 'analysis.successful', op: 'eq', value: String(successful) === 'true' } as const]),
    ...(createdAfter === undefined ? [] : [{ field: 'createdAt', op: 'gte', value: createdAfter } as const]),
    ...(createdBefore === undefined ? [] : [{ field: 'createdAt', op: 'lt', value: createdBefore } as const]),
  ];
}

/** A reference may contain commas. */
function valuesIn(field: string, text: string): string[] {
  return ['externalId', 'from', 'to'].includes(field) ? [text] : text.split(',');
}

async function* linesOf(
  client: VoiceAgents,
  pages: AsyncIterable<readonly Call[]>,
  { head, linesOf }: ExportFormat,
  onProgress: (done: number) => void,
): AsyncGenerator<string, void, undefined> {
  let done = 0;
  if (head !== '') yield head;
  for await (const calls of pages) {
    yield await linesOf(calls, client, { maxRetries });
    done += calls.length;
    onProgress(done);
  }
}

/** CSV contains what callers said as it is, which a terminal would interpret. */
function shown(text: string): string {
  return text.replace(byteOrderMark, '').split(/\r?\n/).map(visible).join('\n');
}
