import { startProcess } from '../../test/support/process.ts';
import { AbortedRun, defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';
import { checkAgents, checkOrder, walkList } from './walk.ts';
import { Ticks, TrackedAgent, Workspace } from './workspace.ts';

const fixedWords = ['Straße', 'カブシキ', 'alpha_1', '50%', 'Ångström'];
/** Alternative spellings: width, case and composition do not matter. */
const searches = new Map([
  ['Straße', 'STRASSE'],
  ['カブシキ', 'ｶﾌﾞｼｷ'],
  ['alpha_1', 'PHA_'],
  ['50%', '0%'],
  ['Ångström', 'a\u030angstro\u0308m'],
]);
const changingWords = ['quince', 'medlar', 'damson'];
const maxPages = 60;
const walkers = 6;
const disturbers = 6;

type Amounts = { walks: number; largest: number };

interface Scene {
  readonly run: Run<Amounts>;
  readonly ports: readonly number[];
  readonly workspaces: readonly Workspace[];
  readonly ticks: Ticks;
  /** Agents that were seen before their creation was acknowledged; checked at the end. */
  readonly unknownAgents: { readonly workspace: Workspace; readonly id: string }[];
}

export const paging = defineCampaign({
  name: 'paging',
  about:
    'Walks lists at every limit, alternating between two processes, while agents are created, renamed and deleted: agents that exist throughout are seen exactly once.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { walks: 6000, largest: 1500 },
    fullOnPostgres: { walks: 4000, largest: 1500 },
    small: { walks: 150, largest: 60 },
  },
  run: async (run: Run<Amounts>) => {
    const databaseUrl = await run.newDatabaseUrl();
    const sizes = [0, 1, 7, 200, 201, run.amount.largest];
    const keys = await makeKeys(
      databaseUrl,
      sizes.map((size) => ({ workspace: `of ${size}` })),
    );
    const settings = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' };
    const processes = await Promise.all([startProcess(settings), startProcess(settings)]);
    for (const service of processes) run.atEnd(() => service.end('SIGTERM'));
    const workspaces = keys.map((key, index) => new Workspace(key, sizes[index] as number));
    const ports = processes.map(({ port }) => port);
    const scene: Scene = { run, ports, workspaces, ticks: new Ticks(), unknownAgents: [] };

    await populate(scene);
    const figures = { walks: 0, pages: 0, items: 0, searches: 0, creations: 0, changes: 0, deletions: 0 };
    let isDone = false;
    const disturbing = Array.from({ length: disturbers }, () =>
      disturb(scene, run.random.fork(), () => isDone, figures),
    );
    const walking = Array.from({ length: walkers }, () => walkRepeatedly(scene, run.random.fork(), figures));
    const outcome = await Promise.allSettled(walking);
    isDone = true;
    for (const { reason } of [...outcome, ...(await Promise.allSettled(disturbing))].filter(isRejected)) throw reason;
    for (const { workspace, id } of scene.unknownAgents) {
      if (!workspace.agents.has(id)) run.found('agents: an agent was seen that nobody made');
    }
    return figures;
  },
});

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}

function openConnections(scene: Scene): Connection[] {
  const connections = scene.ports.map((port) => new Connection(port));
  scene.run.atEnd(() => {
    for (const connection of connections) connection.close();
  });
  return connections;
}

async function populate(scene: Scene): Promise<void> {
  const wanted = scene.workspaces.flatMap((workspace) => Array.from({ length: workspace.size }, () => workspace));
  const creators = Array.from({ length: 8 }, async () => {
    const random = scene.run.random.fork();
    const [connection] = openConnections(scene) as [Connection];
    for (let workspace = wanted.pop(); workspace !== undefined; workspace = wanted.pop())
      await create(scene, connection, workspace, random);
  });
  await Promise.all(creators);
  const [connection] = openConnections(scene) as [Connection];
  for (const workspace of scene.workspaces.filter(({ size }) => size > 1)) {
    const agent = workspace.alive.shift() as TrackedAgent;
    agent.isBusy = true;
    workspace.versionedAgent = { id: agent.id, newest: 1, isBusy: false };
    for (let count = 0; count < 7; count += 1) await openVersion(connection, workspace);
  }
}

