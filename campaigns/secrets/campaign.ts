import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { runCommand, type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection, CutError, type Reply, type RequestOptions } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { type CommandMistake, commandMistakes } from './commands.ts';
import { mistakesWith } from './mistakes.ts';
import { providerVoices, startRudeProvider } from './providers.ts';
import { Search, type Secret, secretOf } from './search.ts';

type Amount = Readonly<Record<'rounds' | 'mistakenSecrets' | 'commands', number>>;

/** Log lines are written at most a tenth of a second later. */
const untilLoggedMs = 250;
const crashOnMessage =
  'data:text/javascript,process.on("message",()=>setImmediate(()=>{throw new Error("on purpose")}))';

/** The planted secrets, by where they may appear. */
interface Plants {
  /** API keys and Idempotency-Keys: only visible to their sender or creator, and not in the database. */
  readonly locked: Secret[];
  /** Content of agents: in the database and in responses to authorized callers, and nowhere else. */
  readonly content: Secret[];
}

/** State shared by the parts of the campaign. */
interface Scene {
  readonly run: Run<Amount>;
  readonly service: ServiceProcess;
  readonly adminKey: string;
  readonly strangerKey: string;
  readonly plants: Plants;
  /** Reports a finding if any of the secrets is contained. */
  look(where: string, haystack: string | Buffer, secrets?: readonly Secret[]): void;
}

export const secrets = defineCampaign<Amount>({
  name: 'secrets',
  about:
    'Plants keys, prompts, URLs with passwords and other secrets, both correctly and by typical mistakes, and searches for them, plain and encoded, where they must not be.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { rounds: 20, mistakenSecrets: 4, commands: 11 },
    small: { rounds: 1, mistakenSecrets: 1, commands: 5 },
  },
  run: async (run) => {
    const plants: Plants = { locked: [], content: [] };
    const search = new Search();
    let searches = 0;
    const all = () => [...plants.locked, ...plants.content];
    const look = (where: string, haystack: string | Buffer, among: readonly Secret[] = all()): void => {
      searches += 1;
      for (const found of search.find(haystack, among)) run.found(`${where}: ${found}`);
    };

    const bareUrl = await run.newDatabaseUrl();
    const databaseUrl = withPassword(bareUrl, plant(run, plants.locked, 'the password of the database'));
    const adminKey = plant(run, plants.locked, 'the key of the operator').text;
    const [stranger] = await makeKeys(bareUrl, [{ workspace: 'stranger' }]);
    if (stranger === undefined) throw new Error('the key was not made');
    plants.locked.push(secretOf('a key made beside the service', stranger.secret));
    const providers = await plantProviderKeys(run, plants);
    const settings = { DATABASE_URL: databaseUrl, BOOTSTRAP_API_KEY: adminKey, LOG_LEVEL: 'trace', ...providers };
    const service = await startProcess(settings, { nodeArguments: [`--import=${crashOnMessage}`], hasChannel: true });
    run.atEnd(() => service.end('SIGKILL'));
    const scene: Scene = { run, service, adminKey, strangerKey: stranger.secret, plants, look };

    let mistakes = 0;
    let rounds = 0;
    for (; rounds < run.amount.rounds && !run.isOver(); rounds += 1) {
      const logged = service.output().length;
      await plantRightly(scene);
      mistakes += await plantMistakenly(scene);
      await searchResponses(scene);
      await useProviders(scene);
      await delay(untilLoggedMs);
      look('the log', service.output().slice(logged));
      run.showProgress(`${rounds + 1} rounds, ${mistakes} mistakes`);
    }
    await failWith(scene, bareUrl);
    await searchPages(scene);
    searchProcess(scene);
    await searchCommands(scene, settings, bareUrl);
    await crash(scene);
    look('the log', service.output());
    await searchDatabase(scene, bareUrl);
    await searchBackup(scene, settings);
    searchFileNames(scene, [run.folder, ...(run.engine === 'sqlite' ? [folderOf(bareUrl)] : [])]);
    await firstStart(scene);
    return { rounds, secrets: all().length, mistakes, 'places searched': searches };
  },
});

