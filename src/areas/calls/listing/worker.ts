/** Runs in a thread: finishes searches. */
import { serveReads } from '../../../storage/readers/serve-reads.ts';
import type { SearchJob, SearchResult } from './listing.ts';
import { pageOfCalls } from './page.ts';
import { CallScan } from './scan.ts';

serveReads<SearchJob, SearchResult>(async (reader, { search, progress }) => {
  const found = await new CallScan(reader, search).finish(progress);
  const page = await pageOfCalls(reader, search, found);
  const items = new Uint8Array(page.items);
  return { result: { items, next: page.next }, transfer: [items.buffer] };
});
