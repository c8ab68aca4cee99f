import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  AuthenticationError,
  BadGatewayError,
  type Call,
  NotFoundError,
  StateConflictError,
  UnprocessableError,
  VoiceAgents,
} from '../../../sdk/src/index.ts';
import { collect, useStartedService } from '../../sdk/support/started-service.ts';

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const operationIds = Object.values<Record<string, { operationId: string }>>(document.paths)
  .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  .filter((id) => id.startsWith('calls.'));

const script = 'Good morning.\nWhich day?\nGoodbye.\n[end]';

/** A chat with an agent whose replies are known. */
async function newChat(client: VoiceAgents, model = 'test-echo', more: object = {}): Promise<Call> {
  const agent = await client.agents.create({
    name: 'Reception',
    voiceId: 'ja-JP-Nanami',
    responseEngineType: 'single_prompt',
    prompt: script,
    llmModel: model,
  });
  return client.calls.create({ type: 'chat', agentId: agent.id, agentVersion: 'latest', ...more });
}

/** A chat that is over. */
async function endedChat(
  client: VoiceAgents,
  more: object = {},
  text = 'My number is +81 3-1234-5678.',
): Promise<Call> {
  const { id } = await newChat(client, 'test-echo', more);
  await client.calls.messages.create(id, { text });
  return client.calls.end(id);
}

/** Each operation as a caller would use it, with its expected result. */
const uses: Record<string, (client: VoiceAgents, baseUrl: string) => Promise<void>> = {
  'calls.create': async (client) => {
    const call = await newChat(client, 'test-echo', { variables: { shop: '銀座店' }, externalId: 'visit-1' });
    assert.deepEqual(
      [call.type, call.status, call.engine, call.agentVersion, call.isDraft, call.externalId, call.variables],
      ['chat', 'registered', 'test', 1, true, 'visit-1', { shop: '銀座店' }],
    );
    assert.match(call.access?.token ?? '', /^vat_/);
    const unpublished = client.calls.create({ type: 'chat', agentId: call.agentId ?? '' });
    await assert.rejects(unpublished, UnprocessableError);
  },
  'calls.list': async (client) => {
    const first = await newChat(client);
    const second = await endedChat(client);
    assert.deepEqual(
      (await collect(client.calls.list({ limit: 1 }))).map(({ id }) => id),
      [second.id, first.id],
    );
    const ended = await client.calls.list({ status: ['ended', 'error'], type: 'chat' });
    assert.deepEqual(
      ended.items.map(({ id }) => id),
      [second.id],
    );
    assert.deepEqual((await client.calls.list({ agentId: first.agentId ?? '' })).items.length, 1);
  },
  'calls.search': async (client) => {
    for (const page of ['/a', '/b', '/a']) await newChat(client, 'test-echo', { metadata: { page } });
    const filter = { field: 'metadata.page', op: 'eq', value: '/a' } as const;
    assert.equal((await collect(client.calls.search({ filter, limit: 1 }))).length, 2);
  },
  'calls.get': async (client) => {
    const call = await newChat(client);
    assert.deepEqual(await client.calls.get(call.id), { ...call, access: null });
    await assert.rejects(client.calls.get('call_unknown'), NotFoundError);
  },
  'calls.update': async (client) => {
    const { id } = await newChat(client, 'test-echo', { metadata: { a: 1, b: 2 } });
    const { response } = await client.calls.get(id).withResponse();
    const changed = await client.calls.update(id, { metadata: { a: null } }, { ifMatch: response.etag });
    assert.deepEqual(changed.metadata, { b: 2 });
  },
  'calls.delete': async (client) => {
    const open = await newChat(client);
    const refused = client.calls.delete(open.id);
    await assert.rejects(refused, StateConflictError);
    const { id } = await client.calls.end(open.id);
    assert.deepEqual(await client.calls.delete(id), { id, deleted: true });
    await assert.rejects(client.calls.get(id), NotFoundError);
  },
  'calls.redact': async (client) => {
    const { id } = await endedChat(client);
    const redacted = await client.calls.redact(id, { to: 'everything_except_pii' });
    assert.equal(redacted.dataStorageSetting, 'everything_except_pii');
    const { turns } = await client.calls.transcript.get(id);
    assert.match(turns[0]?.text ?? '', /\[PHONE_NUMBER\]/);
  },
  'calls.end': async (client) => {
    const unused = await newChat(client);
    assert.equal((await client.calls.end(unused.id)).endReason, 'canceled');
    const { endReason, endedBy, durationMs } = await endedChat(client);
    assert.deepEqual([endReason, endedBy], ['api_end', 'api']);
    assert.ok(Number(durationMs) >= 0);
  },
  'calls.control': async (client) => {
    const { id } = await newChat(client);
    await client.calls.messages.create(id, { text: 'Hello.' });
    const { action } = await client.calls.control(id, { action: 'say', text: 'A colleague has joined.' });
    assert.equal(action, 'say');
    const { turns } = await client.calls.transcript.get(id);
    assert.equal(turns.at(-1)?.text, 'A colleague has joined.');
  },
  'calls.messages.create': async (client) => {
    const { id } = await newChat(client, 'test-script');
    const opening = await client.calls.messages.create(id);
    assert.deepEqual(
      opening.turns.map(({ text }) => text),
      ['Good morning.'],
    );
    const reply = await client.calls.messages.create(id, { text: 'A table, please.' });
    assert.deepEqual(
      reply.turns.map(({ role, text }) => [role, text]),
      [
        ['caller', 'A table, please.'],
        ['agent', 'Which day?'],
      ],
    );
    await client.calls.messages.create(id, { text: 'Today.' });
    assert.equal((await client.calls.messages.create(id, { text: 'Thanks.' })).status, 'ended');
    await assert.rejects(client.calls.messages.create(id, { text: 'Still there?' }), StateConflictError);
  },
  'calls.events.list': async (client) => {
    const { id } = await endedChat(client);
    const events = await collect(client.calls.events.list(id, { limit: 2 }));
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    const last = events.at(-1);
    assert.ok(last?.type === 'state_changed' && last.data.to === 'ended');
  },
  'calls.transcript.get': async (client) => {
    const { id } = await endedChat(client);
    const { status, turns } = await client.calls.transcript.get(id);
    assert.deepEqual([status, turns.length], ['available', 2]);
    const secret = await endedChat(client, { dataStorageSetting: 'basic_attributes_only' });
    await assert.rejects(client.calls.transcript.get(secret.id), NotFoundError);
  },
  'calls.skill.get': async (client) => {
    const { id } = await endedChat(client);
    assert.deepEqual({ ...(await client.calls.skill.get(id)) }, { callId: id, skillId: null });
  },
  'calls.recording.get': async (client) => {
    const { id } = await endedChat(client);
    await assert.rejects(client.calls.recording.get(id), { name: 'NotFoundError', details: { reason: 'none' } });
  },
  'calls.analysis.run': async (client) => {
    const { id, analysis } = await endedChat(client);
    assert.deepEqual([analysis.status, analysis.reason], ['skipped', 'provider_not_configured']);
    const { status, trigger } = await client.calls.analysis.run(id, { model: 'test-extract' });
    assert.deepEqual([status, trigger], ['pending', 'api']);
  },
  'calls.analysis.preview': async (client) => {
    const { id } = await endedChat(client, {}, 'guests: 2');
    const postCallAnalysisData = [{ name: 'guests', type: 'number' as const, description: 'How many.' }];
    const { data, evidence } = await client.calls.analysis.preview(id, { model: 'test-extract', postCallAnalysisData });
    assert.deepEqual(data, { guests: 2 });
    assert.deepEqual(evidence.data.guests?.turns, [0]);
    await assert.rejects(client.calls.analysis.preview(id, { model: 'test-other' }), UnprocessableError);
  },
  'calls.analysis.list': async (client) => {
    const { id } = await endedChat(client);
    const all = await collect(client.calls.analysis.list(id, { limit: 1 }));
    assert.deepEqual(
      all.map(({ trigger, status }) => [trigger, status]),
      [['call_end', 'skipped']],
    );
  },
  'calls.tokens.create': async (client, baseUrl) => {
    const { id } = await newChat(client);
    const { token } = await client.calls.tokens.create(id, { expiresInSeconds: 60 });
    const page = new VoiceAgents({ accessToken: token, baseUrl });
    const reply = await page.calls.messages.stream(id, { text: 'Hello.' }).finalReply();
    assert.deepEqual(
      reply.turns.map(({ text }) => text),
      ['Hello.', 'Hello.'],
    );
    await assert.rejects(page.calls.get(id), AuthenticationError);
    assert.equal((await page.calls.end(id)).endReason, 'caller_hangup');
  },
  'calls.concurrency.get': async (client) => {
    await newChat(client);
    const { chatActive, active, queued } = await client.calls.concurrency.get();
    assert.deepEqual([chatActive, active, queued], [1, 0, 0]);
  },
};

