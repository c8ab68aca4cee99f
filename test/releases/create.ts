/**
 * Creates the databases of this release, with every kind of row: run it once per release, before the next one changes
 * the schema or a document, with `npm test -- test/releases/create.ts`. The files are never changed afterwards.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createAgent as createAgentOperation } from '../../src/contract/agents/index.ts';
import { packageVersion } from '../../src/core/package-version.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { ongoing } from '../areas/calls/live/support.ts';
import { type ModelDouble, modelDouble, newChat, on, testAgent } from '../areas/calls/support.ts';
import { createAgent, send } from '../support/client.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { httpReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { dataKey, type Names, releasesFolder } from './releases.ts';

const audio = Buffer.from('RIFF and so on');

onEachEngine('a release', (engine) => {
  it('leaves a database with every kind of row', { timeout: 120_000 }, async () => {
    const folder = join(releasesFolder, packageVersion());
    const namesFile = join(folder, `${engine.name}-names.json`);
    assert.ok(!existsSync(namesFile), 'the database of this release exists, and is never changed');
    const partner = await httpReceiver((request, response) => {
      const isTool = request.url === '/book';
      response.writeHead(request.url === '/broken' ? 500 : 200, { 'content-type': 'application/json' });
      response.end(isTool ? '{"booked":true}' : 'thank you');
    });
    const model = await modelDouble();
    const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-release-'));
    const recordings = {
      finish: async () => ({
        durationMs: 1200,
        sizeBytes: audio.length,
        sha256: createHash('sha256').update(audio).digest('hex'),
      }),
    };
    const service = await startService(engine, {
      databaseUrl: await engine.newDatabaseUrl(),
      dataKeys: [dataKey],
      mediaFolder,
      webhookSending: {},
      calls: { llm: model.llm, recordings },
    });
    const names = await fill(service, `http://127.0.0.1:${partner.port}`, model.play).finally(() => service.close());
    rmSync(mediaFolder, { recursive: true, force: true });

    mkdirSync(folder, { recursive: true });
    writeFileSync(namesFile, `${JSON.stringify(names, null, 2)}\n`);
    if (engine.name === 'sqlite') {
      const file = readFileSync(service.databaseUrl.slice('sqlite:'.length));
      writeFileSync(join(folder, 'sqlite.db.gz'), gzipSync(file, { level: 9 }));
    } else {
      const database = openDatabase(locationOf(service.databaseUrl), () => {});
      const rows = JSON.stringify(await tablesOf(database));
      await database.close();
      writeFileSync(join(folder, 'postgres-rows.json.gz'), gzipSync(rows, { level: 9 }));
    }
  });
});

/** The rows of all tables; bytes as `{ base64 }`. Their schema is that of the migrations, which never change. */
async function tablesOf(database: Database): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { name } of await database.all<{ name: string }>(database.dialect.tableNames)) {
    const rows = await database.all(`SELECT * FROM ${name}`);
    tables[name] = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
        ]),
      ),
    );
  }
  return tables;
}

