import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../../src/contract/calls/call.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { type DoubleReply, startOpenAiDouble } from '../../test/providers/openai-double.ts';
import { locationOf } from '../../test/support/engines.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Search, type Secret } from '../secrets/search.ts';
import { databaseFiles, filesIn, tablesOf } from '../stored-bytes.ts';
import { type Plant, plainPlant, plantNames, plantOf } from './plants.ts';

type Amounts = { readonly rounds: number };
type Setting = Call['dataStorageSetting'];

/** Log lines are written at most a tenth of a second later. */
const untilLoggedMs = 250;
const settings: readonly Setting[] = ['everything', 'everything_except_pii', 'basic_attributes_only'];
const endings = ['open', 'ended'] as const;
/** SQLite overwrites what is deleted, but not the copies that it leaves behind when it splits a page. */
const maxShareLeft = 0.02;
/** What is done to calls that were stored in full. */
const removals = ['everything_except_pii', 'basic_attributes_only', 'deleted'] as const;

const maxPreviews = 20;
/** What is extracted from the calls. */
const items = ['first', 'second', 'third'].map((name) => ({ name, type: 'string', description: name }));

/** What was planted, by where it may be. */
interface Plants {
  /** In no byte of the database, at any time. */
  readonly never: Secret[];
  /** It was stored in full and removed later: in no table any more, and on SQLite hardly in its files. */
  readonly removed: Secret[];
  /** In the database, because everything is stored. */
  readonly stored: Secret[];
}

interface Scene {
  readonly run: Run<Amounts>;
  readonly database: Database;
  readonly service: ServiceProcess;
  readonly connection: Connection;
  readonly key: string;
  readonly agentId: string;
  readonly plants: Plants;
  readonly partner: Partner;
  /** How many were asked for. */
  previews: number;
}

export const personalData = defineCampaign<Amounts>({
  name: 'personal-data',
  about:
    'Plants personal data in every part of calls, in Japanese and English, written and spoken, with every storage setting, and searches for it in every byte of the database, its log, the log of the service and the media folder.',
  runsOn: ['sqlite', 'postgres'],
  amounts: { full: { rounds: 40 }, small: { rounds: 4 } },
  run: async (run) => {
    const scene = await openScene(run);
    const { plants } = scene;
    let calls = 0;
    for (let round = 0; round < run.amount.rounds && !run.isOver(); round += 1) {
      for (const setting of settings) for (const ending of endings) await plantIn(scene, setting, ending);
      for (const removal of removals) await plantAndRemove(scene, removal);
      calls += settings.length * endings.length + removals.length;
      run.showProgress(`${calls} calls`);
    }
    await delay(untilLoggedMs);
    const { bytes, left } = await searchAll(scene);
    const { never, removed, stored } = plants;
    return {
      calls,
      planted: never.length + removed.length + stored.length,
      removed: removed.length,
      'removed and left in files': left,
      'MiB searched': bytes / 2 ** 20,
    };
  },
});

/**
 * The model, the tool and the receiver of events of the agent: the model books what it reads, the tool returns what it is
 * told to, and the receiver repeats what it gets.
 */
class Partner {
  modelUrl = '';
  toolUrl = '';
  receiverUrl = '';
  toolResult = '';
  finalText = '';
  /** What an analysis says besides the transcript. */
  summary = '';

  async start({ atEnd }: Run<Amounts>): Promise<void> {
    const model = await startOpenAiDouble({
      replyTo: (body) => ('response_format' in body ? this.#analysis(body.messages) : this.#reply(body.messages)),
    });
    this.modelUrl = model.baseUrl;
    atEnd(() => model.close());
    const server = createServer((request, response) => {
      if (request.url === '/events') return void request.pipe(response);
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ note: this.toolResult }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    this.toolUrl = `http://127.0.0.1:${port}/book`;
    this.receiverUrl = `http://127.0.0.1:${port}/events`;
    atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
  }

  /** Repeats everything that it reads, wherever an analysis has room for text. */
  #analysis(messages: unknown): DoubleReply {
    const [, user] = messages as readonly { readonly content: string }[];
    const said = user?.content ?? '';
    const turns = [...said.matchAll(/^\[(\d+)\] \w+: (.+)$/gm)];
    const quotes = turns.map(([, index, quote]) => ({ turns: [Number(index)], quote, rationale: quote }));
    const values = items.map(({ name }, index) => [name, turns[index]?.[2] ?? null]);
    const evidence = items.map(({ name }, index) => [name, quotes[index] ?? null]);
    return {
      text: JSON.stringify({
        summary: `${this.summary} ${said}`,
        successful: true,
        sentiment: 'neutral',
        data: Object.fromEntries(values),
        evidence: { successful: quotes[0] ?? null, sentiment: quotes[1] ?? null, data: Object.fromEntries(evidence) },
      }),
    };
  }

  #reply(messages: unknown): DoubleReply {
    const list = messages as readonly { readonly role: string; readonly content: string | null }[];
    const last = list.at(-1);
    if (last?.role === 'tool') return { text: this.finalText };
    const text = list.findLast(({ role }) => role === 'user')?.content ?? '';
    if (text.startsWith('Fail')) return { status: 400 };
    if (!text.startsWith('Book')) return { text: `You said: ${text}` };
    return { tools: [{ name: 'book', arguments: JSON.stringify({ item: text }) }] };
  }
}

