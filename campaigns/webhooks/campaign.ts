import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Row } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { AbortedRun, defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Instances } from '../repeat/instances.ts';
import { checkAll, delaysOf, type Target } from './check.ts';
import { Receivers, receiverNames, reliable } from './receivers.ts';
import { maxQuietMs } from './settings.ts';

type Amounts = {
  /** Each has two events. */
  readonly chats: number;
  /** In each of two calm phases: with good receivers only, and with all. */
  readonly calmChats: number;
  readonly callers: number;
  readonly kills: number;
  readonly maxGapMs: number;
  /** How much later the slowest percent may arrive next to receivers that fail. */
  readonly maxSlowerMs: number;
};

export const webhooks = defineCampaign<Amounts>({
  name: 'webhooks',
  about:
    'Instances are killed while events are sent to receivers that work, fail, hang, redirect, are busy, reset connections, answer too late, are gone or dead: every event arrives at every webhook or is failed and visible, with the same id and bytes, in order, and signed.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { chats: 5000, calmChats: 300, callers: 8, kills: 100, maxGapMs: 3000, maxSlowerMs: 250 },
    small: { chats: 16, calmChats: 3, callers: 4, kills: 2, maxGapMs: 400, maxSlowerMs: 5000 },
  },
  run: async (run) => {
    const scene = await openScene(run);
    const { instances, database, receivers } = scene;
    const chatting = chat(run, scene, run.amount.chats);
    await attackWhile(run, scene, chatting);
    await untilSent(scene);
    const alone = await calmPhase(run, scene, 'paused');
    const beside = await calmPhase(run, scene, 'active');
    const { targets, workspaceId, killsMs } = scene;
    const checked = await checkAll({ database, workspaceId, targets, receivers, killsMs, found: run.found });
    if (percentile(beside, 0.99) > percentile(alone, 0.99) + run.amount.maxSlowerMs)
      run.found('receivers that fail delay the others');
    for (const line of instances.output().split('\n').filter(isError)) run.found(`the log has an error: ${line}`);
    const states = await database.all<{ status: string; count: number }>(
      'SELECT status, count(*) AS count FROM deliveries GROUP BY status ORDER BY status',
    );
    return {
      events: checked.events,
      webhooks: targets.length,
      kills: instances.kills,
      ...Object.fromEntries(states.map(({ status, count }) => [status, Number(count)])),
      'requests received': checked.attempts,
      'ms to a good receiver, median': percentile(alone, 0.5),
      '99th': percentile(alone, 0.99),
      'beside failing ones, median': percentile(beside, 0.5),
      '99th beside them': percentile(beside, 0.99),
    };
  },
});

/** Far below what the service can send, so that only receivers could delay an event. */
const calmPauseMs = 1000;

interface Scene {
  readonly database: Database;
  readonly instances: Instances;
  readonly receivers: Receivers;
  readonly key: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly targets: readonly Target[];
  readonly killsMs: number[];
}

