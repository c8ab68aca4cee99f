import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { AbortedRun, defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Instances } from '../repeat/instances.ts';
import { checkAll } from './check.ts';
import { definitionsOf } from './definitions.ts';
import { type Faults, openDatabaseToFill, openFaults } from './faults.ts';
import { Receiver } from './receiver.ts';
import { type Records, type Restore, restoreBackup } from './restores.ts';
import { maxQuietMs } from './settings.ts';

type Amounts = {
  /** Each starts a run of two workflows. */
  readonly calls: number;
  readonly callers: number;
  readonly kills: number;
  readonly maxGapMs: number;
  /** The database cannot be reached for a time. */
  readonly outages: number;
  readonly maxOutageMs: number;
  /** The disk is full for a time. Only where a small one can be mounted, on SQLite. */
  readonly fillings: number;
  readonly diskMiB: number;
  /** All processes are killed, and started with an earlier backup. */
  readonly restores: number;
  /** All processes are killed, and started with another time of day. */
  readonly clockSteps: number;
  /** How many runs are canceled while they are in progress. */
  readonly cancellations: number;
};

export const workflows = defineCampaign<Amounts>({
  name: 'workflows',
  about:
    'Instances are killed, the database is unreachable, its disk is full, a backup is restored and the clock moves by an hour while runs with steps of every type send requests to a receiver that fails a fifth of the time: every run ends, an event starts one run, every call and change is made once, and a key never arrives with two contents, or after a cancellation.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: {
      calls: 5000,
      callers: 8,
      kills: 700,
      maxGapMs: 1200,
      outages: 10,
      maxOutageMs: 30_000,
      fillings: 20,
      diskMiB: 768,
      restores: 10,
      clockSteps: 20,
      cancellations: 300,
    },
    fullOnPostgres: {
      calls: 2000,
      callers: 8,
      kills: 200,
      maxGapMs: 1200,
      outages: 10,
      maxOutageMs: 30_000,
      fillings: 0,
      diskMiB: 0,
      restores: 5,
      clockSteps: 10,
      cancellations: 150,
    },
    small: {
      calls: 60,
      callers: 4,
      kills: 3,
      maxGapMs: 700,
      outages: 1,
      maxOutageMs: 600,
      fillings: 1,
      diskMiB: 128,
      restores: 1,
      clockSteps: 1,
      cancellations: 20,
    },
  },
  run: async (run) => {
    const scene = await openScene(run);
    const { instances, receiver, faults, counts } = scene;
    const calling = callAll(run, scene);
    const attacking = attackWhile(run, scene, calling);
    const disturbing = disturbWhile(run, scene, calling);
    await Promise.all([calling, attacking, disturbing]);
    await faults.settleClock();
    await untilOver(scene);
    await resumeFailed(scene);
    await untilOver(scene);
    const { workspaceId, workflowIds, canceledMs, restores } = scene;
    const { arrivals } = receiver;
    const { found } = run;
    const database = scene.records.database as Database;
    const workflows = workflowIds;
    const figures = await checkAll({ database, workspaceId, workflows, arrivals, canceledMs, restores, found });
    for (const line of instances.output().split('\n').filter(isError)) found(`the log has an error: ${line}`);
    return {
      kills: instances.kills,
      outages: counts.outages,
      'disks filled': counts.fillings,
      'backups restored': restores.length,
      'moves of the clock': counts.clockSteps,
      cancellations: canceledMs.size,
      'runs resumed': counts.resumed,
      ...figures,
      'requests that the receiver failed': receiver.failures,
    };
  },
});

interface Scene {
  readonly databaseUrl: string;
  readonly records: Records;
  readonly restores: Restore[];
  readonly instances: Instances;
  readonly receiver: Receiver;
  readonly faults: Faults;
  readonly key: string;
  readonly workspaceId: string;
  readonly agentId: string;
  /** The names by the ids. */
  readonly workflowIds: ReadonlyMap<string, string>;
  readonly callIds: string[];
  readonly canceledMs: Map<string, number>;
  readonly counts: { attacks: number; outages: number; fillings: number; clockSteps: number; resumed: number };
}

const phoneNumber = '+99910000001';
/** Less than the 30 days that are allowed, whatever the clock does. */
const startsAheadMs = 20 * 86_400_000;

