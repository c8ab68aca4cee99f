import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { defineArea, type Kernel } from '../../src/areas/area.ts';
import type { ReceivedFile, UploadGrant } from '../../src/http/media.ts';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a file that is sent to a signed URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-uploads-'));
  let service: Service;
  let kernel: Kernel;
  const expected = new Set<string>();
  const received = new Map<string, ReceivedFile>();
  before(async () => {
    const contract = { tag: { name: 'Uploads', description: '' }, idPrefixes: [], scopes: {}, operations: [] };
    service = await startService(sqliteEngine(), {
      mediaFolder: folder,
      otherAreas: (given) => {
        kernel = given;
        const accept = async (id: string) =>
          expected.has(id) ? `documents/${id}-${randomBytes(4).toString('hex')}` : null;
        const onReceived = async (id: string, file: ReceivedFile) => {
          if (!expected.delete(id)) return null;
          received.set(id, file);
          return { id, sizeBytes: file.bytes };
        };
        return [defineArea(contract, { handlers: {}, uploads: { documents: { accept, received: onReceived } } })];
      },
    });
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const grant = (id: string, content: Buffer, fields: Partial<UploadGrant> = {}): string => {
    expected.add(id);
    const defaults = { receiver: 'documents', id, bytes: content.length, sha256: null, expiresAt: Date.now() + 60_000 };
    return kernel.mediaUrls.signUpload({ ...defaults, ...fields });
  };
  const put = async (path: string, body: Buffer | ReadableStream): Promise<{ status: number; text: string }> => {
    const response = await fetch(service.url + path, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    return { status: response.status, text: await response.text() };
  };
  const storedOf = async (id: string): Promise<Buffer> => {
    const { name } = received.get(id) as ReceivedFile;
    return buffer(kernel.media.read(name) as Readable);
  };
  const filesOf = (id: string) =>
    readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(`${id}-`));

  it('is stored as it is, and reported to its area once', async () => {
    const content = randomBytes(3_000_000);
    const path = grant('large', content, { sha256: sha256(content) });
    assert.deepEqual(await put(path, content), { status: 200, text: '{"id":"large","sizeBytes":3000000}' });
    assert.deepEqual(await storedOf('large'), content);
    assert.equal(received.get('large')?.sha256, sha256(content));
    assert.equal((await put(path, content)).status, 404);
    assert.equal(filesOf('large').length, 1);
  });

  it('may be sent without its length', async () => {
    const content = Buffer.from('名前を教えてください。'.repeat(10_000));
    assert.equal((await put(grant('streamed', content), new Blob([content]).stream())).status, 200);
    assert.deepEqual(await storedOf('streamed'), content);
  });

  it('is refused with another size or digest, leaves nothing behind, and may be sent again', async () => {
    const content = randomBytes(100_000);
    const path = grant('wrong', content, { sha256: sha256(content) });
    const problems: [Buffer | ReadableStream, RegExp][] = [
      [content.subarray(1), /the file must have 100000 bytes/],
      [Buffer.concat([content, content]), /the file must have 100000 bytes/],
      [new Blob([content.subarray(1)]).stream(), /the file must have 100000 bytes/],
      [new Blob([content, content]).stream(), /the file must have 100000 bytes/],
      [randomBytes(100_000), /the SHA-256 digest of the file does not match/],
      [Buffer.alloc(0), /the file must have 100000 bytes/],
    ];
    for (const [body, message] of problems) {
      const { status, text } = await put(path, body);
      assert.equal(status, 400, text);
      assert.match(text, message);
    }
    assert.deepEqual(filesOf('wrong'), []);
    assert.equal((await put(path, content)).status, 200);
  });

  it('is refused with a URL that is expired, changed, for downloads, or of something that nobody expects', async () => {
    const content = Buffer.from('x');
    const expired = grant('refused', content, { expiresAt: Date.now() - 1 });
    const unknown = grant('refused', content, { receiver: 'others' });
    const download = kernel.mediaUrls.sign({ name: 'upload', type: 'documents', expiresAt: Date.now() + 60_000 });
    const path = grant('refused', content);
    for (const each of [expired, unknown, download, `${path}x`]) assert.equal((await put(each, content)).status, 404);
    assert.equal((await fetch(service.url + path)).status, 404, 'it allows no download');
    expected.delete('refused');
    assert.equal((await put(path, content)).status, 404);
    assert.deepEqual(filesOf('refused'), []);
  });

  it('is stored once if it is sent twice at the same time', async () => {
    const content = randomBytes(500_000);
    const path = grant('twice', content);
    const statuses = (await Promise.all([put(path, content), put(path, content)])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 404]);
    assert.equal(filesOf('twice').length, 1);
    assert.deepEqual(await storedOf('twice'), content);
  });

  it('leaves nothing behind if the connection breaks', async () => {
    const path = grant('broken', Buffer.alloc(1_000_000));
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `PUT ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: broken-upload\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(200_000)}`,
    );
    while (filesOf('broken').length === 0) await delay(5);
    const closed = once(socket, 'close');
    socket.resetAndDestroy();
    await closed;
    while (filesOf('broken').length > 0) await delay(5);
    assert.ok(expected.has('broken'));
    await eventually(() =>
      service.log.some(({ requestId, status }) => requestId === 'broken-upload' && status === 400),
    );
  });
});