async function openScene(run: Run<Amounts>): Promise<Scene> {
  const databaseUrl = await run.newDatabaseUrl();
  const [key] = await makeKeys(databaseUrl, [{ workspace: 'webhooks' }]);
  if (key === undefined) throw new Error('the key was not made');
  const database = openDatabase(locationOf(databaseUrl), () => {});
  run.atEnd(() => database.close());
  const receivers = new Receivers(run.random.fork(), run.amount.chats);
  await receivers.start();
  run.atEnd(() => receivers.end());
  const settings = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: '1000',
    MEDIA_DIR: join(run.folder, 'media'),
  };
  const instances = new Instances(settings, { file: join(import.meta.dirname, 'service.ts') });
  run.atEnd(() => instances.end());
  await instances.start(2);
  const must = async (path: string, body: object) => {
    const connection = new Connection(instances.port(0));
    const reply = await connection.request('POST', `/api/v1/${path}`, { key: key.secret, body });
    connection.close();
    if (reply.status !== 201) throw new Error(`${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString());
  };
  const targets: Target[] = [];
  for (const name of receiverNames) {
    const include = name === 'good-with-transcript' ? ['transcript'] : [];
    const { id, secret } = await must('webhooks', { url: receivers.urlOf(name), events: ['*'], include });
    targets.push({ name, id, secret });
  }
  const agent = { name: 'Reception', voiceId: 'voice-1', llmModel: 'test-echo', beginMessage: 'こんにちは' };
  const { id: agentId } = await must('agents', agent);
  const { secret, workspaceId } = key;
  return { database, instances, receivers, key: secret, workspaceId, agentId, targets, killsMs: [] };
}

/** Chats that are created and ended, on either instance. One that a kill cuts off is left, and another takes its place. */
async function chat(run: Run<Amounts>, scene: Scene, count: number, pauseMs = 0): Promise<void> {
  const { instances, key, agentId } = scene;
  let started = 0;
  const caller = async (): Promise<void> => {
    while (started < count && !run.isOver()) {
      started += 1;
      run.showProgress(`${started} chats, ${instances.kills} kills`);
      let isEnded = false;
      const connection = new Connection(instances.port(await instances.pick(run.random)), { timeoutMs: 10_000 });
      const body = { type: 'chat', agentId, agentVersion: 'latest' };
      const made = await connection.request('POST', '/api/v1/calls', { key, body }).catch(() => null);
      if (made?.status === 201) {
        const { id } = JSON.parse(made.body.toString());
        const ended = await connection.request('POST', `/api/v1/calls/${id}/end`, { key }).catch(() => null);
        isEnded = ended?.status === 200;
      } else if (made !== null && made.status !== 503) run.found(`a chat was answered ${made.status}`);
      connection.close();
      if (!isEnded) started -= 1;
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: run.amount.callers }, caller));
}

async function attackWhile(run: Run<Amounts>, { instances, killsMs }: Scene, work: Promise<void>): Promise<void> {
  const { amount, random } = run;
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (let count = 0; count < amount.kills && !run.isOver(); count += 1) {
    await delay(random.int(0, amount.maxGapMs));
    killsMs.push(Date.now());
    instances.kill(random.int(0, 1));
    // The rest of the kills meets what is still to be sent.
    await (isOver ? delay(100) : Promise.race([over, instances.allUp()]));
    await instances.allUp();
  }
  await over;
  await instances.allUp();
}

/** Until nothing is to be sent any more. */
async function untilSent({ database }: Scene): Promise<void> {
  let [last, sinceMs] = [-1, performance.now()];
  for (;;) {
    const row = await database.get<{ count: number; attempts: number }>(
      "SELECT count(*) AS count, coalesce(sum(attempt), 0) AS attempts FROM deliveries WHERE status = 'pending'",
    );
    const open = Number(row?.count ?? 0);
    if (open === 0) return;
    const progress = open * 1_000_000 - Number(row?.attempts);
    if (progress !== last) [last, sinceMs] = [progress, performance.now()];
    if (performance.now() - sinceMs > maxQuietMs) throw new AbortedRun('deliveries are never sent');
    // Counting a large backlog all the time would slow down what is counted.
    await delay(open > 1000 ? 1000 : 50);
  }
}

/** How long events take to a good receiver, while those that fail are in this state. */
async function calmPhase(run: Run<Amounts>, scene: Scene, status: 'paused' | 'active'): Promise<number[]> {
  const { database, instances, key, workspaceId, targets, receivers } = scene;
  const connection = new Connection(instances.port(0));
  // Only during the phase: afterwards all of them get every event again.
  const others = targets.filter(({ name }) => !reliable.includes(name) && name !== 'gone');
  const set = async (next: string) => {
    for (const { id } of others) {
      const reply = await connection.request('PATCH', `/api/v1/webhooks/${id}`, { key, body: { status: next } });
      if (reply.status !== 200) throw new Error(`a webhook was answered ${reply.status}: ${reply.body}`);
    }
  };
  const newest = await database.get<{ position: number | null }>(
    'SELECT max(position) AS position FROM events WHERE workspace_id = $1',
    [workspaceId],
  );
  await set(status);
  await chat(run, scene, run.amount.calmChats, calmPauseMs);
  await untilSent(scene);
  await set('active');
  connection.close();
  const events = await database.all<Row & { id: string; created_at: number }>(
    'SELECT id, created_at FROM events WHERE workspace_id = $1 AND position > $2',
    [workspaceId, newest?.position ?? 0],
  );
  if (status === 'paused') {
    // What was skipped on purpose is not looked at.
    await database.run(
      "DELETE FROM deliveries WHERE status = 'skipped' AND reason = 'webhook_paused' AND workspace_id = $1",
      [workspaceId],
    );
    for (const { id } of events) scene.receivers.calm.add(id);
  }
  return delaysOf(events, receivers.arrivals.get('good') ?? []).sort((one, other) => one - other);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function isError(line: string): boolean {
  return /"level":"(error|fatal)"/.test(line) && !line.includes('Try again shortly.');
}
