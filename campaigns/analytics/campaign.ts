import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { type Check, checkFacts } from './check.ts';
import { type Reader, readers, type Work, writeCall } from './load.ts';

type Amounts = { readonly rounds: number; readonly writers: number; readonly callsOfWriter: number };

export const analytics = defineCampaign<Amounts>({
  name: 'analytics',
  about:
    'Ends, analyzes, changes, redacts and deletes calls while figures are queried and processes are killed: afterwards the facts equal a recomputation from the calls, and nothing is left of what was deleted.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { rounds: 60, writers: 8, callsOfWriter: 10 },
    small: { rounds: 2, writers: 4, callsOfWriter: 4 },
  },
  run: async (run) => {
    const scene = await openScene(run);
    const tally = { rounds: 0, kills: 0, queries: 0, calls: 0, facts: 0, gone: 0 };
    for (; tally.rounds < run.amount.rounds && !run.isOver(); tally.rounds += 1) {
      const isKilled = tally.rounds % 2 === 0;
      tally.queries += await attack(scene, isKilled);
      tally.kills += Number(isKilled);
      const check = await quiet(scene);
      Object.assign(tally, { calls: check.calls, facts: check.facts, gone: check.gone });
      run.showProgress(`${tally.rounds} rounds, ${check.calls} calls`);
    }
    const { rounds, kills, queries, calls, facts, gone } = tally;
    return { rounds, kills, queries, 'calls left': calls, facts, 'planted values that are gone': gone };
  },
});

interface Scene extends Work {
  readonly run: Run<Amounts>;
  readonly database: Database;
  readonly workspaceId: string;
  readonly settings: Record<string, string>;
  service: ServiceProcess;
}

async function openScene(run: Run<Amounts>): Promise<Scene> {
  const databaseUrl = await run.newDatabaseUrl();
  const [made] = await makeKeys(databaseUrl, [{ workspace: 'analytics' }]);
  if (made === undefined) throw new Error('the key was not made');
  const settings = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: '100',
  };
  const service = await startProcess(settings);
  const database = openDatabase(locationOf(databaseUrl), () => {});
  const scene: Scene = {
    run,
    database,
    workspaceId: made.workspaceId,
    settings,
    service,
    key: made.secret,
    agentId: '',
    plants: [],
    random: run.random,
    found: run.found,
  };
  run.atEnd(() => database.close());
  run.atEnd(() => scene.service.end('SIGKILL'));
  const connection = new Connection(service.port);
  const body = {
    name: 'Reception',
    voiceId: 'voice-1',
    responseEngine: { type: 'single_prompt', model: 'test-echo', prompt: 'Repeat.' },
    postCallAnalysisModel: 'test-extract',
    postCallAnalysisData: [{ name: 'item', type: 'string', description: 'What it is about.' }],
  };
  const { body: created } = await connection.request('POST', '/api/v1/agents', { key: made.secret, body });
  const agentId: string = JSON.parse(created.toString()).id;
  await connection.request('POST', `/api/v1/agents/${agentId}/publish`, { key: made.secret });
  connection.close();
  return Object.assign(scene, { agentId });
}

/** Writers and readers, and a kill while they are at work. Returns the number of answered queries. */
async function attack(scene: Scene, isKilled: boolean): Promise<number> {
  const { run, service } = scene;
  const reading: Reader = readers(scene, service.port, 2);
  const writers = Array.from({ length: run.amount.writers }, () => write(scene, service.port));
  if (isKilled) {
    await delay(run.random.int(100, 1500));
    await service.end('SIGKILL');
  }
  await Promise.all(writers);
  const queries = await reading.stop();
  if (isKilled) scene.service = await startProcess(scene.settings);
  return queries;
}

async function write(scene: Scene, port: number): Promise<void> {
  const connection = new Connection(port);
  try {
    for (let count = 0; count < scene.run.amount.callsOfWriter; count += 1) await writeCall(scene, connection);
  } catch {
    // The process was killed. What was done is in the database.
  } finally {
    connection.close();
  }
}

/** Ends what is open, waits for the analyses, and compares. */
async function quiet(scene: Scene): Promise<Check> {
  const { database, workspaceId, service, key, run, plants } = scene;
  const connection = new Connection(service.port);
  try {
    for (;;) {
      const open = await database.all<{ id: string; status: string }>(
        `SELECT id, status FROM calls WHERE workspace_id = $1
          AND (status NOT IN ('ended', 'not_connected', 'error') OR analysis_status = 'pending')`,
        [workspaceId],
      );
      if (open.length === 0) break;
      for (const { id, status } of open) {
        if (status === 'registered' || status === 'ongoing') {
          await connection.request('POST', `/api/v1/calls/${id}/end`, { key, body: {} });
        }
      }
      await delay(50);
    }
    return await checkFacts({ database, workspaceId, connection, key, plants, found: run.found });
  } finally {
    connection.close();
  }
}
