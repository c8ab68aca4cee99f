import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { type Call, StateConflictError, VoiceAgents } from '../../sdk/src/index.ts';
import { keyFileOf } from '../../src/storage/data-key.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { removeSetting } from '../../src/storage/settings.ts';
import { runInProcess } from '../support/command-line.ts';
import { type Engine, locationOf, onEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/process.ts';
import { type Service, startService } from '../support/service.ts';

const messageKey = 'message-one';

/** A workspace with everything that is sealed. */
async function fill(service: Service) {
  const { key, workspaceId } = await service.newKey();
  const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
  const agent = await client.agents.create({
    name: 'Reception',
    voiceId: 'ja-JP-Nanami',
    responseEngineType: 'single_prompt',
    llmModel: 'test-echo',
    webhookUrl: 'https://shop.example.com/hooks',
  });
  await client.agents.publish(agent.id);
  await client.secrets.put('SHOP_TOKEN', { value: 'one', hosts: ['shop.example.com'] });
  await client.providers.credentials.put('openai', { apiKey: 'sk-0000-EXAMPLE-KEY' });
  // Nothing of it is sealed.
  await client.providers.credentials.put('deepgram', { baseUrl: 'https://speech.example.com' });
  const settings = { accountSid: `AC${'0'.repeat(32)}` };
  const credentials = { authToken: 'two' };
  const twilio = await client.carriers.create({ name: 'Shop', provider: 'twilio', settings, credentials });
  const test = await client.carriers.create({ name: 'Test', provider: 'test' });
  const { items } = await client.webhooks.list();
  const webhook = items[0]?.id as string;
  const { secret } = await client.webhooks.secret.get(webhook);
  const sealed = await newChat(client, agent.id, { dataStorageSetting: 'everything_except_pii' });
  const stored = await newChat(client, agent.id, {});
  return { key, workspaceId, webhook, secret, sealed, stored, twilio: twilio.id, test: test.id };
}

async function newChat(client: VoiceAgents, agentId: string, more: object): Promise<Call> {
  const call = await client.calls.create({ type: 'chat', agentId, ...more });
  await client.calls.messages.create(call.id, { text: 'Hello.' }, { idempotencyKey: messageKey + call.id });
  return client.calls.get(call.id);
}

async function filled(engine: Engine, dataKeys: readonly Buffer[]) {
  const service = await startService(engine, { dataKeys });
  const known = await fill(service);
  await service.close();
  return { ...known, databaseUrl: service.databaseUrl };
}

function reset(databaseUrl: string, dataKey: Buffer | null, ...options: string[]) {
  const settings = dataKey === null ? {} : { DATA_KEY: dataKey.toString('base64') };
  return runInProcess(['secrets', 'reset', ...options], { DATABASE_URL: databaseUrl, ...settings });
}

function isContentRemoved(error: unknown): boolean {
  if (!(error instanceof StateConflictError)) return false;
  return (error.details as { readonly reason?: string }).reason === 'content_removed';
}

onEachEngine('voice-agents secrets reset', (engine) => {
  const [first, second] = [randomBytes(32), randomBytes(32)];

  it('replaces and removes what a lost key has sealed, and names it; everything else stays', async (context) => {
    const known = await filled(engine, [first]);
    const { databaseUrl, workspaceId, key, webhook, secret, sealed, stored, twilio, test } = known;
    const settings = { DATABASE_URL: databaseUrl, DATA_KEY: second.toString('base64'), PORT: '0' };
    assert.match((await runCommand(['serve'], settings)).stderr, /DATA_KEY .* "voice-agents secrets reset"/);

    const { code, stdout, stderr } = await reset(databaseUrl, second, '--yes', '--json');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(JSON.parse(stdout), {
      webhooks: [{ workspaceId, id: webhook, url: 'https://shop.example.com/hooks' }],
      secrets: [{ workspaceId, name: 'SHOP_TOKEN' }],
      providers: [{ workspaceId, provider: 'openai' }],
      carriers: [twilio, test].map((id) => ({ workspaceId, id })),
      calls: [{ workspaceId, id: sealed.id }],
      savedResponses: 1,
      jobs: 0,
    });

    const service = await startService(engine, { databaseUrl, dataKeys: [second] });
    context.after(() => service.close());
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const renewed = await client.webhooks.secret.get(webhook);
    assert.notEqual(renewed.secret, secret);
    assert.match(renewed.secret, /^whsec_/);
    assert.notEqual(renewed.secretRotatedAt, null);
    assert.deepEqual((await client.secrets.list()).items, []);
    const { items: providers } = await client.providers.list();
    assert.deepEqual(
      providers.flatMap(({ name, credentials }) => (credentials === null ? [] : [[name, credentials.apiKey.set]])),
      [['deepgram', false]],
    );
    const carrier = await client.carriers.get(twilio);
    assert.deepEqual([carrier.status, carrier.credentials.authToken], ['unverified', { set: false, updatedAt: null }]);
    assert.equal((await client.carriers.verify(test)).status, 'active');
    await client.carriers.update(twilio, { credentials: { authToken: 'three' } });

    const call = await client.calls.get(sealed.id);
    assert.deepEqual([call.status, call.endReason, call.endedBy], ['error', 'server_restart', 'system']);
    assert.equal(call.endedAt, sealed.updatedAt);
    const events = await client.calls.events.list(sealed.id);
    assert.deepEqual(events.items.at(-1)?.data, { from: 'ongoing', to: 'error', endReason: 'server_restart' });
    assert.equal(events.nextCursor, null);
    const sent = await service.database.all<{ type: string }>(
      'SELECT type FROM events WHERE subject_id = $1 ORDER BY sequence',
      [sealed.id],
    );
    assert.deepEqual(
      sent.map(({ type }) => type),
      ['call_started', 'call_ended', 'call_analyzed'],
    );
    await assert.rejects(
      client.calls.messages.create(sealed.id, { text: 'Hello.' }, { idempotencyKey: messageKey + sealed.id }),
      isContentRemoved,
    );
    const { turns } = await client.calls.messages.create(stored.id, { text: 'Still there?' });
    assert.deepEqual(
      turns.map(({ text }) => text),
      ['Still there?', 'Still there?'],
    );
    const audit = await client.auditLog.list({ limit: 9 });
    assert.deepEqual(
      audit.items.filter(({ keyId }) => keyId === null).map(({ routeId, resourceId }) => [routeId, resourceId]),
      [
        ['carriers.update', test],
        ['carriers.update', twilio],
        ['providers.credentials.delete', 'openai'],
        ['secrets.delete', 'SHOP_TOKEN'],
        ['webhooks.secret.rotate', webhook],
      ],
    );
  });

  it('generates a key if the generated one is lost', async (context) => {
    const { databaseUrl, webhook, key } = await filled(engine, []);
    const location = locationOf(databaseUrl);
    const keyFile = keyFileOf(location);
    if (keyFile !== null) rmSync(keyFile);
    else {
      const database = openDatabase(location, () => {});
      await removeSetting(database, 'data_key');
      await database.close();
    }
    const { code, stdout } = await reset(databaseUrl, null, '--yes');
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`new secret.*\\n {2}workspace \\S+ {2}${webhook} {2}https://shop`));
    assert.match(stdout, /deleted\. Set them again:\n {2}workspace \S+ {2}SHOP_TOKEN\n/);
    const service = await startService(engine, { databaseUrl });
    context.after(() => service.close());
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    await client.secrets.put('SHOP_TOKEN', { value: 'two', hosts: ['shop.example.com'] });
  });

  it('keeps a damaged key file under another name', { skip: engine.name === 'postgres' }, async () => {
    const { databaseUrl } = await filled(engine, []);
    const keyFile = keyFileOf(locationOf(databaseUrl)) as string;
    writeFileSync(keyFile, 'half a key');
    assert.equal((await reset(databaseUrl, null, '--yes')).code, 0);
    assert.equal(readFileSync(`${keyFile}.replaced`, 'utf8'), 'half a key');
    assert.ok(existsSync(keyFile));
  });

  it('changes nothing if the key opens everything, without confirmation, or while the service runs', async (context) => {
    const { databaseUrl } = await filled(engine, [first]);
    const unconfirmed = await reset(databaseUrl, second);
    assert.equal(unconfirmed.code, 2);
    assert.match(unconfirmed.stderr, /use --yes/);
    const unneeded = await reset(databaseUrl, first, '--yes');
    assert.deepEqual([unneeded.code, unneeded.stdout], [1, '']);
    assert.match(unneeded.stderr, /^voice-agents: nothing to do/);
    const service = await startService(engine, { databaseUrl, dataKeys: [first] });
    context.after(() => service.close());
    const running = await reset(databaseUrl, second, '--yes');
    assert.equal(running.code, 1);
    assert.match(running.stderr, /stop the service first/);
  });
});