async function create(
  { ticks, run }: Scene,
  connection: Connection,
  workspace: Workspace,
  random: Random,
): Promise<void> {
  const name = `${random.pick(fixedWords)} ${random.pick(changingWords)}`;
  const reply = await connection.request('POST', '/api/v1/agents', {
    key: workspace.key.secret,
    body: { name, voiceId: 'v' },
  });
  if (reply.status !== 201) throw new AbortedRun(`creating an agent was answered ${reply.status}`);
  const answered = ticks.next();
  const agent = new TrackedAgent(JSON.parse(reply.body.toString()).id, name, answered);
  agent.operations.push({ requestId: reply.headers.get('x-request-id') ?? '', answered });
  if (workspace.agents.has(agent.id)) run.found('two agents have the same id');
  workspace.writes += 1;
  workspace.add(agent);
}

async function openVersion(connection: Connection, workspace: Workspace): Promise<void> {
  if (workspace.versionedAgent === null) return;
  const path = `/api/v1/agents/${workspace.versionedAgent.id}`;
  const { secret: key } = workspace.key;
  const published = await connection.request('POST', `${path}/publish`, { key });
  // The name does not change, so that searches for it stay deterministic.
  const body = { versionDescription: `after ${workspace.versionedAgent.newest}` };
  const changed = await connection.request('PATCH', path, { key, body });
  if (published.status !== 200 || changed.status !== 200) throw new AbortedRun('a version could not be made');
  workspace.versionedAgent.newest = JSON.parse(changed.body.toString()).version;
  workspace.writes += 2;
}

/** Continuously creates, renames and deletes agents, so that each workspace keeps about the same size. */
async function disturb(
  scene: Scene,
  random: Random,
  isDone: () => boolean,
  figures: { creations: number; changes: number; deletions: number },
): Promise<void> {
  const connections = openConnections(scene);
  const moving = scene.workspaces.filter(({ size }) => size > 0);
  while (!isDone()) {
    const workspace = random.pick(moving);
    const connection = random.pick(connections);
    const growth = workspace.alive.length < workspace.size ? 0.6 : 0.2;
    if (random.chance(growth)) {
      await create(scene, connection, workspace, random);
      figures.creations += 1;
    } else if (random.chance(0.4)) {
      if (await remove(scene, connection, workspace, random)) figures.deletions += 1;
    } else if (
      random.chance(0.05) &&
      workspace.versionedAgent !== null &&
      (workspace.versionedAgent.newest < 60 || scene.run.amount.walks > 1000)
    ) {
      await changeVersionedAgent(connection, workspace);
      figures.changes += 2;
    } else if (await rename(scene, connection, workspace, random)) figures.changes += 1;
  }
  for (const connection of connections) connection.close();
}

async function changeVersionedAgent(connection: Connection, workspace: Workspace): Promise<void> {
  if (workspace.versionedAgent === null || workspace.versionedAgent.isBusy) return;
  workspace.versionedAgent.isBusy = true;
  await openVersion(connection, workspace);
  workspace.versionedAgent.isBusy = false;
}

async function remove(
  { ticks }: Scene,
  connection: Connection,
  workspace: Workspace,
  random: Random,
): Promise<boolean> {
  const agent = workspace.alive.length === 0 ? undefined : random.pick(workspace.alive);
  if (agent === undefined || agent.isBusy) return false;
  agent.isBusy = true;
  workspace.alive.splice(workspace.alive.indexOf(agent), 1);
  agent.deletionSent = ticks.next();
  const send = () => connection.request('DELETE', `/api/v1/agents/${agent.id}`, { key: workspace.key.secret });
  const reply = await workspace.removing(ticks, send);
  if (reply.status !== 200) throw new AbortedRun(`deleting an agent was answered ${reply.status}`);
  agent.deletionAcknowledged = ticks.next();
  workspace.writes += 1;
  agent.operations.push({ requestId: reply.headers.get('x-request-id') ?? '', answered: agent.deletionAcknowledged });
  return true;
}

async function rename(
  { ticks }: Scene,
  connection: Connection,
  workspace: Workspace,
  random: Random,
): Promise<boolean> {
  const agent = workspace.alive.length === 0 ? undefined : random.pick(workspace.alive);
  if (agent === undefined || agent.isBusy) return false;
  agent.isBusy = true;
  const [fixed] = agent.nameChanges[0]?.name.split(' ') ?? [];
  const nameChange = {
    name: `${fixed} ${random.pick(changingWords)}`,
    sent: ticks.next(),
    answered: Number.POSITIVE_INFINITY,
  };
  agent.nameChanges.push(nameChange);
  const options = { key: workspace.key.secret, body: { name: nameChange.name } };
  const send = () => connection.request('PATCH', `/api/v1/agents/${agent.id}`, options);
  const reply = await workspace.removing(ticks, send);
  if (reply.status !== 200) throw new AbortedRun(`renaming an agent was answered ${reply.status}`);
  nameChange.answered = ticks.next();
  workspace.writes += 1;
  agent.operations.push({ requestId: reply.headers.get('x-request-id') ?? '', answered: nameChange.answered });
  agent.isBusy = false;
  return true;
}