async function openScene(run: Run<Amounts>): Promise<Scene> {
  const { databaseUrl, disk } = await openDatabaseToFill(run, run.amount.diskMiB);
  const [key] = await makeKeys(databaseUrl, [{ workspace: 'workflows' }]);
  if (key === undefined) throw new Error('the key was not made');
  const records: Records = { database: openDatabase(locationOf(databaseUrl), () => {}) };
  run.atEnd(() => records.database?.close());
  const receiver = new Receiver(run.random.fork());
  await receiver.start();
  run.atEnd(() => receiver.end());
  const settings: Record<string, string> = {
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: '1000',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    MEDIA_DIR: join(run.folder, 'media'),
  };
  const preload = join(import.meta.dirname, '..', 'clock', 'preload.ts');
  const file = join(import.meta.dirname, 'service.ts');
  const instances = new Instances(settings, { file, nodeArguments: [`--import=${preload}`] });
  const faults = await openFaults(run, { databaseUrl, disk, settings, instances });
  run.atEnd(() => instances.end());
  await instances.start(2);
  const must = mustOf(instances, key.secret);
  const agent = { name: 'Reception', voiceId: 'test', sttProvider: 'test', ttsProvider: 'test', language: 'en' };
  const { id: agentId } = await must('POST', 'agents', { ...agent, llmModel: 'test-echo', beginMessage: 'Hello.' });
  const { id: carrierId } = await must('POST', 'carriers', { name: 'Test', provider: 'test' });
  const outbound = { enabled: true };
  const { id: phoneNumberId } = await must('POST', 'phone-numbers', { carrierId, number: phoneNumber, outbound });
  await must('PUT', 'secrets/CRM', { value: 'crm-token-0000', hosts: ['127.0.0.1'] });
  const startAt = new Date(Date.now() + startsAheadMs).toISOString();
  const workflowIds = new Map<string, string>();
  for (const definition of definitionsOf({ url: receiver.url, agentId, phoneNumberId, startAt })) {
    const { id } = await must('POST', 'workflows', definition);
    await must('PATCH', `workflows/${id}`, { enabled: true });
    workflowIds.set(id, definition.name);
  }
  const { secret, workspaceId } = key;
  const counts = { attacks: 0, outages: 0, fillings: 0, clockSteps: 0, resumed: 0 };
  const known = { key: secret, workspaceId, agentId, workflowIds, callIds: [], canceledMs: new Map(), counts };
  return { databaseUrl, records, restores: [], instances, receiver, faults, ...known };
}