async function fill(service: Service, partner: string, play: ModelDouble['play']): Promise<Names> {
  const { key, workspaceId } = await service.newKey({ workspace: 'release' });
  const post = async (path: string, body?: object, headers = {}) => {
    const answer = await send(service, 'POST', `/api/v1/${path}`, { key, headers, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  await send(service, 'PUT', '/api/v1/secrets/SHOP_TOKEN', { key, body: { value: 'secret', hosts: ['127.0.0.1'] } });
  const { id: apiKeyId } = await post('api-keys', { scopes: ['agents:read'], name: 'reader' });
  await post(`api-keys/${(await post('api-keys', { scopes: ['agents:read'] })).id}/revoke`);
  const { id: webhookId } = await post('webhooks', { url: `${partner}/hooks`, events: ['*'], include: ['transcript'] });
  await post('webhooks', { url: `${partner}/broken`, events: ['call_ended'] });
  await post(`webhooks/${webhookId}/rotate-secret`);
  await post(`webhooks/${webhookId}/test`);

  await createAgent(service, key, createAgentOperation.bodyExample as Record<string, unknown>);
  const { id: agentId } = await createAgent(service, key, {
    llmModel: 'test-echo',
    postCallAnalysisModel: 'test-extract',
    webhookUrl: `${partner}/agent`,
    webhookEvents: ['call_started', 'call_ended', 'call_analyzed'],
  });
  await post(`agents/${agentId}/publish`, { versionDescription: 'first' }, { 'idempotency-key': 'publish-first' });
  await send(service, 'PATCH', `/api/v1/agents/${agentId}`, { key, body: { name: 'Reception 2' } });
  await post(`agents/${agentId}/publish`);
  await send(service, 'PATCH', `/api/v1/agents/${agentId}`, { key, body: { name: 'Reception 3' } });

  const chat = async (more: object = {}) => {
    const { id } = await post('calls', { type: 'chat', agentId, ...more });
    const call = on(service, key, id);
    assert.equal((await call.say('hello, my number is 0901234567')).status, 200);
    return call;
  };
  const analyzed = await chat({
    externalId: 'order-1',
    metadata: { page: '/booking' },
    variables: { guests: 2 },
  });
  await analyzed.end();
  await eventually(async () => (await analyzed.call()).analysis.status === 'completed');
  await post(`calls/${analyzed.id}/analysis`, {});
  await eventually(async () => (await analyzed.call()).analysis.revision === 2);
  const open = await chat();
  const redacted = await chat();
  await redacted.end();
  await eventually(async () => (await redacted.call()).analysis.status === 'completed');
  assert.equal((await redacted.redact('everything_except_pii')).status, 200);
  const deleted = await chat();
  await deleted.end();
  assert.equal((await deleted.delete()).status, 200);

  const tools = [
    {
      name: 'book',
      description: 'Books a table.',
      url: `${partner}/book`,
      parameters: { type: 'object', properties: { day: { type: 'string' } } },
      headers: { authorization: 'Bearer {{secrets.SHOP_TOKEN}}' },
    },
  ];
  const withTools = await newChat(service, key, { model: 'gpt-5.4-mini', agent: { agentSettings: { tools } } });
  play({ tools: [{ name: 'book', arguments: '{"day":"monday"}' }] }, { text: 'It is booked.' });
  const toolCall = on(service, key, withTools.id);
  assert.equal((await toolCall.say('a table on monday')).status, 200);
  assert.ok((await toolCall.turns()).some(({ role }) => role === 'tool'));
  await toolCall.end();

  const recordedAgent = { ttsProvider: 'test', agentSettings: { calls: { recordingEnabled: true } } };
  const { client, ...recorded } = await ongoing(service, key, { agent: recordedAgent });
  await eventually(async () => (await recorded.call()).recording.status === 'recording');
  client.send({ type: 'end' });
  await client.closed;
  await eventually(async () => (await recorded.call()).recording.status === 'available');
  // Waits for somebody to join.
  const { id: waitingAgent } = await testAgent(service, key);
  await post('calls', { type: 'web', agentId: waitingAgent, agentVersion: 'latest' });

  const deliveries = async () =>
    (await send(service, 'GET', `/api/v1/webhooks/${webhookId}/deliveries?limit=200`, { key })).json.items;
  await eventually(async () => (await deliveries()).every(({ status }: { status: string }) => status !== 'pending'));
  const { items: events } = (await send(service, 'GET', '/api/v1/events?type=call_ended', { key })).json;
  return {
    key,
    workspaceId,
    apiKeyId,
    agentId,
    callId: analyzed.id,
    openCallId: open.id,
    redactedCallId: redacted.id,
    toolCallId: toolCall.id,
    recordedCallId: recorded.id,
    webhookId,
    deliveryId: (await deliveries()).find(({ status }: { status: string }) => status === 'succeeded').id,
    eventId: events[0].id,
    madeAt: Date.now(),
  };
}
