import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { checkFacts } from '../analytics/check.ts';
import type { ChatKind } from '../calls/agents.ts';
import { Caller, type Counts as ChatCounts } from '../calls/caller.ts';
import { createAgents } from '../calls/campaign.ts';
import type { Chat } from '../calls/chat.ts';
import { checkCall, type Shown } from '../calls/check.ts';
import { Partners } from '../calls/partners.ts';
import { silenceMs, slackMs } from '../calls/settings.ts';
import { checkStored } from '../calls/stored.ts';
import { AbortedRun, defineCampaign, type Figures, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { type MadeKey, makeKeys } from '../keys.ts';
import { errorsIn, testSpeech } from '../phone/scene.ts';
import { compareEffects } from '../repeat/campaign.ts';
import { Client, type Counts as WriteCounts } from '../repeat/client.ts';
import type { Job } from '../repeat/job.ts';
import { checkAll as checkDeliveries, type Target } from '../webhooks/check.ts';
import { type ReceiverName, Receivers } from '../webhooks/receivers.ts';
import { checkAll as checkRuns } from '../workflows/check.ts';
import { definitionsOf } from '../workflows/definitions.ts';
import { Receiver } from '../workflows/receiver.ts';
import { Asks, checkAsks, spokenPrompt } from './asks.ts';
import { type Cluster, type Amounts as FaultAmounts, openCluster } from './faults.ts';
import { checkOwnership, watchOwnership } from './ownership.ts';
import { patientReads } from './patient-database.ts';
import { leaseMs, maxQuietMs } from './settings.ts';
import { Speaker, type SpokenCall, type SpokenCounts } from './spoken.ts';
import { checkSpokenCall } from './spoken-check.ts';

type Amounts = FaultAmounts & {
  /** How many of each work at the same time, until the last fault is over. */
  readonly chatters: number;
  readonly speakers: number;
  readonly runStarters: number;
  readonly writers: number;
  /** Chats with slow replies after the last fault. */
  readonly calmChats: number;
};

export const instances = defineCampaign<Amounts>({
  name: 'instances',
  about:
    'Two to four instances on PostgreSQL are killed, told to stop, stopped for up to 20 seconds and cut off from the database, which is restarted, while chats, spoken calls, webhooks, workflows, analyses and repeated writes go on: nothing acknowledged is lost or done twice, and nothing belongs to two instances.',
  runsOn: ['postgres'],
  amounts: {
    full: {
      minInstances: 2,
      maxInstances: 4,
      kills: 60,
      stops: 20,
      pauses: 30,
      minPauseMs: 500,
      maxPauseMs: 20_000,
      partitions: 20,
      resets: 60,
      databaseRestarts: 15,
      maxGapMs: 6000,
      chatters: 8,
      speakers: 6,
      runStarters: 2,
      writers: 2,
      calmChats: 10,
    },
    small: {
      minInstances: 2,
      maxInstances: 2,
      kills: 1,
      stops: 1,
      pauses: 1,
      minPauseMs: 4000,
      maxPauseMs: 5000,
      partitions: 1,
      resets: 2,
      databaseRestarts: 1,
      maxGapMs: 500,
      chatters: 4,
      speakers: 3,
      runStarters: 1,
      writers: 1,
      calmChats: 2,
    },
  },
  run: async (run) => {
    const scene = await openScene(run);
    const { cluster, database, asks, spoken } = scene;
    const load = startLoad(run, scene);
    await Promise.race([cluster.attack(), load.failed]);
    run.showProgress('the faults are over');
    await load.end();
    await untilQuiet(scene);
    await compareEffects(run, { port: cluster.instances.port(0), key: bootstrapKey }, scene.jobs, scene.versions);
    const spokenIds = new Set(spoken.map(({ id }) => id));
    const { changes, takenOver } = await checkOwnership(database, { spokenCalls: spokenIds, found: run.found });
    const lateAsks = checkAsks(asks.all, changes, cluster.stops, run.found);
    const stored = await checkCalls(run, scene);
    const facts = await checkFigures(run, scene);
    const deliveries = await checkWebhooks(run, scene);
    const runs = await checkWorkflows(run, scene);
    await checkLeftovers(run, scene);
    for (const error of errorsIn(cluster.instances.output()))
      if (!ofDatabase.test(error)) run.found(`the log has an error: ${error}`);
    return figuresOf(scene, { takenOver, lateAsks, stored, facts, deliveries, runs, changes: changes.length });
  },
});

const bootstrapKey = 'a-key-for-this-campaign-only';
const phoneNumber = '+99910000001';
/** Less than the 30 days that are allowed, so that no phone rings. */
const startsAheadMs = 20 * 86_400_000;
const chatReceivers: readonly ReceiverName[] = ['good', 'flaky', 'resets', 'late'];
const spokenReceivers: readonly ReceiverName[] = ['good-with-transcript'];
/** So that one writer does not take all of a processor. */
const writerPauseMs = 50;
const requestMs = 8000;
/** Why requests are refused while the database is away. */
const ofDatabase =
  /Connection terminated|connection error|ECONN|EPIPE|terminating connection|the database system is|timeout/;

interface Scene {
  readonly cluster: Cluster;
  readonly database: Database;
  readonly partners: Partners;
  readonly asks: Asks;
  readonly keys: Readonly<Record<'chats' | 'spoken' | 'runs', MadeKey>>;
  readonly chatAgents: ReadonlyMap<ChatKind, string>;
  readonly spokenAgent: string;
  readonly runAgent: string;
  readonly receivers: Receivers;
  readonly chatTargets: readonly Target[];
  readonly spokenTargets: readonly Target[];
  readonly workflowReceiver: Receiver;
  /** The names by the ids. */
  readonly workflowIds: ReadonlyMap<string, string>;
  readonly chats: Chat[];
  readonly spoken: SpokenCall[];
  readonly jobs: Job[];
  readonly versions: Map<string, number>;
  readonly chatCounts: ChatCounts;
  readonly spokenCounts: SpokenCounts;
  readonly writeCounts: WriteCounts;
  runCalls: number;
}

async function openScene(run: Run<Amounts>): Promise<Scene> {
  const { random } = run;
  const asks = new Asks();
  const opened: { database?: Database; partners?: Partners; keys?: MadeKey[] } = {};
  const prepare = async (databaseUrl: string): Promise<void> => {
    opened.keys = await makeKeys(databaseUrl, [{ workspace: 'chats' }, { workspace: 'spoken' }, { workspace: 'runs' }]);
    const database = openDatabase(locationOf(databaseUrl), () => {});
    run.atEnd(() => database.close());
    await watchOwnership(database);
    opened.database = database;
    opened.partners = await Partners.start(run, patientReads(database), (messages, headers) =>
      asks.reply(messages, headers),
    );
  };
  const cluster = await openCluster(
    run,
    {
      file: join(import.meta.dirname, 'service.ts'),
      settings: (DATABASE_URL) => ({
        DATABASE_URL,
        BOOTSTRAP_API_KEY: bootstrapKey,
        LOG_LEVEL: 'warn',
        RATE_LIMIT: 'off',
        CALL_RATE: 'off',
        CALL_CONCURRENCY: '1000',
        OPENAI_BASE_URL: opened.partners?.modelUrl ?? '',
        OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
        MEDIA_DIR: join(run.folder, 'media'),
      }),
    },
    prepare,
  );
  const { database, partners, keys: [chatKey, spokenKey, runKey] = [] } = opened;
  if (!(database && partners && chatKey && spokenKey && runKey)) throw new Error('the keys were not made');
  const receivers = new Receivers(random.fork(), Number.POSITIVE_INFINITY);
  await receivers.start();
  run.atEnd(() => receivers.end());
  const workflowReceiver = new Receiver(random.fork());
  await workflowReceiver.start();
  run.atEnd(() => workflowReceiver.end());
  const port = cluster.instances.port(0);
  const targetsOf = async (key: MadeKey, names: readonly ReceiverName[]): Promise<Target[]> => {
    const targets: Target[] = [];
    for (const name of names) {
      const include = name === 'good-with-transcript' ? ['transcript'] : [];
      const body = { url: receivers.urlOf(name), events: ['*'], include };
      const { id, secret } = await must(port, key, 'POST', 'webhooks', body);
      targets.push({ name, id, secret });
    }
    return targets;
  };
  const chatTargets = await targetsOf(chatKey, chatReceivers);
  const spokenTargets = await targetsOf(spokenKey, spokenReceivers);
  const spokenAgent = await must(port, spokenKey, 'POST', 'agents', {
    ...testSpeech,
    name: 'Speaker',
    responsiveness: 1,
    interruptionSensitivity: 1,
    beginMessage: '',
    responseEngine: { type: 'single_prompt', model: 'gpt-5.4-mini', prompt: spokenPrompt },
    dataStorageSetting: 'everything',
    postCallAnalysisModel: 'test-extract',
  });
  const chatAgents = await createAgents(port, chatKey.secret, partners.toolUrl);
  // Calls with drafts are in no figures.
  for (const id of chatAgents.values()) await must(port, chatKey, 'POST', `agents/${id}/publish`, {});
  await must(port, spokenKey, 'POST', `agents/${spokenAgent.id}/publish`, {});
  const counts = { chatCounts: noChats(), spokenCounts: noWords(), writeCounts: noWrites() };
  return {
    cluster,
    database,
    partners,
    asks,
    keys: { chats: chatKey, spoken: spokenKey, runs: runKey },
    chatAgents,
    spokenAgent: spokenAgent.id,
    ...(await createWorkflows(port, runKey, workflowReceiver)),
    receivers,
    chatTargets,
    spokenTargets,
    workflowReceiver,
    chats: [],
    spoken: [],
    jobs: [],
    versions: new Map(),
    ...counts,
    runCalls: 0,
  };
}

async function createWorkflows(port: number, key: MadeKey, receiver: Receiver) {
  const make = (path: string, body: object) => must(port, key, 'POST', path, body);
  const agent = { name: 'Reception', voiceId: 'test', sttProvider: 'test', ttsProvider: 'test', language: 'en' };
  const { id: agentId } = await make('agents', { ...agent, llmModel: 'test-echo', beginMessage: 'Hello.' });
  const { id: carrierId } = await make('carriers', { name: 'Test', provider: 'test' });
  const { id: phoneNumberId } = await make('phone-numbers', {
    carrierId,
    number: phoneNumber,
    outbound: { enabled: true },
  });
  await must(port, key, 'PUT', 'secrets/CRM', { value: 'crm-token-0000', hosts: ['127.0.0.1'] });
  const startAt = new Date(Date.now() + startsAheadMs).toISOString();
  const workflowIds = new Map<string, string>();
  for (const definition of definitionsOf({ url: receiver.url, agentId, phoneNumberId, startAt })) {
    const { id } = await make('workflows', definition);
    await must(port, key, 'PATCH', `workflows/${id}`, { enabled: true });
    workflowIds.set(id, definition.name);
  }
  return { runAgent: agentId as string, workflowIds };
}

// biome-ignore lint/suspicious/noExplicitAny: campaigns read few fields of their own requests.
async function must(port: number, { secret }: MadeKey, method: string, path: string, body: object): Promise<any> {
  const connection = new Connection(port);
  const reply = await connection.request(method, `/api/v1/${path}`, { key: secret, body });
  connection.close();
  if (reply.status > 299) throw new Error(`${path} was answered ${reply.status}: ${reply.body}`);
  return JSON.parse(reply.body.toString());
}

/** Everything that goes on while the instances are attacked. */
function startLoad(run: Run<Amounts>, scene: Scene) {
  const { amount, random, found, seed } = run;
  const { cluster, keys } = scene;
  let isOver = false;
  let calmChats = amount.calmChats;
  let numbers = 0;
  const nextNumber = (): number | null => {
    if (isOver) return null;
    numbers += 1;
    const { kill, stop, pause } = cluster.counts;
    run.showProgress(`${numbers} calls, ${kill} kills, ${stop} stops, ${pause} pauses`);
    return numbers;
  };
  const callerParts = {
    instances: cluster.instances,
    random,
    key: keys.chats.secret,
    agentIds: scene.chatAgents,
    chats: scene.chats,
    counts: scene.chatCounts,
    isEnough: () => false,
    found,
  };
  const chatter = () => new Caller({ ...callerParts, nextNumber, isCalmSince: () => false }).run();
  const speaker = () =>
    new Speaker({
      instances: cluster.instances,
      random,
      key: keys.spoken.secret,
      agentId: scene.spokenAgent,
      calls: scene.spoken,
      counts: scene.spokenCounts,
      nextNumber,
      found,
    }).run();
  const paced = {
    count: cluster.instances.count,
    port: (place: number) => cluster.instances.port(place),
    pick: async (chosen: typeof random) => {
      await delay(random.int(0, 2 * writerPauseMs));
      return cluster.instances.pick(chosen);
    },
  };
  const { jobs, versions, writeCounts: counts } = scene;
  const clientParts = { instances: paced, random, key: bootstrapKey, seed, counts, jobs, versions, found };
  const writer = () => new Client({ ...clientParts, isOver: () => isOver, onResponse: () => {} }).run();
  const several = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work);
  const working = Promise.all([
    ...several(amount.chatters, chatter),
    ...several(amount.speakers, speaker),
    ...several(amount.writers, writer),
    ...several(amount.runStarters, () => startRuns(run, scene, () => isOver)),
  ]);
  return {
    failed: working.then(() => new Promise<never>(() => {})),
    end: async (): Promise<void> => {
      isOver = true;
      await working;
      const slow = (): number | null => {
        calmChats -= 1;
        // The number decides what happens in a chat: these have slow replies.
        return calmChats < 0 ? null : (numbers + amount.calmChats - calmChats) * 5 + 2;
      };
      const calm = () => new Caller({ ...callerParts, nextNumber: slow, isCalmSince: () => true }).run();
      await Promise.all(several(amount.chatters, calm));
    },
  };
}

