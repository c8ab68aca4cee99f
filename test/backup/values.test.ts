import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import { type Batch, openBackup, writeBackup } from '../../src/backup/format.ts';
import { MediaNotEmptyError } from '../../src/backup/media.ts';
import { createMediaStore } from '../../src/storage/media.ts';
import { onEachEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';
import { backUpToBytes, inPieces, restoreBytes } from './support.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-media-'));
  folders.push(folder);
  return folder;
};
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
};
const bytesOf = async (content: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await all(content));

describe('the format of a backup', () => {
  it('preserves floats and bytes', async () => {
    const table = { name: 'settings', key: ['name'], columns: ['name', 'value'] };
    const rows = [0.1, -1.5e-9, 1e300, 2 ** 53 - 1, 'text', null, Buffer.from([0, 255, 10, 13])].map((value, index) => [
      `row ${index}`,
      value,
    ]);
    const target = new PassThrough();
    const chunks = bytesOf(target);
    const batches = async function* (): AsyncGenerator<Batch> {
      yield { table, rows };
    };
    const head = { createdAt: '2026-11-16T00:00:00.000Z', engine: 'sqlite', schema: 1, service: 'test' } as const;
    await writeBackup(head, batches(), target);
    const read: unknown[] = [];
    await (await openBackup(inPieces(await chunks))).read(2, async (batch) => void read.push(...batch.rows));
    assert.deepEqual(read, rows);
  });
});

onEachEngine('a database', (engine) => {
  const service = useService(engine);

  it('stores floats and bytes unchanged', async () => {
    const { floatType, bytesType, integerType } = service.database.dialect;
    await service.database.run(`CREATE TABLE measured (id ${integerType}, share ${floatType}, content ${bytesType})`);
    const bytes = Buffer.from([0, 1, 255, 0]);
    const insert = 'INSERT INTO measured (id, share, content) VALUES ($1, $2, $3)';
    for (const [id, share] of [0.1, 3, -2.5e-300].entries()) await service.database.run(insert, [id, share, bytes]);
    const rows = await service.database.all<{ share: number; content: Uint8Array }>(
      'SELECT share, content FROM measured ORDER BY id',
    );
    assert.deepEqual(
      rows.map(({ share }) => share),
      [0.1, 3, -2.5e-300],
    );
    for (const { content } of rows) assert.deepEqual(Buffer.from(content), bytes);
  });

  it('is backed up with its media files, in chunks, and restored with them', async () => {
    const source = createMediaStore(newFolder());
    const long = Buffer.alloc(700_000, 'abc');
    await source.write('calls/long.wav', inPieces(long));
    await source.write('calls/empty.wav', inPieces(Buffer.alloc(0)));
    const { bytes } = await backUpToBytes(service.databaseUrl, source);
    const folder = newFolder();
    await restoreBytes(await engine.newDatabaseUrl(), bytes, false, folder);
    const restored = createMediaStore(folder);
    assert.deepEqual(await bytesOf(restored.read('calls/long.wav')), long);
    assert.deepEqual((await all(restored.list())).map(({ name }) => name).sort(), [
      'calls/empty.wav',
      'calls/long.wav',
    ]);
    // Existing files are not replaced unless requested.
    await assert.rejects(restoreBytes(await engine.newDatabaseUrl(), bytes, false, folder), MediaNotEmptyError);
    await restored.write('calls/other.wav', inPieces(Buffer.from('x')));
    await restoreBytes(await engine.newDatabaseUrl(), bytes, true, folder);
    assert.equal(await restored.find('calls/other.wav'), null);
    assert.equal((await restored.find('calls/long.wav'))?.bytes, long.length);
  });

  it('keeps no media file if a restore fails', async () => {
    const source = createMediaStore(newFolder());
    await source.write('a.wav', inPieces(Buffer.alloc(10_000, 'x')));
    const { bytes } = await backUpToBytes(service.databaseUrl, source);
    const parent = newFolder();
    const cut = bytes.subarray(0, bytes.length - 10);
    await assert.rejects(restoreBytes(await engine.newDatabaseUrl(), cut, false, join(parent, 'media')));
    assert.deepEqual(readdirSync(parent), []);
    assert.ok(!existsSync(join(parent, 'media')));
  });
});

describe('a media store', () => {
  it('rejects names outside of its folder', async () => {
    const store = createMediaStore(newFolder());
    for (const name of ['../x', '/etc/passwd', 'a/../b', '', '.hidden', 'a//b', 'x\u0000', 'x'.repeat(256)]) {
      await assert.rejects(store.write(name, inPieces(Buffer.from('x'))), TypeError, name);
      await assert.rejects(async () => store.find(name), TypeError, name);
    }
  });

  it('shows no file before it is complete', async () => {
    const store = createMediaStore(newFolder());
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('half');
      assert.deepEqual(await all(store.list()), []);
      throw new Error('the call ended');
    };
    await assert.rejects(store.write('calls/a.wav', failing()), /the call ended/);
    assert.equal(await store.find('calls/a.wav'), null);
    assert.deepEqual(await all(store.list()), []);
  });
});
