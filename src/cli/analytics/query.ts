import type { AnalyticsQuery, AnalyticsResult } from '../../../sdk/src/schema.ts';
import { byteOrderMark, type CsvCell, csvLines } from '../../core/csv.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print, printResult } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { readJsonFile } from '../json-file.ts';
import { table } from '../terminal/table.ts';
import { counted } from '../terminal/text.ts';

interface QueryOptions extends CommandOptions {
  readonly csv?: boolean;
}

export async function queryFigures(file: string, options: QueryOptions, context: CommandContext): Promise<void> {
  const { stdout, stderr, environment } = context;
  const query = await readJsonFile(file, 'a query');
  if (typeof query !== 'object' || query === null) throw invalidUsage(`${file} must contain a query, as a JSON object`);
  const { client } = await connect(options, environment);
  const result = await client.analytics.query(query as AnalyticsQuery);
  if (options.json) return printResult(result, '', options, context);
  const { head, rows } = linesOf(result);
  if (options.csv) {
    await print(stdout, byteOrderMark + csvLines([head, ...rows]));
    stderr.write(incompleteNoteOf(result));
    return;
  }
  const shown = rows.map((row) => row.map((cell) => (cell === null ? '—' : String(cell))));
  await print(stdout, table(head, shown, { stream: stdout, elastic: head[1] ?? '' }));
  stderr.write(noteOf(result));
}

/** A line for each bucket and group; the figures of the compared range are beside those of the range. */
function linesOf({ rows, previousRange }: AnalyticsResult): { head: string[]; rows: CsvCell[][] } {
  const [first] = rows;
  if (first === undefined) return { head: ['bucket'], rows: [] };
  const [dimensions, metrics] = [Object.keys(first.group), Object.keys(first.values)];
  const withPrevious = metrics.flatMap((name) => (previousRange === null ? [name] : [name, `previous.${name}`]));
  return {
    head: ['bucket', ...dimensions, ...withPrevious],
    rows: rows.map(({ bucket, group, values, previous }) => [
      bucket,
      ...dimensions.map((name) => group[name] ?? null),
      ...metrics.flatMap((name) => {
        const value = values[name] ?? null;
        return previousRange === null ? [value] : [value, previous?.[name] ?? null];
      }),
    ]),
  };
}

function noteOf(result: AnalyticsResult): string {
  const { calls, range, timeZone } = result;
  return `${counted(calls, 'call')} from ${range.from} to ${range.to} (${timeZone}).\n${incompleteNoteOf(result)}`;
}

/** Written for CSV, too, in which nothing else shows it. */
function incompleteNoteOf({ truncated, filledFrom }: AnalyticsResult): string {
  return [
    ...(truncated ? ['Rows were left out: set a higher limit.\n'] : []),
    ...(filledFrom === null
      ? []
      : [`Older calls are still being added: figures are complete from ${filledFrom} on.\n`]),
  ].join('');
}
