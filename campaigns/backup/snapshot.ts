import { isDeepStrictEqual } from 'node:util';
import type { Content } from '../../test/support/stored-rows.ts';
import type { Write, Writer } from './writer.ts';

/** The backup command ran from `startMs` to `endMs`. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Compares the restored content with the load: it must be a consistent snapshot taken while the command ran. For each
 * writer it contains a prefix of its writes, including all that were acknowledged before the command started and none
 * that started after it ended. If it contains a write, it contains all writes acknowledged before that one started.
 * Returns the number of writes in the snapshot.
 */
export function checkSnapshot(
  content: Content,
  writers: readonly Writer[],
  { startMs, endMs }: Window,
  found: (what: string) => void,
): number {
  let newestSentMs = 0;
  let oldestMissingAckMs = Infinity;
  let total = 0;
  for (const writer of writers) {
    const count = checkWriter(content, writer, found);
    total += count;
    const present = writer.writes.slice(0, count);
    const missing = writer.writes.slice(count);
    if (missing.some(({ ackedMs }) => ackedMs < startMs)) found('a change from before the backup is not in it');
    if (present.some(({ sentMs }) => sentMs > endMs)) found('a change from after the backup is in it');
    newestSentMs = Math.max(newestSentMs, present.at(-1)?.sentMs ?? 0);
    oldestMissingAckMs = Math.min(oldestMissingAckMs, missing[0]?.ackedMs ?? Infinity);
  }
  if (oldestMissingAckMs < newestSentMs) found('a change is in the backup, and one acknowledged before it is not');
  return total;
}

/** Returns how many writes are present, which must be the first ones with exactly their effects. */
function checkWriter(content: Content, { key, writes }: Writer, found: (what: string) => void): number {
  const rowsOf = (table: string) => (content[table] ?? []).filter((row) => row.workspace_id === key.workspaceId);
  const entries = rowsOf('audit_log').map((row) => JSON.parse(row.doc as string) as AuditDoc);
  const count = entries.length;
  const present = writes.slice(0, count);
  const seen = entries.map(({ requestId, routeId, resourceId }) => ({ requestId, routeId, resourceId }));
  seen.sort((one, other) => (one.requestId < other.requestId ? -1 : 1));
  const expected = present.map(({ requestId, routeId, resourceId }) => ({ requestId, routeId, resourceId }));
  if (!isDeepStrictEqual(seen, expected)) found('the audit entries of a writer are not its first changes');

  const { heads, versions } = effectsOf(present);
  const texts = (table: string, id: string) =>
    rowsOf(table).map((row) => [`${row[id]} ${row.version}`, row.doc as string] as const);
  if (!isSame(texts('agents', 'id'), heads)) found('the agents of a writer are not those of its first changes');
  if (!isSame(texts('agent_versions', 'agent_id'), versions)) found('the versions of a writer are not as they were');

  const saved = rowsOf('idempotency_keys').map((row) => row.body as string);
  const responses = present.filter((write) => write.hasIdempotencyKey).map((write) => write.text as string);
  if (!isDeepStrictEqual(saved.sort(), responses.sort())) found('the saved responses of a writer have changed');
  return count;
}

interface AuditDoc {
  readonly requestId: string;
  readonly routeId: string;
  readonly resourceId: string;
}

/** By id and version: the current agents after these writes, and their earlier versions. */
function effectsOf(writes: readonly Write[]) {
  const heads = new Map<string, string>();
  const versions = new Map<string, string>();
  const current = new Map<string, string>();
  for (const { resourceId, text } of writes) {
    const before = current.get(resourceId);
    const textBefore = before === undefined ? undefined : heads.get(before);
    if (before !== undefined) heads.delete(before);
    if (text === null) {
      current.delete(resourceId);
      for (const name of versions.keys()) if (name.startsWith(`${resourceId} `)) versions.delete(name);
      continue;
    }
    const name = `${resourceId} ${JSON.parse(text).version}`;
    if (before !== undefined && before !== name) versions.set(before, textBefore as string);
    heads.set(name, text);
    current.set(resourceId, name);
  }
  return { heads, versions };
}

function isSame(rows: readonly (readonly [string, string])[], expected: ReadonlyMap<string, string>): boolean {
  return rows.length === expected.size && rows.every(([name, text]) => expected.get(name) === text);
}
