import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BucketConfig } from '../../src/config-media.ts';
import { createMediaStore, type MediaStore } from '../../src/storage/media.ts';
import { createMediaBucket } from '../../src/storage/s3/bucket.ts';
import { createS3Client, type S3Client } from '../../src/storage/s3/client.ts';
import { elementsIn } from '../../src/storage/s3/xml.ts';
import { startSwift, withSwift } from '../support/swift.ts';

/** What s3rver cannot do: it compares no signatures and hashes, and neither lists nor aborts uploads. */
describe('media files in OpenStack Swift', withSwift, () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-swift-files-'));
  const spool = createMediaStore(join(folder, 'spool'));
  const path = join(folder, 'recording.wav');
  // Two parts, and a last one that is shorter than S3 allows for others.
  const content = randomBytes(11 * 1024 ** 2);
  let swift: Awaited<ReturnType<typeof startSwift>>;
  let store: MediaStore;
  let client: S3Client;
  const closing: (() => Promise<void>)[] = [];
  const open = (config: BucketConfig): MediaStore => {
    const opened = createMediaBucket(config, { spool, settings: { retryDelaysMs: [] } });
    closing.push(opened.close);
    return opened.store;
  };
  before(async () => {
    writeFileSync(path, content);
    swift = await startSwift();
    store = open(swift.config);
    client = createS3Client(swift.config);
    closing.push(client.close);
  });
  after(async () => {
    for (const close of closing) await close();
    await swift?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const uploads = async (): Promise<number> =>
    elementsIn((await client.text({ method: 'GET', key: '', query: { uploads: '' } })).text, 'Upload').length;
  const contentOf = async (range?: { start: number; end: number }): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of store.read('calls/one.wav', range)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it('are sent in parts with signatures that it accepts, and read, listed and removed', async () => {
    await store.checkWritable();
    await store.writeFile('calls/one.wav', path);
    assert.deepEqual(await store.find('calls/one.wav'), { name: 'calls/one.wav', bytes: content.length });
    assert.ok(content.equals(await contentOf()));
    assert.ok(content.subarray(7, 9).equals(await contentOf({ start: 7, end: 8 })));
    await store.write('calls/two.wav', [Buffer.from('RIFF')] as never);
    const names: string[] = [];
    for await (const { name } of store.list()) names.push(name);
    assert.deepEqual(names.sort(), ['calls/one.wav', 'calls/two.wav']);
    assert.equal((await store.filesIn('calls')).length, 2);
    await store.removeFolder('calls');
    assert.equal(await store.find('calls/one.wav'), null);
  });

  it('can be downloaded by a link, and not by one that was changed', async () => {
    await store.write('calls/link.wav', [Buffer.from('RIFF')] as never);
    const link = { type: 'audio/wav', method: 'GET', expiresInMs: 60_000 } as const;
    const url = (await store.link('calls/link.wav', link)) as string;
    const response = await fetch(url);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'audio/wav']);
    for (const other of [url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'), url.split('?')[0] as string]) {
      const { status } = await fetch(other);
      assert.ok([400, 403].includes(status), String(status));
    }
    await store.remove('calls/link.wav');
  });

  it('leave no upload behind that was never completed', async () => {
    const key = `${swift.config.prefix}calls/lost.wav`;
    for (let count = 0; count < 2; count += 1) await client.text({ method: 'POST', key, query: { uploads: '' } });
    assert.equal(await uploads(), 2);
    await store.writeFile('calls/lost.wav', path);
    assert.equal(await uploads(), 0);
    await client.text({ method: 'POST', key, query: { uploads: '' } });
    await store.remove('calls/lost.wav');
    assert.equal(await uploads(), 0);
    assert.equal(await store.find('calls/lost.wav'), null);
  });

  it('are refused with a reason in words', async () => {
    const wrong = { accessKeyId: 'voice:agents', secretAccessKey: 'wrong', sessionToken: null };
    await assert.rejects(open({ ...swift.config, credentials: wrong }).checkWritable(), /SignatureDoesNotMatch|403/);
    await assert.rejects(open({ ...swift.config, bucket: 'elsewhere' }).checkWritable(), /the bucket does not exist/);
  });
});