/** Chats that are created and ended, each of which starts a run of two workflows. One that is cut off is left. */
async function startRuns(run: Run<Amounts>, scene: Scene, isOver: () => boolean): Promise<void> {
  const { cluster, keys, runAgent } = scene;
  const random = run.random.fork();
  const attempt = async (path: string, body: object) => {
    const port = cluster.instances.port(await cluster.instances.pick(random));
    const connection = new Connection(port, { timeoutMs: requestMs });
    const reply = await connection
      .request('POST', `/api/v1/${path}`, { key: keys.runs.secret, body })
      .catch(() => null);
    connection.close();
    if (reply === null || reply.status === 503) return null;
    if (reply.status > 299) run.found(`${path.replace(/call_\w+/, '{id}')} was answered ${reply.status}`);
    return JSON.parse(reply.body.toString());
  };
  while (!isOver()) {
    scene.runCalls += 1;
    // Nobody is called more than three times a day.
    const to = `+999${String(scene.runCalls).padStart(8, '0')}`;
    const metadata = { to, all: 'n', last: 'n', short: 'n' };
    const made = await attempt('calls', { type: 'chat', agentId: runAgent, agentVersion: 'latest', metadata });
    if (made !== null) await attempt(`calls/${made.id}/end`, {});
    await delay(random.int(0, 400));
  }
}