/** A secret with a unique prefix that looks different in every encoding. */
function plant({ random }: Run<Amount>, into: Secret[], name: string, end = ''): Secret {
  const letters = [...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'];
  const text = Array.from({ length: 28 }, () => random.pick(letters)).join('') + end;
  const secret = secretOf(name, text);
  into.push(secret);
  return secret;
}

/** The test PostgreSQL accepts any password, so one is planted. */
function withPassword(databaseUrl: string, { text }: Secret): string {
  if (!databaseUrl.startsWith('postgres')) return databaseUrl;
  const url = new URL(databaseUrl);
  url.password = text;
  return url.href;
}

async function answered(connection: Connection, method: string, path: string, options: RequestOptions) {
  const reply = await connection.request(method, path, options);
  if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.body}`);
  return { reply, json: JSON.parse(reply.body.toString('utf8')) };
}

function wholeOf({ headers, body }: Reply): Buffer {
  const head = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return Buffer.concat([Buffer.from(`${head}\n\n`, 'latin1'), body]);
}

/** Keys of speech providers, which reject them and repeat them in every answer, as some vendors do. */
async function plantProviderKeys(run: Run<Amount>, plants: Plants): Promise<Record<string, string>> {
  const provider = await startRudeProvider();
  run.atEnd(() => provider.close());
  const settings: Record<string, string> = {};
  for (const name of ['DEEPGRAM', 'ELEVENLABS', 'CARTESIA', 'OPENAI']) {
    settings[`${name}_API_KEY`] = plant(run, plants.locked, `the key of ${name}`).text;
    settings[`${name}_BASE_URL`] = name === 'OPENAI' ? `${provider.baseUrl}/v1` : provider.baseUrl;
  }
  return settings;
}

/** Everything that makes the service talk to its providers. */
async function useProviders({ run, service, adminKey, look }: Scene): Promise<void> {
  const connection = new Connection(service.port);
  run.atEnd(() => connection.close());
  for (const path of ['/api/v1/providers', '/api/v1/voices']) {
    look(`the answer to ${path}`, wholeOf((await answered(connection, 'GET', path, { key: adminKey })).reply));
  }
  for (const [provider, voiceId] of providerVoices) {
    const body = { provider, voiceId, language: 'en', text: 'Hello.' };
    const reply = await connection.request('POST', '/api/v1/voices/preview', { key: adminKey, body });
    // The limit on previews may be reached.
    if (reply.status !== 502 && reply.status !== 429)
      run.found(`a provider that rejects us is answered ${reply.status}`);
    look(`a preview of ${provider}`, wholeOf(reply));
  }
}

/** Regular use: agents with confidential content, and keys created and rotated. */
async function plantRightly({ run, service, adminKey, plants, look }: Scene): Promise<void> {
  const connection = new Connection(service.port);
  run.atEnd(() => connection.close());
  const content = (name: string, end = '') => plant(run, plants.content, name, end).text;
  const repeatKey = () => plant(run, plants.locked, 'an Idempotency-Key').text;
  const agent = {
    name: 'Reception',
    voiceId: 'voice-1',
    responseEngine: {
      type: 'custom_llm',
      llmWebsocketUrl: `wss://llm.example.com/?token=${content('a token of a model')}`,
    },
    prompt: content('a prompt', ' "quoted" 秘密 \\ %41'),
    beginMessage: content('a first sentence', ' お電話'),
    webhookUrl: `https://example.com/${content('a password of a webhook')}/?key=${content('a key of a webhook')}`,
    agentGlobalPrompt: content('a global prompt'),
    agentVariables: [{ name: 'token', value: content('a variable') }],
    agentSettings: { deep: { apiToken: content('a setting') } },
  };
  const key = adminKey;
  const options = { key, body: agent, headers: { 'Idempotency-Key': repeatKey() } };
  const { json } = await answered(connection, 'POST', '/api/v1/agents', options);
  await answered(connection, 'POST', '/api/v1/agents', options);
  const path = `/api/v1/agents/${json.id}`;
  await answered(connection, 'POST', `${path}/publish`, { key, headers: { 'Idempotency-Key': repeatKey() } });
  await answered(connection, 'PATCH', path, { key, body: { beginMessage: content('a later first sentence') } });
  await answered(connection, 'DELETE', path, { key });

  const body = { scopes: ['agents:read'], name: 'CI' };
  const repeated = { key, body, headers: { 'Idempotency-Key': repeatKey() } };
  const made = await answered(connection, 'POST', '/api/v1/api-keys', repeated);
  const again = await answered(connection, 'POST', '/api/v1/api-keys', repeated);
  if (made.json.key !== again.json.key) run.found('a repeated request does not get its key');
  plants.locked.push(secretOf('a key made over the API', made.json.key));
  const rotation = { key, headers: { 'Idempotency-Key': repeatKey() } };
  const rotated = await answered(connection, 'POST', `/api/v1/api-keys/${made.json.id}/rotate`, rotation);
  plants.locked.push(secretOf('a rotated key', rotated.json.key));
  const revoked = await answered(connection, 'DELETE', `/api/v1/api-keys/${rotated.json.id}`, { key });
  look('the answer to a revocation', wholeOf(revoked.reply));
}