async function openScene(run: Run<Amounts>): Promise<Scene> {
  const databaseUrl = await run.newDatabaseUrl();
  const [made] = await makeKeys(databaseUrl, [{ workspace: 'personal data' }]);
  if (made === undefined) throw new Error('the key was not made');
  const partner = new Partner();
  await partner.start(run);
  const service = await startProcess({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'trace',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: '100',
    OPENAI_BASE_URL: partner.modelUrl,
    MEDIA_DIR: join(run.folder, 'media'),
  });
  run.atEnd(() => service.end('SIGKILL'));
  const database = openDatabase(locationOf(databaseUrl), () => {});
  run.atEnd(() => database.close());
  const connection = new Connection(service.port);
  run.atEnd(() => connection.close());
  const key = made.secret;
  const parameters = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] };
  const agent = {
    name: 'Reception',
    voiceId: 'voice-1',
    webhookUrl: partner.receiverUrl,
    responseEngine: { type: 'single_prompt', model: 'gpt-5.4-mini', prompt: 'Book.' },
    postCallAnalysisData: items,
    agentSettings: { tools: [{ name: 'book', description: 'Books.', parameters, url: partner.toolUrl }] },
  };
  const created = await connection.request('POST', '/api/v1/agents', { key, body: agent });
  const agentId = JSON.parse(created.body.toString()).id;
  await connection.request('POST', `/api/v1/agents/${agentId}/publish`, { key });
  const plants: Plants = { never: [], removed: [], stored: [] };
  return { run, database, service, connection, key, agentId, plants, partner, previews: 0 };
}

