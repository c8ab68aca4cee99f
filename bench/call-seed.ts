/** Databases of calls in one workspace, created once and kept in bench/.data. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createIdGenerator } from '../src/core/ids.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { insertCall } from '../test/support/stored-calls.ts';
import { agentCount, callDocument } from './call-documents.ts';
import { benchFolder, dataFolder, root } from './processes.ts';
import { showProgress } from './progress.ts';

export const workspaceId = 'ws_01m7f8nje00000m9s346q3d25vt4f5';
const callsInTransaction = 10_000;
/** The creation times of the calls are spread over the last months. */
const millisecondsBetween = 10_000;

/** The file of a database with this many calls, created if it does not exist. */
export async function seedCalls(calls: number): Promise<string> {
  const name = `calls-${calls}-`;
  const folder = join(dataFolder, `${name}${fingerprint()}`);
  if (!existsSync(folder)) {
    const outdated = existsSync(dataFolder) ? readdirSync(dataFolder).filter((other) => other.startsWith(name)) : [];
    for (const other of outdated) rmSync(join(dataFolder, other), { recursive: true });
    const unfinished = `${folder}.unfinished`;
    mkdirSync(unfinished, { recursive: true });
    await fill(join(unfinished, 'voice-agents.db'), calls);
    renameSync(unfinished, folder);
  }
  return join(folder, 'voice-agents.db');
}

/** A digest of what determines the database. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const files = [
    join(root, 'src', 'storage', 'migrations', '0009-calls.ts'),
    join(root, 'src', 'areas', 'calls', 'record', 'filter-values.ts'),
    join(benchFolder, 'call-documents.ts'),
  ];
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 8);
}

async function fill(file: string, calls: number): Promise<void> {
  const database = openDatabase({ engine: 'sqlite', file }, () => {});
  const progress = showProgress(`seeding ${calls.toLocaleString('en')} calls`, calls);
  try {
    await migrate(database, Date.now);
    await database.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)', [workspaceId, 'bench', 0]);
    const start = Date.now() - calls * millisecondsBetween;
    let createdAt = start;
    const newId = createIdGenerator(() => createdAt);
    const agentIds = Array.from({ length: agentCount }, () => newId('agt'));
    for (let first = 0; first < calls; first += callsInTransaction) {
      const end = Math.min(first + callsInTransaction, calls);
      await database.transaction(async (queries) => {
        for (let number = first; number < end; number += 1) {
          createdAt = start + number * millisecondsBetween;
          const identity = { id: newId('call'), workspaceId, agentIds, createdAt };
          await insertCall(queries, callDocument(number, identity));
        }
      });
      progress.advanceTo(end);
    }
  } finally {
    await database.close();
  }
  progress.end();
}