type WalkFigures = { walks: number; pages: number; items: number; searches: number };

async function walkRepeatedly(scene: Scene, random: Random, figures: WalkFigures): Promise<void> {
  const { run, workspaces } = scene;
  const connections = openConnections(scene);
  while (figures.walks < run.amount.walks && !run.isOver()) {
    const limit = (figures.walks % 200) + 1;
    figures.walks += 1;
    const suitable = workspaces.filter(({ alive }) => alive.length / limit <= maxPages);
    const workspace = random.chance(0.1) ? (suitable.at(-1) as Workspace) : random.pick(suitable);
    const { pages, items } = await walkOne(scene, random, connections, workspace, limit, figures);
    figures.pages += pages;
    figures.items += items.length;
    run.showProgress(`${figures.walks} walks, ${figures.pages} pages`);
  }
  for (const connection of connections) connection.close();
}

async function walkOne(
  scene: Scene,
  random: Random,
  connections: readonly Connection[],
  workspace: Workspace,
  limit: number,
  figures: WalkFigures,
) {
  const kind = random.next();
  if (kind < 0.1 && workspace.versionedAgent !== null)
    return walkVersions(scene, connections, workspace, 1 + (limit % 11));
  if (kind < 0.2 && workspace.alive.length > 0)
    return walkAuditLog(scene, connections, workspace, limit, random.pick(workspace.alive));
  if (kind < 0.5) {
    figures.searches += 1;
    return walkAgents(scene, random, connections, workspace, limit, random.pick([...fixedWords, ...changingWords]));
  }
  return walkAgents(scene, random, connections, workspace, limit, null);
}

async function walkAgents(
  { run, ticks, unknownAgents }: Scene,
  random: Random,
  connections: readonly Connection[],
  workspace: Workspace,
  limit: number,
  word: string | null,
) {
  const kind = word === null ? 'agents' : 'search';
  const filter = word === null ? '' : `&q=${encodeURIComponent(searches.get(word) ?? word.toUpperCase())}`;
  const query = { path: '/api/v1/agents', filter, limit, isFilterRepeated: random.chance(0.5), kind };
  const walk = await walkList(connections, workspace, query, ticks, run.found);
  checkOrder(walk.items, kind, run.found);
  checkAgents(walk, workspace, (name) => word === null || name.includes(word), kind, run.found);
  for (const { id } of walk.items) if (!workspace.agents.has(id)) unknownAgents.push({ workspace, id });
  return walk;
}

/** Versions are never removed: the walk sees all of them from the newest down, whatever is added meanwhile. */
async function walkVersions(
  { run, ticks }: Scene,
  connections: readonly Connection[],
  workspace: Workspace,
  limit: number,
) {
  const { id, newest } = workspace.versionedAgent as NonNullable<Workspace['versionedAgent']>;
  const kind = 'versions';
  const query = { path: `/api/v1/agents/${id}/versions`, filter: '', limit, isFilterRepeated: false, kind };
  const walk = await walkList(connections, workspace, query, ticks, run.found);
  const numbers = walk.items.map(({ version }) => version);
  const first = numbers[0] ?? 0;
  if (first < newest) run.found('versions: the newest was not seen');
  if (numbers.length !== first || numbers.some((number, index) => number !== first - index))
    run.found('versions: not each of them once, newest first');
  return walk;
}

/** Every operation on an agent before the start of the walk is in the audit log exactly once. */
async function walkAuditLog(
  { run, ticks }: Scene,
  connections: readonly Connection[],
  workspace: Workspace,
  limit: number,
  agent: TrackedAgent,
) {
  const kind = 'audit trail';
  const isWhole = workspace.writes / limit <= maxPages;
  const filter = isWhole ? '' : `&resourceId=${agent.id}`;
  const query = { path: '/api/v1/audit-log', filter, limit, isFilterRepeated: false, kind };
  const walk = await walkList(connections, workspace, query, ticks, run.found);
  checkOrder(walk.items, kind, run.found);
  const seen = new Map<string, number>();
  for (const { requestId } of walk.items) seen.set(requestId, (seen.get(requestId) ?? 0) + 1);
  const operations = isWhole ? [...workspace.agents.values()].flatMap((every) => every.operations) : agent.operations;
  for (const { requestId, answered } of operations) {
    if (answered < walk.start && seen.get(requestId) !== 1) run.found('audit log: a change is not in it exactly once');
  }
  return walk;
}
