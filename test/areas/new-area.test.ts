import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { WebSocket } from 'ws';
import type { Kernel } from '../../src/areas/area.ts';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import { send, walkPages } from '../support/client.ts';
import { onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { createNotes } from './notes/area.ts';
import { type Note, notesContract } from './notes/contract.ts';
import { notesMigration } from './notes/migration.ts';

const path = '/api/v1/notes';

/** The area in `notes/`, which the service gets through one line: `otherAreas`. */
onEachEngine('a new area', (engine) => {
  let service: Service;
  let kernel: Kernel;
  let key: string;
  let sent: string[] = [];
  let answerOfOtherSystem: (note: Note, signal: AbortSignal) => Promise<number> = async () => 1;
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-media-'));

  before(async () => {
    service = await startService(engine, {
      mediaFolder,
      otherAreas: (given) => {
        kernel = given;
        return [
          createNotes(given, {
            send: (note, signal) => {
              sent.push(note.id);
              return answerOfOtherSystem(note, signal);
            },
          }),
        ];
      },
    });
    for (const statement of notesMigration.statements(service.database.dialect)) await service.database.run(statement);
    key = (await service.newKey()).key;
  });
  after(async () => {
    await service.close();
    rmSync(mediaFolder, { recursive: true });
  });

  const create = async (body: object): Promise<Note> => {
    const { status, json, text } = await send(service, 'POST', path, { key, body });
    assert.equal(status, 201, text);
    return json;
  };
  const auditOf = async (resourceId: string): Promise<string[]> => {
    const { json } = await send(service, 'GET', `/api/v1/audit-log?resourceId=${resourceId}`, { key });
    return json.items.map(({ routeId }: { routeId: string }) => routeId);
  };

  it('has its operations in OpenAPI, with its tag and the media types of its responses', () => {
    const document = buildOpenApi([notesContract]) as never as {
      tags: unknown[];
      paths: Record<string, Record<string, { tags: string[]; responses: Record<string, { content: object }> }>>;
    };
    assert.deepEqual(document.tags, [notesContract.tag]);
    assert.deepEqual(document.paths['/api/v1/notes/{id}']?.put?.tags, ['Notes']);
    assert.deepEqual(Object.keys(document.paths['/api/v1/notes/{id}/text']?.get?.responses['200']?.content ?? {}), [
      'text/plain; charset=utf-8',
    ]);
  });

  it('changes by PUT, with an audit entry for each change', async () => {
    const { id } = await create({ text: 'milk' });
    const { status, json } = await send(service, 'PUT', `${path}/${id}`, {
      key,
      body: { text: 'bread', weight: 0.25 },
    });
    assert.deepEqual([status, json.text, json.weight, json.colour], [200, 'bread', 0.25, 'white']);
    assert.deepEqual(await auditOf(id), ['notes.replace', 'notes.create']);
    const missing = await send(service, 'PUT', `${path}/nte_missing`, { key, body: { text: 'x' } });
    assert.equal(missing.status, 404);
  });

  it('reads by POST without a transaction, an audit entry or a saved response', async () => {
    const { workspaceId, key: own } = await service.newKey();
    await send(service, 'POST', path, { key: own, body: { text: 'tea' } });
    const headers = { 'idempotency-key': 'same' };
    for (const found of [1, 2]) {
      const answer = await send(service, 'POST', `${path}/search`, { key: own, body: { text: 'tea' }, headers });
      assert.deepEqual([answer.status, answer.json], [200, { found }]);
      assert.equal(answer.headers.get('idempotent-replayed'), null);
      await send(service, 'POST', path, { key: own, body: { text: 'more tea' } });
    }
    const entries = await service.database.all('SELECT id FROM audit_log WHERE workspace_id = $1', [workspaceId]);
    assert.equal(entries.length, 3);
  });

  it('lists with several filters, all of which the cursor carries', async () => {
    const { key: own } = await service.newKey();
    for (let weight = 1; weight <= 6; weight += 1) {
      for (const colour of ['red', 'blue'])
        await send(service, 'POST', path, { key: own, body: { text: 'x', colour, weight } });
    }
    const first = await send(service, 'GET', `${path}?limit=2&colour=red&minWeight=3`, { key: own });
    const cursor = encodeURIComponent(first.json.pagination.nextCursor);
    const weights: number[] = first.json.items.map(({ weight }: Note) => weight);
    const rest = await send(service, 'GET', `${path}?limit=5&cursor=${cursor}`, { key: own });
    assert.deepEqual([...weights, ...rest.json.items.map(({ weight }: Note) => weight)], [6, 5, 4, 3]);
    assert.ok(rest.json.items.every(({ colour }: Note) => colour === 'red'));
    assert.match(first.headers.get('link') ?? '', /^<\/api\/v1\/notes\?limit=2&cursor=/);
    const same = await send(service, 'GET', `${path}?limit=5&colour=red&cursor=${cursor}`, { key: own });
    assert.deepEqual(same.json, rest.json);
    for (const other of ['colour=blue', 'minWeight=4', 'colour=red&minWeight=1']) {
      const answer = await send(service, 'GET', `${path}?limit=5&${other}&cursor=${cursor}`, { key: own });
      assert.equal(answer.status, 400);
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['cursor']);
    }
    const pages = await walkPages<Note>(service, own, path, { limit: '3', colour: 'blue' });
    assert.equal(pages.flat().length, 6);
  });

  it('sends a stream of any length, and only the headers for HEAD', async () => {
    const text = '長い文章。'.repeat(20_000);
    const { id } = await create({ text });
    const response = await fetch(`${service.url}${path}/${id}/text`, { headers: { 'x-api-key': key } });
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(await response.text(), text);
    const head = await fetch(`${service.url}${path}/${id}/text`, { method: 'HEAD', headers: { 'x-api-key': key } });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  it('performs an action outside any transaction, once per Idempotency-Key, and records it', async () => {
    const { id } = await create({ text: 'ring the bell' });
    sent = [];
    let release = (): void => {};
    answerOfOtherSystem = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return 3;
    };
    const ask = () =>
      send(service, 'POST', `${path}/${id}/send`, { key, headers: { 'idempotency-key': `send ${id}` } });
    const first = ask();
    await eventually(() => sent.length > 0, 'the action');
    // While the other system is slow, others can write, and a repeat is not performed again.
    await create({ text: 'meanwhile' });
    const early = await ask();
    assert.deepEqual([early.status, early.json.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    release();
    assert.deepEqual((await first).json, { id, times: 3 });
    const repeat = await ask();
    assert.deepEqual([repeat.json, repeat.headers.get('idempotent-replayed')], [{ id, times: 3 }, 'true']);
    assert.deepEqual(sent, [id]);
    assert.deepEqual(await auditOf(id), ['notes.send', 'notes.create']);
  });

  it('can repeat a failed action immediately and with the same key', async () => {
    const { id } = await create({ text: 'fails' });
    const ask = () =>
      send(service, 'POST', `${path}/${id}/send`, { key, headers: { 'idempotency-key': `fail ${id}` } });
    answerOfOtherSystem = async () => {
      throw new Error('the other system is down');
    };
    assert.equal((await ask()).status, 500);
    answerOfOtherSystem = async () => 1;
    assert.deepEqual((await ask()).json, { id, times: 1 });
    assert.deepEqual(await auditOf(id), ['notes.send', 'notes.create']);
  });

  it('rejects an action that another instance is performing under the same key', async () => {
    const { id } = await create({ text: 'elsewhere' });
    const other = await startService(engine, {
      databaseUrl: service.databaseUrl,
      otherAreas: (given) => [createNotes(given, { send: async () => 2 })],
    });
    let release = (): void => {};
    sent = [];
    answerOfOtherSystem = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return 1;
    };
    const headers = { 'idempotency-key': `both ${id}` };
    const first = send(service, 'POST', `${path}/${id}/send`, { key, headers });
    await eventually(() => sent.length > 0, 'the action');
    assert.equal((await send(other, 'POST', `${path}/${id}/send`, { key, headers })).status, 409);
    release();
    assert.deepEqual((await first).json, { id, times: 1 });
    assert.deepEqual((await send(other, 'POST', `${path}/${id}/send`, { key, headers })).json, { id, times: 1 });
    await other.close();
  });

  it('aborts the signal of an action when the connection of its client breaks', async () => {
    const { id } = await create({ text: 'gone' });
    const aborted = new Promise<void>((resolve) => {
      answerOfOtherSystem = (_note, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            resolve();
            reject(new Error('the client is gone'));
          });
        });
    });
    sent = [];
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`POST ${path}/${id}/send HTTP/1.1\r\nx-api-key: ${key}\r\ncontent-length: 0\r\n\r\n`);
    await eventually(() => sent.length > 0, 'the action');
    socket.resetAndDestroy();
    await aborted;
  });

  it('exposes its metrics at /metrics', async () => {
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /^notes_test 7$/m);
  });

  it('opens a WebSocket for accepted clients, and logs it like any request', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/live/v1/notes/7`, ['notes.v1', 'token.good']);
    await once(socket, 'open');
    assert.equal(socket.protocol, 'notes.v1');
    socket.send('hello');
    const [data] = await once(socket, 'message');
    assert.equal(String(data), '7: hello');
    socket.close();
    await once(socket, 'close');
    const line = service.log.find(({ route }) => route === 'notes.live');
    assert.deepEqual([line?.method, line?.status], ['GET', 101]);
  });

  it('serves files by signed URLs, completely and in ranges, until they expire', async () => {
    const content = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 256));
    await kernel.media.write('notes/sound.wav', [content] as never);
    const path = kernel.mediaUrls.sign({
      name: 'notes/sound.wav',
      type: 'audio/wav',
      expiresAt: Date.now() + 60_000,
    });
    const url = service.url + path;
    const whole = await fetch(url);
    assert.deepEqual(
      [
        whole.status,
        whole.headers.get('content-type'),
        whole.headers.get('accept-ranges'),
        whole.headers.get('content-length'),
      ],
      [200, 'audio/wav', 'bytes', '5000'],
    );
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), content);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=100-199', 100, 200],
      ['bytes=4990-', 4990, 5000],
      ['bytes=-10', 4990, 5000],
      ['bytes=4000-99999', 4000, 5000],
    ] as const) {
      const part = await fetch(url, { headers: { range } });
      assert.deepEqual(
        [part.status, part.headers.get('content-range')],
        [206, `bytes ${start}-${end - 1}/5000`],
        range,
      );
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), content.subarray(start, end));
    }
    for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-']) {
      assert.equal((await fetch(url, { headers: { range } })).status, 200, range);
    }
    const another = await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': '"another file"' } });
    assert.equal(another.status, 200);
    const beyond = await fetch(url, { headers: { range: 'bytes=5000-' } });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */5000']);
    const expired = kernel.mediaUrls.sign({ name: 'notes/sound.wav', type: 'audio/wav', expiresAt: Date.now() - 1 });
    const unknown = kernel.mediaUrls.sign({
      name: 'notes/none.wav',
      type: 'audio/wav',
      expiresAt: Date.now() + 60_000,
    });
    for (const refused of [expired, unknown, `${path}x`, path.replace(/.(?=\.)/, '')]) {
      assert.equal((await fetch(service.url + refused)).status, 404);
    }
  });
});
