import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Row } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { runCommand } from '../../test/support/process.ts';
import { AbortedRun, type Run } from '../campaign.ts';
import type { Instances } from '../repeat/instances.ts';
import type { Receiver } from './receiver.ts';

/** What a restore has undone, and what it has kept. */
export interface Restore {
  /** The backup has what was committed before. */
  readonly backupFromMs: number;
  /** The `Idempotency-Key` of every request that it has. */
  readonly rendered: ReadonlySet<string>;
  /** The id of every run that an event had started before the restore, by its workflow and event. */
  readonly startedBefore: ReadonlyMap<string, string>;
}

/** The database, except while it is replaced. */
export interface Records {
  database: Database | null;
}

export interface RestoreParts {
  readonly databaseUrl: string;
  readonly records: Records;
  readonly instances: Instances;
  readonly receiver: Receiver;
  readonly callIds: string[];
  readonly canceledMs: Map<string, number>;
}

interface StartedRun extends Row {
  id: string;
  workflow_id: string;
  event_id: string;
}

interface RenderedStep extends Row {
  run_id: string;
  step_id: string;
}

/** All processes work on for a while after a backup, are killed, and start again with what the backup has. */
export async function restoreBackup(run: Run, parts: RestoreParts, workMs: number): Promise<Restore> {
  const { databaseUrl, records, instances, receiver } = parts;
  const file = join(run.folder, `${receiver.era}.backup`);
  const backupFromMs = Date.now();
  await command(run, ['backup', file], databaseUrl);
  await delay(workMs);
  const startedBefore = new Map<string, string>();
  const rendered = new Set<string>();
  await instances.whileDown(async () => {
    const before = records.database as Database;
    records.database = null;
    for (const { id, workflow_id, event_id } of await before.all<StartedRun>(startedRuns))
      startedBefore.set(`${workflow_id} ${event_id}`, id);
    await before.close();
    await command(run, ['restore', file, '--replace'], databaseUrl);
    const restored = openDatabase(locationOf(databaseUrl), () => {});
    for (const { run_id, step_id } of await restored.all<RenderedStep>(renderedSteps))
      rendered.add(`${run_id}.${step_id}`);
    await forgetUndone(parts, restored, backupFromMs);
    records.database = restored;
    receiver.era += 1;
  });
  rmSync(file);
  return { backupFromMs, startedBefore, rendered };
}

const startedRuns = 'SELECT id, workflow_id, event_id FROM workflow_runs WHERE event_id IS NOT NULL';
const renderedSteps = 'SELECT run_id, step_id FROM workflow_steps WHERE request IS NOT NULL';

/** Calls and cancellations since the backup are as if they had not been. */
async function forgetUndone({ callIds, canceledMs }: RestoreParts, database: Database, fromMs: number): Promise<void> {
  const stored = new Set((await database.all<{ id: string }>('SELECT id FROM calls')).map(({ id }) => id));
  callIds.splice(0, callIds.length, ...callIds.filter((id) => stored.has(id)));
  for (const [id, confirmedMs] of canceledMs) if (confirmedMs >= fromMs) canceledMs.delete(id);
}

/** PostgreSQL notices a little later that the processes were killed. */
async function command(run: Run, args: readonly string[], databaseUrl: string): Promise<void> {
  const settings = { DATABASE_URL: databaseUrl, MEDIA_DIR: join(run.folder, 'media') };
  for (let attempt = 1; ; attempt += 1) {
    const { code, stderr } = await runCommand(args, settings);
    if (code === 0) return;
    if (attempt === 10 || !stderr.includes('in use')) throw new AbortedRun(`${args[0]} ended with ${code}: ${stderr}`);
    await delay(500);
  }
}
