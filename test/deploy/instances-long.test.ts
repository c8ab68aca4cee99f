import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { spokenCall } from '../areas/calls/live/caller.ts';
import { eventually, on } from '../areas/calls/support.ts';
import { fileOf, knowledgeClient, put } from '../areas/knowledge/client.ts';
import { send } from '../support/client.ts';
import { onPostgres, postgresEngine } from '../support/engines.ts';
import { type ObjectStorage, startObjectStorage } from '../support/object-storage.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const key = 'a-key-of-our-own-choice';
const dataKey = Buffer.alloc(32, 7).toString('base64');

describe('two instances with one database and one bucket', { ...onPostgres, timeout: 360_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-instances-'));
  const engine = postgresEngine();
  let storage: ObjectStorage;
  let one: ServiceProcess;
  let other: ServiceProcess;
  let settings: Record<string, string>;

  /** Which instance a request to the storage comes from: their regions are part of what is signed. */
  const regions = { one: 'region-one', other: 'region-other', third: 'region-third' };
  const start = (name: keyof typeof regions, changed: Record<string, string> = {}) =>
    startProcess({ ...settings, MEDIA_DIR: join(folder, name), AWS_REGION: regions[name], ...changed });
  const isFrom = (headers: { readonly authorization?: string | undefined }, name: keyof typeof regions): boolean =>
    headers.authorization?.includes(`/${regions[name]}/`) ?? false;
  const problemsOf = async ({ url }: ServiceProcess) =>
    ((await (await fetch(`${url}/readyz`)).json()) as { problems: { setting: string; message: string }[] }).problems;

  before(async () => {
    storage = await startObjectStorage('voice/');
    const { endpoint, bucket, prefix, credentials } = storage.config;
    assert.ok('accessKeyId' in credentials);
    settings = {
      DATABASE_URL: await engine.newServiceUrl(),
      DATA_KEY: dataKey,
      BOOTSTRAP_API_KEY: key,
      MEDIA_URL: `s3://${bucket}/${prefix}`,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    one = await start('one');
    other = await start('other');
  });
  after(async () => {
    for (const process of [one, other]) await process?.end('SIGTERM');
    await storage?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serve the recordings of each other', async () => {
    for (const [recorder, server] of [
      [one, other],
      [other, one],
    ] as const) {
      const { client, caller, id } = await spokenCall(recorder, key, {
        agent: { agentSettings: { calls: { recordingEnabled: true } } },
      });
      await caller.say('hello', 'there');
      await client.said('hello there');
      client.send({ type: 'end' });
      await client.closed;
      const call = on(server, key, id);
      await eventually(async () => (await call.call()).recording.status === 'available');
      const { json } = await call.recording();
      const file = await fetch(`${server.url}${json.url}`);
      assert.equal(file.status, 200);
      const bytes = Buffer.from(await file.arrayBuffer());
      assert.equal(createHash('sha256').update(bytes).digest('hex'), json.sha256);
      assert.ok((await storage.keys()).includes(`voice/calls/${id}.wav`));
    }
    const spooled = () => Promise.all(['one', 'other'].map((name) => readdir(join(folder, name, 'pieces'))));
    await eventually(async () => (await spooled()).flat().length === 0, 'the upload of everything in the spools');
  });

  it('read the documents that the other one has received before it was lost', async () => {
    const text = '# Returns\n\nReturns are possible within 30 days.';
    // The receiver itself cannot read them: it can only write.
    storage.fault = ({ method, headers }) =>
      method === 'GET' && isFrom(headers, 'one') ? { status: 503, code: 'SlowDown' } : null;
    const client = knowledgeClient(one, key);
    const base = await client.base({ name: 'FAQ' });
    const made = await client.add(base.id, fileOf('returns.md', text));
    assert.equal((await put(one, made, text)).status, 200);
    await one.end('SIGKILL');
    const document = await knowledgeClient(other, key).settled(base.id, made.id);
    assert.equal(document.status, 'ready', JSON.stringify(document.error));
    storage.fault = () => null;
    one = await start('one');
  });

  it('notice an instance with another MEDIA_URL, which says so itself', async () => {
    const third = await start('third', { MEDIA_URL: 's3://recordings/elsewhere' });
    const problems = await eventually(async () => {
      const found = (await problemsOf(third)).filter(({ setting }) => setting === 'MEDIA_URL');
      return found.length > 0 && found;
    });
    assert.match(
      problems[0]?.message ?? '',
      /in the bucket s3:\/\/recordings\/elsewhere, and other instances .* in the bucket s3:\/\/recordings\/voice, so/,
    );
    // Log lines are written in batches, up to a tenth of a second later.
    await eventually(
      () => /"level":"warn".*other instances on this database have another MEDIA_URL/.test(third.output()),
      'the warning in the log',
    );
    // It serves everything else, and those that agree are not affected.
    assert.equal((await send(third, 'GET', '/api/v1/whoami', { key })).status, 200);
    for (const process of [one, other]) {
      assert.deepEqual(await problemsOf(process), []);
      assert.doesNotMatch(process.output(), /another MEDIA_URL/);
    }
    assert.equal((await third.end('SIGTERM')).code, 0);
  });

  it('refuse an instance with another DATA_KEY, which does not start', async () => {
    const wrong = { DATA_KEY: Buffer.alloc(32, 8).toString('base64') };
    await assert.rejects(start('third', wrong), /DATA_KEY is not the key that this database was used with/);
  });

  it('go on with what was in the spool of an instance that was killed, once it is back', async () => {
    // The bucket is away, so that recordings wait.
    storage.fault = ({ method }) => (method === 'PUT' || method === 'POST' ? { status: 503, code: 'SlowDown' } : null);
    const { client, caller, id } = await spokenCall(one, key, {
      agent: { agentSettings: { calls: { recordingEnabled: true } } },
    });
    await caller.say('hello');
    await client.said('hello');
    client.send({ type: 'end' });
    await client.closed;
    const call = on(other, key, id);
    await eventually(async () => (await call.call()).recording.status === 'processing');
    await one.end('SIGKILL');
    storage.fault = () => null;
    one = await start('one');
    await eventually(async () => (await call.call()).recording.status === 'available');
  });
});
