import { freeFormValues } from '../../../core/call-values.ts';
import type { Reader } from '../../../storage/database.ts';
import { afterEveryId } from '../../../storage/page.ts';
import type { SeenName } from './job.ts';

const maxCalls = 10_000;
const stepCalls = 500;
const maxNames = 1000;
/** Names are free, so that calls could have any number of them. */
const maxCounted = 50_000;

/** The most frequent free-form names in the newest calls, by name. */
export async function seenNames(reader: Reader, workspaceId: string): Promise<SeenName[]> {
  const seen = new Map<string, { count: number; readonly types: Set<'string' | 'number' | 'boolean'> }>();
  let [createdAt, callId] = [Number.MAX_SAFE_INTEGER, afterEveryId];
  for (let read = 0; read < maxCalls; read += stepCalls) {
    const rows = await reader.all<{ created_at: number; call_id: string; search_values: string }>(
      `SELECT created_at, call_id, search_values FROM call_facts
        WHERE workspace_id = $1 AND (created_at, call_id) < ($2, $3)
        ORDER BY created_at DESC, call_id DESC LIMIT ${stepCalls}`,
      [workspaceId, createdAt, callId],
    );
    for (const { search_values: text } of rows) {
      for (const [name, value] of freeFormValues(text)) {
        const known = seen.get(name);
        const type = typeof value as 'string' | 'number' | 'boolean';
        if (known !== undefined) {
          known.count += 1;
          known.types.add(type);
        } else if (seen.size < maxCounted) seen.set(name, { count: 1, types: new Set([type]) });
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < stepCalls) break;
    [createdAt, callId] = [last.created_at, last.call_id];
  }
  return [...seen]
    .sort(([, one], [, other]) => other.count - one.count)
    .slice(0, maxNames)
    .map(([name, { types }]) => ({ name, types: [...types].sort() }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