function mustOf(instances: Instances, key: string) {
  return async (method: string, path: string, body: object) => {
    const connection = new Connection(instances.port(0));
    const reply = await connection.request(method, `/api/v1/${path}`, { key, body });
    connection.close();
    if (reply.status > 299) throw new Error(`${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString());
  };
}

/** Resolves to null if a kill or an outage has cut it off. */
async function attempt(run: Run<Amounts>, scene: Scene, method: string, path: string, body: object = {}) {
  const connection = new Connection(
    await scene.instances.pick(run.random).then((place) => scene.instances.port(place)),
    {
      timeoutMs: 10_000,
    },
  );
  const reply = await connection.request(method, `/api/v1/${path}`, { key: scene.key, body }).catch(() => null);
  connection.close();
  if (reply === null || reply.status === 503) return null;
  return { status: reply.status, json: JSON.parse(reply.body.toString()) };
}

/** Chats that are created and ended. One that is cut off is left, and another takes its place. */
async function callAll(run: Run<Amounts>, scene: Scene): Promise<void> {
  const { agentId, callIds, instances, counts } = scene;
  const { calls, kills } = run.amount;
  let number = 0;
  const caller = async (): Promise<void> => {
    while (callIds.length < calls && !run.isOver()) {
      // So that there is work until the last kill.
      if (callIds.length >= (calls * (counts.attacks + 1)) / kills) {
        await delay(20);
        continue;
      }
      run.showProgress(`${callIds.length} calls, ${instances.kills} kills`);
      number += 1;
      // Nobody is called more than three times a day.
      const metadata = { to: `+999${String(number).padStart(8, '0')}`, all: 'n', last: 'n', short: 'n' };
      const body = { type: 'chat', agentId, agentVersion: 'latest', metadata };
      const made = await attempt(run, scene, 'POST', 'calls', body);
      if (made === null) continue;
      if (made.status !== 201) run.found(`a chat was answered ${made.status}`);
      const ended = await attempt(run, scene, 'POST', `calls/${made.json.id}/end`);
      if (ended?.status === 200) callIds.push(made.json.id);
    }
  };
  await Promise.all(Array.from({ length: run.amount.callers }, caller));
}

async function attackWhile(run: Run<Amounts>, scene: Scene, work: Promise<void>): Promise<void> {
  const { amount, random } = run;
  const { instances, faults, counts } = scene;
  let isWorkOver = false;
  const over = work.finally(() => {
    isWorkOver = true;
  });
  const every = (times: number) => (times === 0 ? Number.POSITIVE_INFINITY : Math.ceil(amount.kills / times));
  for (let count = 1; count <= amount.kills && !run.isOver(); count += 1) {
    counts.attacks = count;
    await delay(random.int(0, amount.maxGapMs));
    if (count % every(amount.outages) === 0) {
      await faults.outage(random.int(amount.maxOutageMs / 3, amount.maxOutageMs));
      counts.outages += 1;
    }
    if (count % every(amount.fillings) === 0) {
      if (await faults.fillDisk(random.int(amount.maxOutageMs / 3, amount.maxOutageMs))) counts.fillings += 1;
    }
    // At another moment than the other faults, while there is work to interrupt.
    if ((count + 1) % every(amount.restores) === 0) {
      scene.restores.push(await restoreBackup(run, scene, random.int(amount.maxGapMs / 2, 2 * amount.maxGapMs)));
    }
    if (count % every(amount.clockSteps) === 0) {
      await faults.moveClock();
      counts.clockSteps += 1;
    } else instances.kill(random.int(0, 1));
    // The rest of the kills meets what is still to be done.
    await (isWorkOver ? delay(100) : Promise.race([over, instances.allUp()]));
    await instances.allUp();
  }
  await over;
  await instances.allUp();
}

/** Changes calls while requests about them are sent, and cancels runs. */
async function disturbWhile(run: Run<Amounts>, scene: Scene, work: Promise<void>): Promise<void> {
  const { random, amount } = run;
  const { callIds, canceledMs } = scene;
  let isWorkOver = false;
  void work.finally(() => {
    isWorkOver = true;
  });
  while (!isWorkOver && !run.isOver()) {
    await delay(random.int(5, 60));
    const recent = callIds.slice(-20);
    if (recent.length === 0) continue;
    const note = `${random.int(0, 1_000_000)}`;
    await attempt(run, scene, 'PATCH', `calls/${random.pick(recent)}`, { metadata: { note } });
    if (canceledMs.size >= amount.cancellations || random.chance(0.5)) continue;
    const id = await openRun(scene, random.pick(recent));
    if (id === undefined) continue;
    const canceled = await attempt(run, scene, 'POST', `workflow-runs/${id}/cancel`);
    if (canceled?.json.status === 'canceled') canceledMs.set(id, Date.now());
  }
}

async function openRun({ records }: Scene, callId: string): Promise<string | undefined> {
  const sql = 'SELECT id FROM workflow_runs WHERE call_id = $1 AND completed_at IS NULL';
  try {
    return (await records.database?.all<{ id: string }>(sql, [callId]))?.[0]?.id;
  } catch {
    // While the database is held or replaced, there is nothing to cancel.
    return undefined;
  }
}

/** Until no event is still to be matched, and no run is open. */
async function untilOver({ records, workspaceId }: Scene): Promise<void> {
  const database = records.database as Database;
  let [last, sinceMs] = ['', performance.now()];
  for (;;) {
    const row = await database.get<{ open: number; matching: number; steps: number }>(
      `SELECT (SELECT count(*) FROM workflow_runs WHERE workspace_id = $1 AND completed_at IS NULL) AS open,
        (SELECT count(*) FROM jobs WHERE kind LIKE '%workflow%' AND finished_at IS NULL) AS matching,
        (SELECT coalesce(sum(attempt_count), 0) FROM workflow_steps) AS steps`,
      [workspaceId],
    );
    if (Number(row?.open) === 0 && Number(row?.matching) === 0) return;
    const progress = JSON.stringify(row);
    if (progress !== last) [last, sinceMs] = [progress, performance.now()];
    if (performance.now() - sinceMs > maxQuietMs) throw new AbortedRun(`runs never end: ${progress}`);
    await delay(100);
  }
}

/** As after a receiver was down: the same keys with the same contents. */
async function resumeFailed({ instances, key, workflowIds, counts }: Scene): Promise<void> {
  await instances.allUp();
  const must = mustOf(instances, key);
  for (const id of workflowIds.keys()) {
    const { matched } = await must('POST', `workflows/${id}/resume`, { since: '2020-01-01T00:00:00Z' });
    counts.resumed += matched;
  }
}

/** Without the database, some things cannot be done: that is what an outage is. */
function isError(line: string): boolean {
  return (
    /"level":"(error|fatal)"/.test(line) &&
    !/Try again shortly\.|SERVICE_UNAVAILABLE|database|ECONN|EPIPE|connect/i.test(line)
  );
}