/** Until nothing is to be done any more. */
async function untilQuiet({ database, keys }: Scene): Promise<void> {
  // Chats that nobody ends do so by their silence. Those that were left before they began stay, as with any caller.
  const maxMs = maxQuietMs + silenceMs + slackMs;
  let [last, sinceMs] = ['', performance.now()];
  for (;;) {
    const [left] = await database.all<Record<string, number>>(
      `SELECT
        (SELECT count(*) FROM calls WHERE (workspace_id <> $1 OR type = 'chat' AND status = 'ongoing')
          AND (status NOT IN ('ended', 'not_connected', 'error') OR analysis_status = 'pending')) AS calls,
        (SELECT count(*) FROM deliveries WHERE status = 'pending') AS deliveries,
        (SELECT count(*) FROM workflow_runs WHERE completed_at IS NULL) AS runs,
        (SELECT count(*) FROM jobs WHERE finished_at IS NULL AND (lease_owner IS NOT NULL
          OR run_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint)) AS jobs`,
      [keys.runs.workspaceId],
    );
    const counts = Object.entries(left ?? {}).filter(([, count]) => Number(count) > 0);
    if (counts.length === 0) return;
    const progress = JSON.stringify(counts);
    if (progress !== last) [last, sinceMs] = [progress, performance.now()];
    if (performance.now() - sinceMs > maxMs) throw new AbortedRun(`something never ends: ${progress}`);
    await delay(200);
  }
}

