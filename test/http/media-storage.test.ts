import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { defineArea, type Kernel } from '../../src/areas/area.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Fault, type ObjectStorage, startObjectStorage } from '../support/object-storage.ts';
import { type Service, startService } from '../support/service.ts';

describe('media files whose storage is away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-away-'));
  const contract = { tag: { name: 'Uploads', description: '' }, idPrefixes: [], scopes: {}, operations: [] };
  let storage: ObjectStorage;
  let service: Service;
  let kernel: Kernel;
  before(async () => {
    storage = await startObjectStorage();
    service = await startService(sqliteEngine(), {
      mediaFolder: folder,
      mediaBucket: storage.config,
      otherAreas: (given) => {
        kernel = given;
        const receiver = { accept: async (id: string) => `documents/${id}`, received: async () => ({}) };
        return [defineArea(contract, { handlers: {}, uploads: { documents: receiver } })];
      },
    });
  });
  beforeEach(() => {
    storage.fault = () => null;
  });
  after(async () => {
    await service?.close();
    await storage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const expiresAt = Date.now() + 3_600_000;
  const download = async () => {
    const path = kernel.mediaUrls.sign({ name: 'calls/call_1.wav', type: 'audio/wav', expiresAt });
    return responseOf(await fetch(service.url + path));
  };
  const upload = async () => {
    const grant = { receiver: 'documents', id: 'one', bytes: 3, sha256: null, expiresAt };
    return responseOf(await fetch(service.url + kernel.mediaUrls.signUpload(grant), { method: 'PUT', body: 'abc' }));
  };
  const responseOf = async (response: Response) => ({
    status: response.status,
    code: ((await response.json()) as { error?: { code: string } }).error?.code,
    retryAfter: response.headers.get('retry-after'),
  });
  const unavailable = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '1' };

  const faults: [string, Fault][] = [
    ['refuses the credentials', { status: 403, code: 'AccessDenied' }],
    ['is overloaded', { status: 503, code: 'SlowDown' }],
    ['breaks connections', 'reset'],
  ];
  for (const [name, fault] of faults) {
    it(`get 503 with Retry-After if the bucket ${name}`, async () => {
      storage.fault = () => fault;
      assert.deepEqual(await download(), unavailable);
      assert.deepEqual(await upload(), unavailable);
    });
  }

  it('get 503 if the bucket does not answer, and not only after all of its attempts', async () => {
    storage.fault = () => 'silent';
    const asked = storage.requests.length;
    assert.deepEqual(await download(), unavailable);
    assert.equal(storage.requests.length, asked + 1);
  });

  it('get 503 if the spool cannot be written', async () => {
    await rm(join(folder, 'transfers'), { recursive: true, force: true });
    await writeFile(join(folder, 'transfers'), 'not a folder');
    assert.deepEqual(await upload(), unavailable);
    await rm(join(folder, 'transfers'));
  });

  it('are found again when the storage is back', async () => {
    assert.equal((await download()).status, 404);
    assert.equal((await upload()).status, 200);
  });
});