/** Every mistake with secrets of each kind; the responses must not repeat any. */
async function plantMistakenly({ run, service, adminKey, plants, look }: Scene): Promise<number> {
  let made = 0;
  const valid = run.random.pick(
    plants.locked.filter(({ name }) => name.includes('key made') || name.includes('rotated')),
  );
  const wrong = adminKey.slice(0, -1) + (adminKey.endsWith('A') ? 'B' : 'A');
  const others = Array.from({ length: run.amount.mistakenSecrets }, () =>
    plant(run, plants.locked, 'a secret in the wrong place', run.random.pick(['', ' "&秘<'])),
  );
  for (const secret of [valid, secretOf('a key with one wrong character', wrong), ...others]) {
    for (const { about, bytes, isNamedBack } of mistakesWith(secret.text, adminKey)) {
      const connection = new Connection(service.port, { timeoutMs: 5000 });
      try {
        const reply = await connection.sendBytes(bytes);
        if (!isNamedBack) look(`an answer to a secret ${about}`, wholeOf(reply));
      } catch (error) {
        if (!(error instanceof CutError)) throw error;
        run.found(`a secret ${about}: no answer (${error.message})`);
      } finally {
        connection.close();
      }
      made += 1;
      if (run.isOver()) return made;
    }
  }
  return made;
}

/** Callers who may list keys or read the audit log see neither secrets nor content; strangers see nothing. */
async function searchResponses({ run, service, adminKey, strangerKey, plants, look }: Scene): Promise<void> {
  const connection = new Connection(service.port);
  run.atEnd(() => connection.close());
  for (const path of ['/api/v1/api-keys?limit=200', '/api/v1/audit-log?limit=200', '/api/v1/whoami']) {
    look(`the answer to ${path}`, wholeOf((await answered(connection, 'GET', path, { key: adminKey })).reply));
  }
  const agents = await answered(connection, 'GET', '/api/v1/agents?limit=200', { key: adminKey });
  look('a list of agents', wholeOf(agents.reply), plants.locked);
  for (const path of ['/api/v1/agents', '/api/v1/api-keys', '/api/v1/audit-log', '/api/v1/whoami']) {
    look(`a stranger's ${path}`, wholeOf((await answered(connection, 'GET', path, { key: strangerKey })).reply));
  }
}

/** An internal error during requests with secrets: the log contains its stack, and nothing of the request. */
async function failWith({ run, service, adminKey, plants, look }: Scene, databaseUrl: string): Promise<void> {
  const database = openDatabase(locationOf(databaseUrl), () => {});
  const connection = new Connection(service.port);
  try {
    await database.run('ALTER TABLE audit_log RENAME TO audit_log_away');
    const prompt = plant(run, plants.content, 'a prompt of a request that failed').text;
    const headers = {
      'Idempotency-Key': plant(run, plants.locked, 'an Idempotency-Key of a request that failed').text,
    };
    const body = { name: 'Reception', voiceId: 'voice-1', prompt };
    for (const options of [{ body }, { body, headers }]) {
      const reply = await connection.request('POST', '/api/v1/agents', { key: adminKey, ...options });
      if (reply.status !== 500) run.found(`a fault of the service is answered ${reply.status}`);
      look('the answer to a fault of the service', wholeOf(reply));
    }
    await database.run('ALTER TABLE audit_log_away RENAME TO audit_log');
  } finally {
    connection.close();
    await database.close();
  }
}

/** Public pages. */
async function searchPages({ service, look }: Scene): Promise<void> {
  for (const page of [
    '/metrics',
    '/openapi.json',
    '/llms.txt',
    '/healthz',
    '/readyz',
    '/',
    '/docs/',
    '/docs/js/scalar.js',
  ]) {
    const answer = await fetch(service.url + page, { redirect: 'manual' });
    look(page, Buffer.from(await answer.arrayBuffer()));
    look(`the headers of ${page}`, JSON.stringify([...answer.headers]));
  }
}

/** What other users of the machine can see of a process: its name and arguments. */
function searchProcess({ service, look }: Scene): void {
  if (process.platform !== 'linux') return;
  for (const file of ['cmdline', 'comm'])
    look(`the ${file} of the process`, readFileSync(`/proc/${service.child.pid}/${file}`));
}