describe('the calls of the SDK with a running service', { concurrency: 4 }, () => {
  const service = useStartedService();

  it('are tested with every operation', () => {
    assert.deepEqual(Object.keys(uses).sort(), operationIds.sort());
  });

  for (const [id, use] of Object.entries(uses)) {
    it(`does ${id}`, async () => use(await service.newClient(), service.url));
  }

  it('streams a reply, and the text is that of the turn', async () => {
    const client = await service.newClient();
    const { id } = await newChat(client);
    const text = '明日の15時に二名で予約をお願いします。😀';
    const stream = client.calls.messages.stream(id, { text });
    let said = '';
    for await (const event of stream) if (event.type === 'text') said += event.delta;
    const { turns, status } = await stream.finalReply();
    assert.deepEqual([said, turns[1]?.text, status], [text, text, 'ongoing']);
  });

  it('throws on a failed reply, and says nothing twice when it is repeated', async () => {
    const client = await service.newClient({ maxRetries: 0 });
    const { id } = await newChat(client, 'test-fail');
    const idempotencyKey = 'message 1';
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const stream = client.calls.messages.stream(id, { text: 'Hello.' }, { idempotencyKey });
      await assert.rejects(stream.finalReply(), BadGatewayError);
    }
    const { turns } = await client.calls.transcript.get(id);
    assert.equal(turns.filter(({ role }) => role === 'caller').length, 1);
  });

  it('says a message once if the connection breaks', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    const { id } = await newChat(client);
    proxy.next('truncated', 'drop before the answer');
    const { turns } = await client.calls.messages.stream(id, { text: 'Hello.' }).finalReply();
    assert.deepEqual(
      turns.map(({ text }) => text),
      ['Hello.', 'Hello.'],
    );
    assert.equal((await client.calls.transcript.get(id)).turns.length, 2);
  });

  it('follows a call from its first event to its last, through a broken connection', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    const { id } = await newChat(client, 'test-script');
    proxy.next('unseen drop');
    const followed = collect(client.calls.events.follow(id, { waitSeconds: 5 }));
    for (const text of ['One.', 'Two.', 'Three.', 'Four.']) await client.calls.messages.create(id, { text });
    const events = await followed;
    const said = events.flatMap((event) => (event.type === 'turn_completed' ? [event.data.turn.text] : []));
    assert.deepEqual(said.slice(0, 2), ['One.', 'Good morning.']);
    const last = events.at(-1);
    assert.ok(last?.type === 'state_changed' && last.data.endReason === 'agent_hangup');
  });
});
