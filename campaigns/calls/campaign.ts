import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Instances } from '../repeat/instances.ts';
import { agentOf, type ChatKind, chatKinds } from './agents.ts';
import { Caller, type Counts } from './caller.ts';
import type { Chat } from './chat.ts';
import { checkCall } from './check.ts';
import { Partners } from './partners.ts';
import { chatsPerSlot, leaseMs, maxJobMs, silenceMs, slackMs } from './settings.ts';
import { checkStored, countUnanalyzed, openCallIds } from './stored.ts';

type Amounts = {
  readonly chats: number;
  /** With slow replies, after the attacks: only then it is certain who has the call. */
  readonly calmChats: number;
  readonly callers: number;
  readonly kills: number;
  /** SIGSTOP for longer than a lease: others take over while the process cannot notice. */
  readonly pauses: number;
  readonly maxGapMs: number;
  /** CALL_CONCURRENCY: ten times as many chats may be open. */
  readonly slots: number;
  /** The run ends early after so many findings. */
  readonly maxFindings: number;
};

const maxToolWaitMs = 4000;

/** The number of a slow chat, after the others. */
function slowNumber(after: number, count: number): number {
  return (after + count) * chatKinds.length + chatKinds.indexOf('slow');
}

export const calls = defineCampaign<Amounts>({
  name: 'calls',
  about:
    'Instances are killed and paused while callers chat with test models, a flow and a model with a tool, and repeat every request until it is answered: nothing that was said is lost or doubled, no tool is called under two ids, and every call ends once.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { chats: 1000, calmChats: 40, callers: 60, kills: 60, pauses: 12, maxGapMs: 2500, slots: 6, maxFindings: 50 },
    small: { chats: 24, calmChats: 3, callers: 12, kills: 2, pauses: 2, maxGapMs: 500, slots: 1, maxFindings: 1 },
  },
  run: async (given) => {
    const { run, isEnough } = countingFindings(given);
    const scene = await openScene(run);
    const { instances, partners, chats, counts } = scene;
    const watching = watchSlots(run, scene);
    const chatting = chat(run, scene, isEnough, run.amount.chats, (count) => count);
    await attackWhile(run, scene, chatting);
    await chat(run, scene, isEnough, run.amount.calmChats, (count) => slowNumber(run.amount.chats, count));
    if (!isEnough()) await untilAllEnded(run, scene);
    if (!isEnough()) await untilAllAnalyzed(run, scene);
    const slots = await watching.end();
    if (!isEnough()) await checkAll(run, scene);
    for (const [, ids] of partners.bookings) if (ids.size > 1) run.found('a tool was called under two ids');
    for (const error of errorsIn(instances.output())) run.found(`the log has an error: ${error}`);
    return {
      chats: chats.length,
      messages: counts.messages,
      requests: counts.sends,
      kills: instances.kills,
      pauses: scene.pauses,
      'connections cut': counts.cut,
      'failed replies': counts.failed,
      'answers 409 in progress': counts.inProgress,
      'answers 503': counts.unavailable,
      'answers 429 without a slot': counts.noSlot,
      queued: counts.queued,
      'second messages': counts.rivals,
      'tool requests': partners.counts.toolRequests,
      booked: partners.bookings.size,
      'most open at once': slots.most,
      'longest until a final answer, ms': counts.longestMs,
    };
  },
});

function countingFindings(run: Run<Amounts>): { readonly run: Run<Amounts>; readonly isEnough: () => boolean } {
  let findings = 0;
  const found = (what: string): void => {
    findings += 1;
    run.found(what);
  };
  return { run: { ...run, found }, isEnough: () => findings >= run.amount.maxFindings };
}

/** State shared by the parts of the campaign. */
interface Scene {
  readonly database: Database;
  readonly instances: Instances;
  readonly partners: Partners;
  readonly key: string;
  readonly workspaceId: string;
  readonly agentIds: ReadonlyMap<ChatKind, string>;
  readonly chats: Chat[];
  readonly counts: Counts;
  pauses: number;
  lastAttackMs: number;
}

async function openScene(run: Run<Amounts>): Promise<Scene> {
  const databaseUrl = await run.newDatabaseUrl();
  const [key] = await makeKeys(databaseUrl, [{ workspace: 'calls' }]);
  if (key === undefined) throw new Error('the key was not made');
  const database = openDatabase(locationOf(databaseUrl), () => {});
  run.atEnd(() => database.close());
  const partners = await Partners.start(run, database);
  const settings = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: String(run.amount.slots),
    OPENAI_BASE_URL: partners.modelUrl,
    MEDIA_DIR: join(run.folder, 'media'),
  };
  const instances = new Instances(settings, { file: join(import.meta.dirname, 'service.ts') });
  run.atEnd(() => instances.end());
  await instances.start(2);
  const agentIds = await createAgents(instances.port(0), key.secret, partners.toolUrl);
  return {
    database,
    instances,
    partners,
    key: key.secret,
    workspaceId: key.workspaceId,
    agentIds,
    chats: [],
    counts: {
      messages: 0,
      sends: 0,
      cut: 0,
      failed: 0,
      inProgress: 0,
      unavailable: 0,
      noSlot: 0,
      queued: 0,
      rivals: 0,
      longestMs: 0,
    },
    pauses: 0,
    lastAttackMs: Number.NEGATIVE_INFINITY,
  };
}