async function must(scene: Scene, method: string, path: string, body?: object, expected = [200, 201]) {
  const { connection, key, run } = scene;
  const headers = method === 'POST' ? { 'Idempotency-Key': `key ${run.random.int(0, 2 ** 31)}` } : {};
  const reply = await connection.request(method, `/api/v1/${path}`, { key, headers, ...(body && { body }) });
  if (!expected.includes(reply.status))
    throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.body}`);
  return JSON.parse(reply.body.toString());
}

/** A call with something in every part that a partner or a caller can fill. Returns its id. */
async function converse(scene: Scene, setting: Setting, plant: () => string): Promise<string> {
  const { agentId, partner } = scene;
  const body = {
    type: 'chat',
    agentId,
    dataStorageSetting: setting,
    variables: { phone: plant() },
    metadata: { note: plant(), deep: { list: [plant()] } },
  };
  const { id } = await must(scene, 'POST', 'calls', body);
  partner.toolResult = plant();
  partner.finalText = plant();
  await must(scene, 'POST', `calls/${id}/messages`, { text: plant() });
  await must(scene, 'POST', `calls/${id}/messages`, { text: `Book: ${plant()}` });
  await must(scene, 'POST', `calls/${id}/control`, { action: 'say', text: plant() });
  await must(scene, 'POST', `calls/${id}/control`, { action: 'set_variables', variables: { given: plant() } });
  if (setting !== 'basic_attributes_only') await must(scene, 'PATCH', `calls/${id}`, { metadata: { later: plant() } });
  await must(scene, 'POST', `calls/${id}/messages`, { text: `Fail: ${plant()}` }, [502]);
  return id;
}

async function plantIn(scene: Scene, setting: Setting, ending: (typeof endings)[number]): Promise<void> {
  const { plants, partner } = scene;
  const into = setting === 'everything' ? plants.stored : plants.never;
  const id = await converse(scene, setting, planter(scene, into, setting === 'basic_attributes_only'));
  // What the model is told is in the working state alone.
  if (setting !== 'everything') {
    const context = { action: 'add_context', text: planter(scene, into, true)() };
    await must(scene, 'POST', `calls/${id}/control`, context);
  }
  if (ending === 'open') return;
  // Without content there is no analysis, and nothing to say in it.
  if (setting !== 'basic_attributes_only') partner.summary = planter(scene, into, false)();
  await must(scene, 'POST', `calls/${id}/end`);
  await settled(scene, id);
  const expected = setting === 'basic_attributes_only' ? [422] : [200];
  // At most 20 per minute.
  if (scene.previews < maxPreviews) await must(scene, 'POST', `calls/${id}/analysis/preview`, {}, expected);
  scene.previews += 1;
  await must(scene, 'POST', `calls/${id}/analysis`, {}, expected[0] === 200 ? [201] : [422]);
  await settled(scene, id);
}

/** Waits until nothing analyzes the call. */
async function settled(scene: Scene, id: string): Promise<void> {
  for (;;) {
    const { items } = await must(scene, 'GET', `calls/${id}/analyses`);
    if (!(items as { status: string }[]).some(({ status }) => status === 'pending')) return;
    await delay(20);
  }
}

async function plantAndRemove(scene: Scene, removal: (typeof removals)[number]): Promise<void> {
  const { removed } = scene.plants;
  scene.partner.summary = planter(scene, removed, false)();
  const id = await converse(scene, 'everything', planter(scene, removed, removal !== 'everything_except_pii'));
  await must(scene, 'POST', `calls/${id}/end`);
  // Otherwise it is removed while it is analyzed.
  if (scene.run.random.chance(0.5)) await settled(scene, id);
  if (removal === 'deleted') await must(scene, 'DELETE', `calls/${id}`);
  else await must(scene, 'POST', `calls/${id}/redact`, { to: removal });
}

/** Returns a new sentence each time. `mayBePlain`: nothing of the text may be stored, whatever it is. */
function planter({ run }: Scene, into: Secret[], mayBePlain: boolean): () => string {
  return () => {
    const isPlain = mayBePlain && run.random.chance(0.3);
    const plant: Plant = isPlain ? plainPlant(run.random) : plantOf(run.random.pick(plantNames), run.random);
    into.push(plant.secret);
    return plant.sentence;
  };
}

/** Returns how many bytes were searched, and how much of what was removed is left in the files of the database. */
async function searchAll(scene: Scene): Promise<{ readonly bytes: number; readonly left: number }> {
  const { run, service, database, plants } = scene;
  const search = new Search();
  const everything = [...plants.never, ...plants.removed, ...plants.stored];
  const seen = new Set<Secret>();
  let bytes = 0;
  const look = (where: string, haystack: Buffer, forbidden: readonly Secret[]): void => {
    bytes += haystack.length;
    for (const [secret, form] of search.matches(haystack, everything)) {
      seen.add(secret);
      if (forbidden.includes(secret)) run.found(`${where}: ${secret.name}, ${form}`);
    }
  };
  look('the log', Buffer.from(service.output()), everything);
  look('the metrics', Buffer.from(await (await fetch(`${service.url}/metrics`)).arrayBuffer()), everything);
  for (const file of filesIn(join(run.folder, 'media'))) look('the media folder', readFileSync(file), everything);
  for (const [table, content] of await tablesOf(database)) {
    const forbidden = table === 'audit_log' ? everything : [...plants.never, ...plants.removed];
    look(`the table ${table}`, content, forbidden);
  }
  for (const secret of plants.stored)
    if (!seen.has(secret)) run.found(`${secret.name} is not found where it is stored`);
  seen.clear();
  const isSqlite = database.dialect.engine === 'sqlite';
  if (isSqlite) await forgetDeleted(run, database);
  for (const [about, file] of await databaseFiles(database)) look(about, readFileSync(file), plants.never);
  // PostgreSQL compresses long rows, so that not all of them can be seen in its files.
  if (!plants.stored.some((secret) => seen.has(secret))) run.found('nothing is found in the files of the database');
  const left = plants.removed.filter((secret) => seen.has(secret)).length;
  if (isSqlite && left > plants.removed.length * maxShareLeft) {
    run.found(`${left} of ${plants.removed.length} that were removed are left in the files of the database`);
  }
  return { bytes, left };
}

/** What the service does once a minute. */
async function forgetDeleted(run: Run<Amounts>, database: Database): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (await database.forgetDeleted()) return;
    await delay(100);
  }
  run.found('the log of the database cannot be emptied');
}
