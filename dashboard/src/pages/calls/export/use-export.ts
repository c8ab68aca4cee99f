import { useEffect, useRef, useState } from 'react';
import type { Call } from '../../../../../sdk/src/index.ts';
import { callCsv } from '../../../../../src/core/call-columns.ts';
import { byteOrderMark } from '../../../../../src/core/csv.ts';
import type { Filter } from '../../../analytics/query.ts';
import { useClient } from '../../../session/use-session.ts';

const pageSize = 200;
/** Half a minute, so that an export survives a restart of the service. */
const maxRetries = 7;

/** Which calls are exported: those of a list, of a search of transcripts, or these. */
export type ExportSource =
  | { readonly query: Record<string, string | undefined> }
  | { readonly search: Filter }
  | { readonly calls: readonly Call[] };

interface CsvFormat {
  readonly columns: readonly string[];
  readonly timeZone: string;
}

/** What has been written so far. The browser keeps the parts, on disk if there are many. */
interface Written {
  readonly csv: ReturnType<typeof callCsv>;
  readonly parts: Blob[];
  cursor: string | null;
  count: number;
}

/** Writes pages of calls into a file. After a failure, it continues with the page that failed. */
export function useExport(source: ExportSource, onDone: (count: number) => void) {
  const { calls } = useClient();
  const written = useRef<Written | null>(null);
  const stop = useRef<AbortController | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setIsRunning] = useState(false);
  useEffect(() => () => stop.current?.abort(), []);

  const pageAfter = async (cursor: string | null, signal: AbortSignal) => {
    if ('calls' in source) return { items: source.calls, nextCursor: null };
    const place = { limit: pageSize, ...(cursor !== null && { cursor }) };
    if ('search' in source) return calls.search({ filter: source.search, ...place }, { signal, maxRetries });
    // The cursor includes the filters.
    return calls.list(cursor === null ? { ...source.query, ...place } : place, { signal, maxRetries });
  };
  const writePage = async (file: Written, signal: AbortSignal): Promise<boolean> => {
    const page = await pageAfter(file.cursor, signal);
    file.parts.push(new Blob([file.csv.linesOf(page.items)]));
    file.count += page.items.length;
    file.cursor = page.nextCursor;
    setCount(file.count);
    return file.cursor !== null;
  };

  const run = async ({ columns, timeZone }: CsvFormat): Promise<void> => {
    const csv = callCsv(columns, timeZone);
    const begun = count === null ? null : written.current;
    const file = begun ?? { csv, parts: [new Blob([byteOrderMark, csv.head])], cursor: null, count: 0 };
    const abort = new AbortController();
    const { signal } = abort;
    written.current = file;
    stop.current = abort;
    setError(null);
    setIsRunning(true);
    try {
      while (await writePage(file, signal));
      save(new Blob(file.parts, { type: 'text/csv;charset=utf-8' }));
      onDone(file.count);
    } catch (caught) {
      if (!signal.aborted) setError(caught as Error);
    } finally {
      setIsRunning(false);
    }
  };
  return { run, count, error, isRunning };
}

function save(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `calls-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