async function searchCommands(scene: Scene, settings: Record<string, string>, databaseUrl: string): Promise<void> {
  const { run, plants, look } = scene;
  const known = plants.locked.find(({ name }) => name === 'a key made over the API') as Secret;
  const other = plant(run, plants.locked, 'a secret on the command line');
  const [list, revoke, ...rest] = commandMistakes(known.text, other.text);
  const chosen = [list, revoke, ...run.random.shuffled(rest)].slice(0, run.amount.commands) as CommandMistake[];
  await Promise.all(
    chosen.map(async ({ about, args, environment }) => {
      const { stdout, stderr } = await runCommand(args, { ...settings, ...environment });
      look(`the command ${about}`, stdout + stderr);
    }),
  );
  const made = await runCommand(['keys', 'create', '--workspace', 'shell', '--scopes', 'agents:read', '--json'], {
    DATABASE_URL: databaseUrl,
  });
  look('the command that makes a key', made.stdout + made.stderr);
  plants.locked.push(secretOf('a key made on the command line', JSON.parse(made.stdout).key));
  const asJson = await runCommand(['keys', 'list', '--json'], settings);
  look('the list of keys on the command line', asJson.stdout + asJson.stderr);
}

/** The process ends by an uncaught exception. */
async function crash({ run, service, adminKey, look }: Scene): Promise<void> {
  const connection = new Connection(service.port);
  run.atEnd(() => connection.close());
  await answered(connection, 'GET', '/api/v1/agents', { key: adminKey });
  const from = service.output().length;
  service.child.send('crash');
  await new Promise((resolve) => service.child.once('close', resolve));
  const last = service.output().slice(from);
  if (!last.includes('on purpose')) run.found('a crash does not report its error');
  look('the output of a crash', last);
}

/** Keys, Idempotency-Keys and passwords are not in the database files or tables. */
async function searchDatabase({ run, plants, look }: Scene, databaseUrl: string): Promise<void> {
  if (run.engine === 'sqlite') {
    const folder = folderOf(databaseUrl);
    for (const file of readdirSync(folder)) {
      const about = `the file …${file.replace(/^test\.db/, '')} of the database`;
      look(about, readFileSync(`${folder}/${file}`), plants.locked);
    }
  }
  const database = openDatabase(locationOf(databaseUrl), () => {});
  try {
    for (const table of await tablesOf(database)) {
      look(`the table ${table}`, JSON.stringify(await database.all(`SELECT * FROM ${table}`)), plants.locked);
    }
  } finally {
    await database.close();
  }
}

async function tablesOf(database: Database): Promise<string[]> {
  const sql =
    database.dialect.engine === 'sqlite'
      ? "SELECT name FROM sqlite_schema WHERE type = 'table'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' UNION ALL SELECT 'pg_stat_activity'";
  return (await database.all<{ name: string }>(sql)).map(({ name }) => name);
}

function folderOf(databaseUrl: string): string {
  return dirname(databaseUrl.replace(/^sqlite:/, ''));
}

/**
 * A backup contains the content of agents but no working key; its file name and output contain nothing confidential.
 */
async function searchBackup({ run, plants, look }: Scene, settings: Record<string, string>): Promise<void> {
  const file = join(run.folder, 'monday.backup');
  for (const args of [
    ['backup', file],
    ['backup', file],
    ['restore', file, '--check', '--json'],
    ['restore', file],
  ]) {
    const { stdout, stderr } = await runCommand(args, settings);
    look(`what the command ${args[0]} says`, `${stdout}\n${stderr}`);
  }
  look('a backup', zstdDecompressSync(readFileSync(file)), plants.locked);
}

/**
 * File names contain nothing confidential. Run it after everything that creates files, such as a backup, with all
 * folders.
 */
function searchFileNames({ look }: Scene, folders: readonly string[]): void {
  for (const folder of folders) look('the names of files', readdirSync(folder, { recursive: true }).join('\n'));
}

/** The key of a first start is printed once, and is in neither the log nor the database. */
async function firstStart(scene: Scene): Promise<void> {
  const { run, plants, look } = scene;
  const databaseUrl = await run.newDatabaseUrl();
  const service = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'trace' });
  run.atEnd(() => service.end('SIGKILL'));
  const key = /API key {4}(\S+)/.exec(service.output())?.[1];
  if (key === undefined) {
    run.found('a first start shows no key');
    return;
  }
  const code = /#sign-in=(\S+)/.exec(service.output())?.[1];
  if (code === undefined) {
    run.found('a first start shows no sign-in link');
    return;
  }
  plants.locked.push(secretOf('the key of a first start', key), secretOf('the code of a sign-in link', code));
  const connection = new Connection(service.port);
  run.atEnd(() => connection.close());
  await answered(connection, 'GET', '/api/v1/whoami', { key });
  await service.end('SIGTERM');
  const logLines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  if (logLines.length < 2) run.found('the log of a first start is empty');
  look('the log of a first start', logLines.join('\n'));
  await searchDatabase(scene, databaseUrl);

  const second = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'trace' });
  await second.end('SIGTERM');
  look('the output of a second start', second.output());
}
