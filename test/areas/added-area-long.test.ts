import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { forbiddenImports, sourceFiles } from '../../scripts/lint/imports.ts';
import { sdkNamespaces } from '../../scripts/sdk-namespaces.ts';
import { sourceLists } from '../../scripts/source-lists.ts';
import { exchange } from '../support/exchange.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');
const copied = [
  'src',
  'sdk',
  'scripts',
  'bin',
  'package.json',
  'package-lock.json',
  'dashboard/built',
  'reference',
  'openapi.json',
];
const key = 'a-key-of-our-own-choice';

/** Everything that a new area consists of: its files, and the lines that are added to the list of areas. */
function addNotes(folder: string): void {
  const version = readdirSync(join(folder, 'src/storage/migrations')).filter((name) => /^\d/.test(name)).length + 1;
  const files = {
    'area.ts': 'src/areas/notes/area.ts',
    'contract.ts': 'src/contract/notes/index.ts',
    'scopes.ts': 'src/contract/notes/scopes.ts',
    'migration.ts': `src/storage/migrations/${String(version).padStart(4, '0')}-notes.ts`,
  };
  for (const [name, file] of Object.entries(files)) {
    const from = (path: string): string =>
      `'${posix.join('.', posix.relative(dirname(file), path)).replace(/^(?!\.)/, './')}'`;
    const text = readFileSync(join(import.meta.dirname, 'notes', name), 'utf8')
      .replaceAll(/'\.\.\/\.\.\/\.\.\/(src\/[^']+)'/g, (_, path: string) => from(path))
      .replaceAll("'./contract.ts'", from(files['contract.ts']))
      .replace('version: 1000', `version: ${version}`)
      // Tests in one process use the scopes that their keys have.
      .replaceAll("scope: 'agents:", "scope: 'notes:")
      .replace(
        "id: 'notes.send',",
        "id: 'notes.send', rateLimit: { name: 'note-sends', requests: 2, windowSeconds: 60 },",
      );
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const list = join(folder, 'src/app-areas.ts');
  const text = readFileSync(list, 'utf8')
    .replace('import { createKeys }', "import { createNotes } from './areas/notes/area.ts';\n$&")
    .replace('    webhooks.area,\n', '$&    createNotes(kernel, { send: async () => 1 }),\n');
  writeFileSync(list, text);
}

describe('an area that is added with its files and one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-area-'));
  let service: ServiceProcess;

  before(async () => {
    for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    addNotes(folder);
    // As `npm run generate` does.
    for (const [name, text] of Object.entries(sourceLists(folder))) writeFileSync(join(folder, name), text);
    service = await startProcess(
      { DATABASE_URL: `sqlite:${join(folder, 'data.db')}`, MEDIA_DIR: join(folder, 'media'), BOOTSTRAP_API_KEY: key },
      { file: join(folder, 'scripts', 'start.js') },
    );
  });
  after(async () => {
    await service?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async (method: string, path: string, body?: object, apiKey = key) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const content = body === undefined ? undefined : JSON.stringify(body);
    const answer = await exchange(service.url + path, { method, headers, content });
    return { ...answer, json: answer.text.startsWith('{') ? JSON.parse(answer.text) : undefined };
  };
  const imported = (path: string) => import(pathToFileURL(join(folder, path)).href);

  it('has scopes that the first key holds and that keys can be created with', async () => {
    const { json: own } = await send('GET', '/api/v1/whoami');
    assert.ok(own.scopes.includes('notes:read') && own.scopes.includes('notes:write'), own.scopes);
    const created = await send('POST', '/api/v1/api-keys', { scopes: ['notes:read'] });
    assert.equal(created.status, 201, created.text);
    const reader = created.json.key;
    assert.equal((await send('GET', '/api/v1/notes', undefined, reader)).status, 200);
    assert.equal((await send('POST', '/api/v1/notes', { text: 'milk' }, reader)).json.error.code, 'SCOPE_INSUFFICIENT');
    assert.equal((await send('GET', '/api/v1/agents', undefined, reader)).status, 403);
  });

  it('stores, with an audit entry for each change', async () => {
    const { status, json } = await send('POST', '/api/v1/notes', { text: 'bread' });
    assert.equal(status, 201);
    const { json: log } = await send('GET', `/api/v1/audit-log?resourceId=${json.id}`);
    assert.deepEqual(
      log.items.map(({ routeId }: { routeId: string }) => routeId),
      ['notes.create'],
    );
  });

  it('has the rate limits that its operations declare', async () => {
    const { json } = await send('POST', '/api/v1/notes', { text: 'ring' });
    const answers = [];
    for (let sent = 0; sent < 3; sent += 1) answers.push(await send('POST', `/api/v1/notes/${json.id}/send`));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429],
    );
    assert.match(answers[0]?.headers.get('ratelimit-policy') ?? '', /note-sends/);
  });

  it('is in OpenAPI, in the text for language models and in the metrics', async () => {
    const { json: document } = await send('GET', '/openapi.json');
    assert.deepEqual(document.paths['/api/v1/notes'].post.tags, ['Notes']);
    assert.ok(document.components.schemas.CreateApiKey.properties.scopes.items.enum.includes('notes:write'));
    assert.match((await send('GET', '/llms.txt')).text, /`POST \/api\/v1\/notes`.*Scope `notes:write`/);
    const { text: metrics } = await send('GET', '/metrics');
    assert.match(metrics, /^notes_test 7$/m);
    assert.match(metrics, /route="notes\.create"/);
  });

  it('has a namespace in the SDK', async () => {
    const { contracts } = await imported('src/contract/index.ts');
    const { buildOpenApi } = await imported('src/contract/documents/openapi.ts');
    writeFileSync(join(folder, 'sdk/src/namespaces.ts'), sdkNamespaces(folder, contracts, buildOpenApi()));
    const { VoiceAgents } = await imported('sdk/src/index.ts');
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const { id } = await client.notes.create({ text: 'from the SDK', colour: 'green' });
    const { items } = await client.notes.list({ colour: 'green' });
    assert.deepEqual(
      items.map((note: { id: string }) => note.id),
      [id],
    );
  });

  it('is behind the same import rules as every other area', () => {
    assert.deepEqual(forbiddenImports(sourceFiles(folder)), []);
    const text = "import { createKeys } from '../keys/area.ts';\n";
    assert.equal(forbiddenImports([{ path: 'src/areas/notes/area.ts', text }]).length, 1);
  });
});
