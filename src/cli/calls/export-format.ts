import { NotFoundError } from '../../../sdk/src/errors.ts';
import type { RequestOptions, VoiceAgents } from '../../../sdk/src/index.ts';
import type { Call, Transcript } from '../../../sdk/src/schema.ts';
import { isTimeZone } from '../../contract/agents/settings/time-zone.ts';
import { callCsv, callValue, defaultCallColumns, isCallColumn } from '../../core/call-columns.ts';
import { byteOrderMark } from '../../core/csv.ts';
import { forEachConcurrently } from '../concurrency.ts';
import { invalidUsage } from '../failures.ts';
import { listOf } from '../resources/ids.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import type { ExportOptions } from './export-call.ts';

/** Small enough that a page with its transcripts fits into memory, large enough to keep several requests busy. */
const pageWithTranscripts = 50;
const largestPage = 200;
const maxRequests = 4;

/** How calls are written. */
export interface ExportFormat {
  readonly pageSize: number;
  /** Before all calls. */
  readonly head: string;
  linesOf(calls: readonly Call[], client: VoiceAgents, options: RequestOptions): string | Promise<string>;
}

export function exportFormat({ format = 'jsonl', columns, timeZone }: ExportOptions): ExportFormat {
  const names = columns === undefined ? undefined : columnsIn(columns);
  if (format === 'jsonl') {
    if (timeZone !== undefined) throw invalidUsage('--time-zone is for --format csv: times in JSON are UTC');
    return names === undefined ? withTranscripts : onlyColumns(names);
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw invalidUsage(`--time-zone must be the name of a time zone, such as Asia/Tokyo, not "${visible(timeZone)}"`);
  }
  const { head, linesOf } = callCsv(names ?? defaultCallColumns, timeZone ?? 'UTC');
  return { pageSize: largestPage, head: byteOrderMark + head, linesOf };
}

/** Names after a prefix, such as metadata., may contain anything but commas. */
function columnsIn(list: string): string[] {
  const names = listOf(list) ?? [];
  if (names.length === 0) throw invalidUsage('--columns must name at least one value, such as durationMs');
  const unknown = names.find((name) => !isCallColumn(name));
  if (unknown !== undefined) {
    throw invalidUsage(
      `--columns: a call has no "${visible(unknown)}". Columns are fields such as createdAt, durationMs and latency.e2eMs.p95, and names after analysis.data., metadata., variables. and collectedVariables.`,
    );
  }
  return [...new Set(names)];
}

function onlyColumns(names: readonly string[]): ExportFormat {
  const lineOf = (call: Call) => jsonLine(Object.fromEntries(names.map((name) => [name, callValue(call, name)])));
  return { pageSize: largestPage, head: '', linesOf: (calls) => calls.map(lineOf).join('') };
}

const withTranscripts: ExportFormat = {
  pageSize: pageWithTranscripts,
  head: '',
  linesOf: async (calls, client, options) => {
    const lines = new Map<string, string>();
    await forEachConcurrently(calls, maxRequests, async (call) => {
      lines.set(call.id, jsonLine({ ...call, transcript: await transcriptOf(client, call, options) }));
    });
    return calls.map(({ id }) => lines.get(id)).join('');
  },
};

/** Null if nothing was said, or if it is not stored. */
async function transcriptOf(
  client: VoiceAgents,
  { id, transcriptStatus }: Call,
  options: RequestOptions,
): Promise<Transcript | null> {
  if (transcriptStatus !== 'available' && transcriptStatus !== 'live') return null;
  try {
    return await client.calls.transcript.get(id, options);
  } catch (error) {
    // Deleted or redacted in the meantime.
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