export async function createAgents(port: number, key: string, toolUrl: string): Promise<Map<ChatKind, string>> {
  const connection = new Connection(port);
  const ids = new Map<ChatKind, string>();
  for (const kind of chatKinds) {
    const reply = await connection.request('POST', '/api/v1/agents', { key, body: agentOf(kind, toolUrl) });
    if (reply.status !== 201) throw new Error(`an agent was not made: ${reply.body}`);
    ids.set(kind, JSON.parse(reply.body.toString()).id);
  }
  connection.close();
  return ids;
}

/** Lets callers chat. The number of a chat decides what happens in it. */
async function chat(
  run: Run<Amounts>,
  scene: Scene,
  isEnough: () => boolean,
  most: number,
  numberOf: (count: number) => number,
): Promise<void> {
  let count = 0;
  const nextNumber = (): number | null => {
    if (count >= most || isEnough() || run.isOver()) return null;
    count += 1;
    run.showProgress(`${scene.chats.length} chats, ${scene.instances.kills} kills`);
    return numberOf(count);
  };
  const isCalmSince = (ms: number) => scene.instances.areAllUp() && scene.lastAttackMs < ms;
  const parts = { ...scene, random: run.random, found: run.found, nextNumber, isCalmSince, isEnough };
  await Promise.all(Array.from({ length: run.amount.callers }, () => new Caller(parts).run()));
}

/** Kills and pauses instances until the work is over. */
async function attackWhile({ amount, random }: Run<Amounts>, scene: Scene, work: Promise<void>): Promise<void> {
  const { instances } = scene;
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  const planned = random.shuffled<'kill' | 'pause'>([
    ...Array.from({ length: amount.kills }, () => 'kill' as const),
    ...Array.from({ length: amount.pauses }, () => 'pause' as const),
  ]);
  for (const how of planned) {
    await Promise.race([over, delay(random.int(0, amount.maxGapMs))]);
    await instances.allUp();
    if (isOver) break;
    const place = random.int(0, 1);
    scene.lastAttackMs = performance.now();
    if (how === 'pause') {
      // While a tool runs, which then returns to a process that has lost the call.
      await Promise.race([over, scene.partners.untilLongTool(), delay(maxToolWaitMs)]);
      scene.pauses += 1;
      await instances.pause(place, leaseMs * 1.7);
    } else {
      instances.kill(place);
      if (random.chance(0.2)) instances.kill(1 - place);
    }
    scene.lastAttackMs = performance.now();
    await instances.allUp();
    scene.lastAttackMs = performance.now();
  }
  await over;
  await instances.allUp();
}

/** Compares what the service says about its slots with the calls themselves, as often as these hold still. */
function watchSlots(run: Run<Amounts>, scene: Scene): { end(): Promise<{ most: number }> } {
  const { database, instances, key } = scene;
  const limit = run.amount.slots * chatsPerSlot;
  let isEnded = false;
  let most = 0;
  const look = async (): Promise<void> => {
    const before = await openCallIds(database);
    most = Math.max(most, before.length);
    if (before.length > limit) run.found('more calls are open than there are slots');
    const connection = new Connection(instances.port(await instances.pick(run.random)), { timeoutMs: 5000 });
    const reply = await connection.request('GET', '/api/v1/call-concurrency', { key }).catch(() => null);
    connection.close();
    const after = await openCallIds(database);
    if (reply?.status !== 200 || before.join() !== after.join()) return;
    const { chatActive, chatLimit } = JSON.parse(reply.body.toString());
    if (chatActive !== before.length || chatLimit !== limit) run.found('the slots in use are not the open calls');
  };
  const looking = (async () => {
    while (!isEnded) {
      await look();
      await delay(100);
    }
    await look();
  })();
  run.atEnd(() => {
    isEnded = true;
  });
  return {
    end: async () => {
      isEnded = true;
      await looking;
      return { most };
    },
  };
}

async function untilAllEnded({ found }: Run<Amounts>, { database }: Scene): Promise<void> {
  const deadline = performance.now() + silenceMs + leaseMs + slackMs;
  for (;;) {
    const open = (await openCallIds(database)).length;
    if (open === 0) return;
    if (performance.now() > deadline) return found(`${open} calls did not end`);
    await delay(100);
  }
}

/** Jobs analyze calls after they have ended. */
async function untilAllAnalyzed({ found }: Run<Amounts>, { database }: Scene): Promise<void> {
  const deadline = performance.now() + maxJobMs;
  for (;;) {
    const count = await countUnanalyzed(database);
    if (count === 0) return;
    if (performance.now() > deadline) return found(`${count} calls were not analyzed`);
    await delay(100);
  }
}

async function checkAll(run: Run<Amounts>, scene: Scene): Promise<void> {
  const { database, instances, key, chats } = scene;
  const connection = new Connection(instances.port(0));
  const read = async (path: string) => {
    const reply = await connection.request('GET', `/api/v1/calls/${path}`, { key });
    if (reply.status !== 200) throw new Error(`${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString());
  };
  for (const chat of chats) {
    const call = await read(chat.id);
    const isStored = call.transcriptStatus !== 'not_stored';
    const { turns } = isStored ? await read(`${chat.id}/transcript`) : { turns: null };
    const { items, pagination } = await read(`${chat.id}/events?limit=200`);
    if (pagination.nextCursor !== null) run.found('the events of a call that is over have no last page');
    checkCall(chat, { call, turns, events: items }, run.found);
  }
  connection.close();
  await checkStored(database, scene.workspaceId, chats, run.found);
}

/** The messages of errors. A process that was paused in a transaction leaves others without the database: 503. */
function errorsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line))
    .map((line) => String(JSON.parse(line).err?.message))
    .filter((message) => !message.endsWith('Try again shortly.'));
}
