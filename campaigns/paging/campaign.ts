import { startProcess } from '../../test/support/process.ts';
import { defineCampaign, Hopeless, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';
import { Beast, Herd, Ticks } from './herd.ts';
import { checkAgents, checkOrder, walkList } from './walk.ts';

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
  readonly herds: readonly Herd[];
  readonly ticks: Ticks;
  /** Agents that were seen before their creation was acknowledged; checked at the end. */
  readonly strangers: { readonly herd: Herd; readonly id: string }[];
}

export const paging = defineCampaign({
  name: 'paging',
  about:
    'Lists are walked at every limit, by pages of two processes in turn, while agents are made, renamed and deleted: who is there all the time is seen exactly once.',
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
    const herds = keys.map((key, index) => new Herd(key, sizes[index] as number));
    const ports = processes.map(({ port }) => port);
    const scene: Scene = { run, ports, herds, ticks: new Ticks(), strangers: [] };

    await populate(scene);
    const figures = { walks: 0, pages: 0, items: 0, searches: 0, creations: 0, changes: 0, deletions: 0 };
    let isDone = false;
    const disturbing = Array.from({ length: disturbers }, () =>
      disturb(scene, run.random.fork(), () => isDone, figures),
    );
    const walking = Array.from({ length: walkers }, () => walkOnAndOn(scene, run.random.fork(), figures));
    const outcome = await Promise.allSettled(walking);
    isDone = true;
    for (const { reason } of [...outcome, ...(await Promise.allSettled(disturbing))].filter(isRejected)) throw reason;
    for (const { herd, id } of scene.strangers) {
      if (!herd.beasts.has(id)) run.found('agents: an agent was seen that nobody made');
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
  const wanted = scene.herds.flatMap((herd) => Array.from({ length: herd.size }, () => herd));
  const creators = Array.from({ length: 8 }, async () => {
    const random = scene.run.random.fork();
    const [connection] = openConnections(scene) as [Connection];
    for (let herd = wanted.pop(); herd !== undefined; herd = wanted.pop())
      await create(scene, connection, herd, random);
  });
  await Promise.all(creators);
  const [connection] = openConnections(scene) as [Connection];
  for (const herd of scene.herds.filter(({ size }) => size > 1)) {
    const beast = herd.alive.shift() as Beast;
    beast.isBusy = true;
    herd.elder = { id: beast.id, newest: 1, isBusy: false };
    for (let count = 0; count < 7; count += 1) await openVersion(connection, herd);
  }
}

async function create({ ticks, run }: Scene, connection: Connection, herd: Herd, random: Random): Promise<void> {
  const name = `${random.pick(fixedWords)} ${random.pick(changingWords)}`;
  const reply = await connection.request('POST', '/api/v1/agents', {
    key: herd.key.secret,
    body: { name, voiceId: 'v' },
  });
  if (reply.status !== 201) throw new Hopeless(`creating an agent was answered ${reply.status}`);
  const answered = ticks.next();
  const beast = new Beast(JSON.parse(reply.body.toString()).id, name, answered);
  beast.deeds.push({ requestId: reply.headers.get('x-request-id') ?? '', answered });
  if (herd.beasts.has(beast.id)) run.found('two agents have the same id');
  herd.writes += 1;
  herd.add(beast);
}

async function openVersion(connection: Connection, herd: Herd): Promise<void> {
  if (herd.elder === null) return;
  const path = `/api/v1/agents/${herd.elder.id}`;
  const { secret: key } = herd.key;
  const published = await connection.request('POST', `${path}/publish`, { key });
  // The name does not change, so that searches for it stay deterministic.
  const body = { versionDescription: `after ${herd.elder.newest}` };
  const changed = await connection.request('PATCH', path, { key, body });
  if (published.status !== 200 || changed.status !== 200) throw new Hopeless('a version could not be made');
  herd.elder.newest = JSON.parse(changed.body.toString()).version;
  herd.writes += 2;
}

/** Continuously creates, renames and deletes agents, so that each workspace keeps about the same size. */
async function disturb(
  scene: Scene,
  random: Random,
  isDone: () => boolean,
  figures: { creations: number; changes: number; deletions: number },
): Promise<void> {
  const connections = openConnections(scene);
  const moving = scene.herds.filter(({ size }) => size > 0);
  while (!isDone()) {
    const herd = random.pick(moving);
    const connection = random.pick(connections);
    const growth = herd.alive.length < herd.size ? 0.6 : 0.2;
    if (random.chance(growth)) {
      await create(scene, connection, herd, random);
      figures.creations += 1;
    } else if (random.chance(0.4)) {
      if (await remove(scene, connection, herd, random)) figures.deletions += 1;
    } else if (
      random.chance(0.05) &&
      herd.elder !== null &&
      (herd.elder.newest < 60 || scene.run.amount.walks > 1000)
    ) {
      await changeElder(connection, herd);
      figures.changes += 2;
    } else if (await rename(scene, connection, herd, random)) figures.changes += 1;
  }
  for (const connection of connections) connection.close();
}

async function changeElder(connection: Connection, herd: Herd): Promise<void> {
  if (herd.elder === null || herd.elder.isBusy) return;
  herd.elder.isBusy = true;
  await openVersion(connection, herd);
  herd.elder.isBusy = false;
}

async function remove({ ticks }: Scene, connection: Connection, herd: Herd, random: Random): Promise<boolean> {
  const beast = herd.alive.length === 0 ? undefined : random.pick(herd.alive);
  if (beast === undefined || beast.isBusy) return false;
  beast.isBusy = true;
  herd.alive.splice(herd.alive.indexOf(beast), 1);
  beast.deathSent = ticks.next();
  const send = () => connection.request('DELETE', `/api/v1/agents/${beast.id}`, { key: herd.key.secret });
  const reply = await herd.removing(ticks, send);
  if (reply.status !== 200) throw new Hopeless(`deleting an agent was answered ${reply.status}`);
  beast.deathAnswered = ticks.next();
  herd.writes += 1;
  beast.deeds.push({ requestId: reply.headers.get('x-request-id') ?? '', answered: beast.deathAnswered });
  return true;
}

async function rename({ ticks }: Scene, connection: Connection, herd: Herd, random: Random): Promise<boolean> {
  const beast = herd.alive.length === 0 ? undefined : random.pick(herd.alive);
  if (beast === undefined || beast.isBusy) return false;
  beast.isBusy = true;
  const [fixed] = beast.namings[0]?.name.split(' ') ?? [];
  const naming = {
    name: `${fixed} ${random.pick(changingWords)}`,
    sent: ticks.next(),
    answered: Number.POSITIVE_INFINITY,
  };
  beast.namings.push(naming);
  const options = { key: herd.key.secret, body: { name: naming.name } };
  const send = () => connection.request('PATCH', `/api/v1/agents/${beast.id}`, options);
  const reply = await herd.removing(ticks, send);
  if (reply.status !== 200) throw new Hopeless(`renaming an agent was answered ${reply.status}`);
  naming.answered = ticks.next();
  herd.writes += 1;
  beast.deeds.push({ requestId: reply.headers.get('x-request-id') ?? '', answered: naming.answered });
  beast.isBusy = false;
  return true;
}

type WalkFigures = { walks: number; pages: number; items: number; searches: number };

async function walkOnAndOn(scene: Scene, random: Random, figures: WalkFigures): Promise<void> {
  const { run, herds } = scene;
  const connections = openConnections(scene);
  while (figures.walks < run.amount.walks && !run.isOver()) {
    const limit = (figures.walks % 200) + 1;
    figures.walks += 1;
    const suitable = herds.filter(({ alive }) => alive.length / limit <= maxPages);
    const herd = random.chance(0.1) ? (suitable.at(-1) as Herd) : random.pick(suitable);
    const { pages, items } = await walkOne(scene, random, connections, herd, limit, figures);
    figures.pages += pages;
    figures.items += items.length;
    run.say(`${figures.walks} walks, ${figures.pages} pages`);
  }
  for (const connection of connections) connection.close();
}

async function walkOne(
  scene: Scene,
  random: Random,
  connections: readonly Connection[],
  herd: Herd,
  limit: number,
  figures: WalkFigures,
) {
  const kind = random.next();
  if (kind < 0.1 && herd.elder !== null) return walkVersions(scene, connections, herd, 1 + (limit % 11));
  if (kind < 0.2 && herd.alive.length > 0) return walkTrail(scene, connections, herd, limit, random.pick(herd.alive));
  if (kind < 0.5) {
    figures.searches += 1;
    return walkAgents(scene, random, connections, herd, limit, random.pick([...fixedWords, ...changingWords]));
  }
  return walkAgents(scene, random, connections, herd, limit, null);
}

async function walkAgents(
  { run, ticks, strangers }: Scene,
  random: Random,
  connections: readonly Connection[],
  herd: Herd,
  limit: number,
  word: string | null,
) {
  const kind = word === null ? 'agents' : 'search';
  const filter = word === null ? '' : `&q=${encodeURIComponent(searches.get(word) ?? word.toUpperCase())}`;
  const way = { path: '/api/v1/agents', filter, limit, isFilterRepeated: random.chance(0.5), kind };
  const walk = await walkList(connections, herd, way, ticks, run.found);
  checkOrder(walk.items, kind, run.found);
  checkAgents(walk, herd, (name) => word === null || name.includes(word), kind, run.found);
  for (const { id } of walk.items) if (!herd.beasts.has(id)) strangers.push({ herd, id });
  return walk;
}

/** Versions are never removed: the walk sees all of them from the newest down, whatever is added meanwhile. */
async function walkVersions({ run, ticks }: Scene, connections: readonly Connection[], herd: Herd, limit: number) {
  const { id, newest } = herd.elder as NonNullable<Herd['elder']>;
  const kind = 'versions';
  const way = { path: `/api/v1/agents/${id}/versions`, filter: '', limit, isFilterRepeated: false, kind };
  const walk = await walkList(connections, herd, way, ticks, run.found);
  const numbers = walk.items.map(({ version }) => version);
  const first = numbers[0] ?? 0;
  if (first < newest) run.found('versions: the newest was not seen');
  if (numbers.length !== first || numbers.some((number, index) => number !== first - index))
    run.found('versions: not each of them once, newest first');
  return walk;
}

/** Every operation on an agent before the start of the walk is in the audit log exactly once. */
async function walkTrail(
  { run, ticks }: Scene,
  connections: readonly Connection[],
  herd: Herd,
  limit: number,
  beast: Beast,
) {
  const kind = 'audit trail';
  const isWhole = herd.writes / limit <= maxPages;
  const filter = isWhole ? '' : `&resourceId=${beast.id}`;
  const way = { path: '/api/v1/audit-log', filter, limit, isFilterRepeated: false, kind };
  const walk = await walkList(connections, herd, way, ticks, run.found);
  checkOrder(walk.items, kind, run.found);
  const seen = new Map<string, number>();
  for (const { requestId } of walk.items) seen.set(requestId, (seen.get(requestId) ?? 0) + 1);
  const deeds = isWhole ? [...herd.beasts.values()].flatMap((every) => every.deeds) : beast.deeds;
  for (const { requestId, answered } of deeds) {
    if (answered < walk.start && seen.get(requestId) !== 1) run.found('audit trail: a change is not in it once');
  }
  return walk;
}
