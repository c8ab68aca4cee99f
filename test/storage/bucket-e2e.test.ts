import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { BucketConfig } from '../../src/config-media.ts';
import { createMediaStore, type MediaStore } from '../../src/storage/media.ts';
import { createMediaChecks } from '../../src/storage/media-check.ts';
import { createMediaBucket } from '../../src/storage/s3/bucket.ts';
import { type Fault, type ObjectStorage, startObjectStorage } from '../support/object-storage.ts';

const partBytes = 64 * 1024;

describe('media files in a bucket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-bucket-'));
  const spool = createMediaStore(join(folder, 'spool'));
  const settings = { retryDelaysMs: [1, 1, 1] };
  let storage: ObjectStorage;
  let store: MediaStore;
  const closing: (() => Promise<void>)[] = [];
  const open = (config: BucketConfig): MediaStore => {
    const opened = createMediaBucket(config, { spool, settings, partBytes });
    closing.push(opened.close);
    return opened.store;
  };
  before(async () => {
    storage = await startObjectStorage('voice/agents/');
    store = open(storage.config);
  });
  beforeEach(() => {
    storage.fault = () => null;
    storage.requests.length = 0;
  });
  after(async () => {
    for (const close of closing) await close();
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const contentOf = async (name: string, range?: { start: number; end: number }): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of store.read(name, range)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const file = (bytes: number): { path: string; content: Buffer } => {
    const content = randomBytes(bytes);
    const path = join(folder, `file-${bytes}`);
    writeFileSync(path, content);
    return { path, content };
  };
  /** Each of the first requests that match gets the fault. */
  const failing = (times: number, fault: Fault, matches: (request: { method: string; url: URL }) => boolean): void => {
    let left = times;
    storage.fault = (request) => {
      if (left === 0 || !matches(request)) return null;
      left -= 1;
      return fault;
    };
  };
  const isPart = ({ method, url }: { method: string; url: URL }) =>
    method === 'PUT' && url.searchParams.has('partNumber');

  it('are written, found, read in parts, listed and removed under the prefix', async () => {
    for (const bytes of [0, 1, partBytes, 3 * partBytes + 5]) {
      const { path, content } = file(bytes);
      const name = `calls/call_${bytes}.wav`;
      await store.writeFile(name, path);
      assert.deepEqual(await store.find(name), { name, bytes });
      assert.ok(content.equals(await contentOf(name)));
      if (bytes > 10) assert.ok(content.subarray(5, 10).equals(await contentOf(name, { start: 5, end: 9 })));
    }
    assert.equal(storage.requests.filter((request) => request === 'PUT part').length, 4);
    const listed: { name: string }[] = [];
    for await (const one of store.list()) listed.push(one);
    assert.deepEqual(
      listed.map(({ name }) => name).sort(),
      (await storage.keys()).map((key) => key.slice(13)),
    );
    assert.equal(listed.length, 4);
    assert.equal((await store.filesIn('calls')).length, 4);
    await store.remove('calls/call_1.wav');
    await store.remove('calls/call_1.wav');
    assert.equal(await store.find('calls/call_1.wav'), null);
    await store.removeFolder('calls');
    assert.deepEqual(await storage.keys(), []);
  });

  it('can be sent from a stream and used as a local file, which is gone afterwards', async () => {
    const content = randomBytes(2 * partBytes);
    await store.write('knowledge/doc/1', [content] as never);
    const path = await store.withLocal('knowledge/doc/1', async (local) => {
      assert.deepEqual(await readdir(join(folder, 'spool', 'transfers')), [local.split('/').at(-1)]);
      return local;
    });
    assert.match(path, /transfers/);
    assert.deepEqual(await readdir(join(folder, 'spool', 'transfers')), []);
    const broken = (async function* () {
      yield content;
      throw new Error('the sender is gone');
    })();
    await assert.rejects(store.write('knowledge/doc/2', broken), /the sender is gone/);
    assert.equal(await store.find('knowledge/doc/2'), null);
    await store.remove('knowledge/doc/1');
  });

  const faults: [string, Fault][] = [
    ['an internal error', { status: 500, code: 'InternalError' }],
    ['SlowDown', { status: 503, code: 'SlowDown' }],
    ['a connection that breaks in the middle of a part', 'reset'],
    ['a response that breaks', 'truncated'],
  ];
  for (const [name, fault] of faults) {
    it(`are written and read completely in spite of ${name}`, async () => {
      const { path, content } = file(4 * partBytes + 1);
      failing(2, fault, isPart);
      await store.writeFile('calls/fault.wav', path);
      failing(2, fault, ({ method, url }) => method === 'POST' && url.searchParams.has('uploadId'));
      if (fault !== 'truncated') await store.writeFile('calls/fault.wav', path);
      failing(2, fault, ({ method }) => method === 'GET');
      assert.ok(content.equals(await contentOf('calls/fault.wav')));
      await store.remove('calls/fault.wav');
    });
  }

  it('are not there if an upload does not succeed, and the upload is given up', async () => {
    const { path } = file(2 * partBytes);
    failing(Number.POSITIVE_INFINITY, { status: 503, code: 'SlowDown' }, isPart);
    await assert.rejects(store.writeFile('calls/never.wav', path), /it is overloaded \(503 SlowDown\)/);
    assert.equal(storage.requests.filter((request) => request === 'PUT part').length, 4);
    assert.equal(storage.requests.at(-1), 'DELETE');
    assert.equal(await store.find('calls/never.wav'), null);
  });

  for (const [name, matches] of [
    ['it looks for earlier uploads', ({ method }) => method === 'GET'],
    ['it sends a part', isPart],
  ] as [string, typeof isPart][]) {
    it(`are given up at once by an abort while the storage does not answer and ${name}`, async () => {
      const { path } = file(2 * partBytes);
      const controller = new AbortController();
      storage.fault = (request) => {
        if (!matches(request)) return null;
        setImmediate(() => controller.abort(new Error('no time left')));
        return 'silent';
      };
      await assert.rejects(store.writeFile('calls/silent.wav', path, controller.signal), /no time left/);
    });
  }

  it('are uploaded in parts by credentials that may not list uploads, and the check says what is missing', async () => {
    const { path, content } = file(2 * partBytes);
    // s3rver can neither list nor abort them.
    assert.match(String(await store.checkUploads()), /501 NotImplemented/);
    const isList = ({ method, url }: { method: string; url: URL }) =>
      method === 'GET' && url.searchParams.has('uploads');
    const none = { status: 200, code: 'none' };
    storage.fault = (request) => (isList(request) || request.method === 'DELETE' ? none : null);
    assert.equal(await store.checkUploads(), null);
    const refused = { status: 403, code: 'AccessDenied' };
    storage.fault = (request) => (isList(request) ? refused : null);
    await store.writeFile('calls/refused.wav', path);
    assert.ok(content.equals(await contentOf('calls/refused.wav')));
    await store.remove('calls/refused.wav');
    assert.match(String(await store.checkUploads()), /the credentials do not allow it \(403 AccessDenied\)/);
    storage.fault = ({ method, url }) => (method === 'POST' && url.searchParams.has('uploads') ? refused : null);
    await assert.rejects(store.checkUploads(), /403 AccessDenied/);
    assert.deepEqual(await storage.keys(), []);
  });

  it('are complete if the response that completes the upload was lost', async () => {
    const { path, content } = file(2 * partBytes);
    let completions = 0;
    storage.fault = ({ method, url }) => {
      if (method !== 'POST' || !url.searchParams.has('uploadId')) return null;
      completions += 1;
      return completions === 1 ? 'truncated' : { status: 404, code: 'NoSuchUpload' };
    };
    await store.writeFile('calls/complete.wav', path);
    assert.equal(completions, 2);
    assert.ok(content.equals(await contentOf('calls/complete.wav')));
    await store.remove('calls/complete.wav');
  });

  it('wait for credentials that were renewed in their file', async () => {
    await mkdir(folder, { recursive: true });
    const credentials = join(folder, 'credentials');
    // s3rver compares no signatures of version 4, only access keys.
    const profile = (accessKey: string) =>
      `[other]\naws_access_key_id = x\n\n[voice]\naws_access_key_id = ${accessKey}\naws_secret_access_key = S3RVER\n`;
    await writeFile(credentials, profile('EXPIRED'));
    const other = open({ ...storage.config, credentials: { file: credentials, profile: 'voice' } });
    await assert.rejects(other.find('calls/x.wav'), /the credentials do not allow it/);
    await writeFile(credentials, profile('S3RVER'));
    assert.equal(await other.find('calls/x.wav'), null);
    const missing = open({ ...storage.config, credentials: { file: join(folder, 'none'), profile: 'voice' } });
    await assert.rejects(missing.find('calls/x.wav'), /credentials file .+none cannot be read \(ENOENT\)/);
  });

  it('can be downloaded by anyone who has a link, until it expires', async () => {
    const links = open({ ...storage.config, hasLinks: true });
    await links.write('calls/link.wav', [Buffer.from('RIFF')] as never);
    const link = { type: 'audio/wav', method: 'GET', expiresInMs: 60_000 } as const;
    const url = (await links.link('calls/link.wav', link)) as string;
    const response = await fetch(url, { headers: { range: 'bytes=1-2' } });
    assert.deepEqual([response.status, response.headers.get('content-type')], [206, 'audio/wav']);
    assert.equal(await response.text(), 'IF');
    assert.match(url, /X-Amz-Expires=60&/);
    assert.equal(await store.link('calls/link.wav', link), null);
    await links.remove('calls/link.wav');
  });

  it('have a check that says in words what is wrong, and leaves nothing behind', async () => {
    const problems = (other: MediaStore) => createMediaChecks(other, spool, { timeoutMs: 30_000 })();
    assert.deepEqual(await problems(store), []);
    assert.deepEqual(await storage.keys(), []);
    const [missing, ...rest] = await problems(open({ ...storage.config, bucket: 'elsewhere' }));
    assert.deepEqual(rest, []);
    assert.deepEqual([missing?.setting, missing?.place], ['MEDIA_URL', 'the bucket s3://elsewhere/voice/agents']);
    assert.equal(
      missing?.message,
      'The bucket s3://elsewhere/voice/agents cannot be written (the bucket does not exist (404 NoSuchBucket)), so recordings wait in MEDIA_DIR until it can be.',
    );
    const [refused] = await problems(open({ ...storage.config, endpoint: 'http://127.0.0.1:1' }));
    assert.match(refused?.reason ?? '', /ECONNREFUSED/);
  });
});