async function checkCalls(run: Run<Amounts>, scene: Scene): Promise<number> {
  const { cluster, database, keys, chats, spoken, asks, partners } = scene;
  const connection = new Connection(cluster.instances.port(0));
  const read = async (key: MadeKey, path: string) => {
    const reply = await connection.request('GET', `/api/v1/calls/${path}`, { key: key.secret });
    if (reply.status !== 200) throw new Error(`${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString());
  };
  const shownOf = async (key: MadeKey, id: string): Promise<Shown> => {
    const call = await read(key, id);
    const isStored = call.transcriptStatus !== 'not_stored';
    const { turns } = isStored ? await read(key, `${id}/transcript`) : { turns: null };
    const { items, pagination } = await read(key, `${id}/events?limit=200`);
    if (pagination.nextCursor !== null) run.found('the events of a call that is over have no last page');
    return { call, turns, events: items };
  };
  for (const chat of chats) checkCall(chat, await shownOf(keys.chats, chat.id), run.found);
  let stored = 0;
  for (const call of spoken) {
    stored += checkSpokenCall(call, await shownOf(keys.spoken, call.id), asks, run.found).stored;
  }
  connection.close();
  await checkStored(database, keys.chats.workspaceId, chats, run.found);
  await checkStored(database, keys.spoken.workspaceId, spoken, (what) => run.found(`spoken: ${what}`));
  for (const [, ids] of partners.bookings) if (ids.size > 1) run.found('a tool was called under two ids');
  return stored;
}

/** The facts of every call equal a recomputation. */
async function checkFigures({ found }: Run<Amounts>, { cluster, database, keys }: Scene): Promise<number> {
  let facts = 0;
  for (const { workspaceId, secret: key } of [keys.chats, keys.spoken]) {
    const connection = new Connection(cluster.instances.port(0));
    facts += (await checkFacts({ database, workspaceId, connection, key, plants: [], found })).facts;
    connection.close();
  }
  return facts;
}

async function checkWebhooks({ found }: Run<Amounts>, scene: Scene): Promise<number> {
  const { database, keys, receivers, chatTargets, spokenTargets, cluster } = scene;
  const common = { database, receivers, killsMs: cluster.faultsMs, found };
  const chats = await checkDeliveries({ ...common, workspaceId: keys.chats.workspaceId, targets: chatTargets });
  const spoken = await checkDeliveries({ ...common, workspaceId: keys.spoken.workspaceId, targets: spokenTargets });
  return chats.attempts + spoken.attempts;
}

function checkWorkflows({ found }: Run<Amounts>, scene: Scene): Promise<Readonly<Record<string, number>>> {
  const { database, keys, workflowIds: workflows, workflowReceiver } = scene;
  const { workspaceId } = keys.runs;
  const { arrivals } = workflowReceiver;
  return checkRuns({ database, workspaceId, workflows, arrivals, canceledMs: new Map(), restores: [], found });
}

/** What lost processes had is not left. */
async function checkLeftovers({ found }: Run<Amounts>, { database }: Scene): Promise<void> {
  const leased = ['jobs', 'deliveries', 'workflow_runs'].map(
    (table) => `SELECT '${table}' AS place, count(*) AS count FROM ${table} WHERE lease_owner IS NOT NULL`,
  );
  const rows = await database.all<{ place: string; count: number }>(
    `${leased.join(' UNION ALL ')}
      UNION ALL SELECT 'calls', count(*) FROM calls WHERE owner IS NOT NULL
      UNION ALL SELECT 'idempotency_keys', count(*) FROM idempotency_keys
        WHERE lease_until > extract(epoch FROM clock_timestamp()) * 1000 + ${leaseMs}`,
  );
  for (const { place, count } of rows) if (Number(count) > 0) found(`leases are left in ${place}`);
  const failed = await database.all<{ kind: string; error: string | null }>(
    "SELECT kind, last_error AS error FROM jobs WHERE state = 'failed'",
  );
  for (const { kind, error } of failed)
    found(`a job of the kind ${kind} has failed: ${error ?? 'its process was lost'}`);
}

function figuresOf(
  scene: Scene,
  parts: {
    readonly takenOver: number;
    readonly lateAsks: number;
    readonly stored: number;
    readonly facts: number;
    readonly deliveries: number;
    readonly runs: Readonly<Record<string, number>>;
    readonly changes: number;
  },
): Figures {
  const { cluster, chats, spoken, chatCounts, spokenCounts, jobs, writeCounts } = scene;
  const { kill, stop, pause, partition, reset, databaseRestart } = cluster.counts;
  return {
    instances: cluster.instances.count,
    kills: kill,
    stops: stop,
    pauses: pause,
    partitions: partition,
    'connections reset': reset,
    'database restarts': databaseRestart,
    chats: chats.length,
    messages: chatCounts.messages,
    'spoken calls': spoken.length,
    'words said': spokenCounts.words,
    'words stored': parts.stored,
    connections: spokenCounts.connections,
    'calls resumed': spokenCounts.resumed,
    'longest until resumed, ms': spokenCounts.longestResumeMs,
    'questions of processes that had lost the call': parts.lateAsks,
    'keyed writes': jobs.length,
    requests: chatCounts.sends + writeCounts.sends,
    'answers 503': chatCounts.unavailable + writeCounts.unavailable,
    'requests of webhooks': parts.deliveries,
    'runs of workflows': parts.runs.runs ?? 0,
    facts: parts.facts,
    'changes of leases': parts.changes,
    'taken over': parts.takenOver,
    'longest answer to a message, ms': chatCounts.longestMs,
  };
}

function noChats(): ChatCounts {
  return {
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
  };
}

function noWords(): SpokenCounts {
  return { words: 0, replies: 0, connections: 0, resumed: 0, refused: 0, longestResumeMs: 0 };
}

function noWrites(): WriteCounts {
  return {
    sends: 0,
    cut: 0,
    twins: 0,
    refusedWhileInProgress: 0,
    unavailable: 0,
    otherBodies: 0,
    maxMs: 0,
  };
}
