import { pipeline } from 'node:stream/promises';
import { NotFoundError } from '../../../sdk/src/errors.ts';
import type { CallQuery, Page, VoiceAgents } from '../../../sdk/src/index.ts';
import type { Call, Transcript } from '../../../sdk/src/schema.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import { forEachConcurrently } from '../concurrency.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { resourceOperation } from '../resources/operations.ts';
import { queryOf } from '../resources/work.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { counted, jsonLine } from '../terminal/text.ts';
import type { ExportOptions } from './export-call.ts';

/** Small enough that a page with its transcripts fits into memory, large enough to keep several requests busy. */
const pageSize = 50;
const maxRequests = 4;

/** All matching calls as JSON Lines, each with its transcript; or one call, by its id, as a simulation. */
export async function exportCalls(
  id: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  if (id !== undefined) return (await import('./export-call.ts')).exportCall(id, options, context);
  const { out } = options;
  const { environment, stdout, stderr } = context;
  const { client } = await connect(options, environment);
  const query = await queryOf(resourceOperation('calls.list'), options, client);
  const progress = createProgress('Exporting', stderr);
  let count = 0;
  const lines = linesOf(client, query, (done) => {
    count = done;
    // Lines on the same terminal already show the progress.
    if (out !== undefined || !stdout.isTTY) progress.show(done, null);
  });
  await watched(progress, async () => {
    if (out !== undefined) return writeFileAtomically(out, (target) => pipeline(lines, target));
    for await (const text of lines) await print(stdout, text);
  });
  const what = counted(count, 'call');
  if (out !== undefined) stderr.write(`${what} exported to ${out}\n`);
  else if (stderr.isTTY && !stdout.isTTY) stderr.write(`${what} exported.\n`);
}

/** The lines of one page at a time. */
async function* linesOf(
  client: VoiceAgents,
  query: CallQuery,
  onProgress: (done: number) => void,
): AsyncGenerator<string, void, undefined> {
  let done = 0;
  for (let page: Page<Call> = await client.calls.list({ ...query, limit: pageSize }); ; ) {
    const lines = new Map<string, string>();
    await forEachConcurrently(page.items, maxRequests, async (call) => {
      lines.set(call.id, jsonLine({ ...call, transcript: await transcriptOf(client, call) }));
    });
    yield page.items.map(({ id }) => lines.get(id)).join('');
    done += page.items.length;
    onProgress(done);
    if (!page.hasNextPage()) return;
    page = await page.getNextPage();
  }
}

/** Null if nothing was said, or if it is not stored. */
async function transcriptOf(client: VoiceAgents, { id, transcriptStatus }: Call): Promise<Transcript | null> {
  if (transcriptStatus !== 'available' && transcriptStatus !== 'live') return null;
  try {
    return await client.calls.transcript.get(id);
  } catch (error) {
    // Deleted or redacted in the meantime.
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
