import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { create, newChat, on, testAgent } from './support.ts';

onEachEngine('a new call', (engine) => {
  const service = useService(engine);
  const publish = (key: string, id: string) => send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });

  it('has every field of the contract, and a token that is in this response only', async () => {
    const { key, workspaceId } = await service.newKey();
    const agent = await testAgent(service, key);
    const answer = await create(service, key, {
      agentId: agent.id,
      variables: { shop: '銀座店', seats: 2, isNew: true, note: null },
      metadata: { page: '/booking', tags: ['a', { b: 1 }] },
      externalId: 'visit-1',
    });
    assert.equal(answer.status, 201);
    const { id, createdAt, updatedAt, access, ...rest } = answer.json;
    assert.match(id, /^call_[0-9a-z]{30}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(Object.keys(access), ['token', 'expiresAt', 'liveUrl']);
    assert.match(access.token, /^vat_[A-Za-z0-9._-]+$/);
    assert.equal(access.liveUrl, `/live/v1/calls/${id}`);
    assert.ok(Math.abs(Date.parse(access.expiresAt) - Date.now() - 120_000) < 10_000);
    assert.deepEqual(rest, {
      workspaceId,
      type: 'chat',
      direction: 'inbound',
      status: 'registered',
      agentId: agent.id,
      agentVersion: 1,
      isDraft: true,
      engine: 'test',
      phoneNumberId: null,
      from: null,
      to: null,
      batchId: null,
      workflowRunId: null,
      externalId: 'visit-1',
      variables: { shop: '銀座店', seats: 2, isNew: true, note: null },
      collectedVariables: {},
      metadata: { page: '/booking', tags: ['a', { b: 1 }] },
      dataStorageSetting: 'everything',
      scheduledAt: null,
      startedAt: null,
      endedAt: null,
      durationMs: null,
      endReason: null,
      endedBy: null,
      endDetail: null,
      transcriptStatus: 'none',
      recording: { status: 'none', durationMs: null, sizeBytes: null },
      latency: null,
      usage: {
        llm: { model: 'test-echo', promptTokens: 0, cachedTokens: 0, completionTokens: 0, totalTokens: 0 },
        stt: { provider: null, audioMs: 0 },
        tts: { provider: null, characters: 0 },
        carrier: { provider: null, billedMs: 0 },
        knowledge: { searches: 0, empty: 0, timedOut: 0 },
        breakdown: [],
      },
      cost: null,
      conversation: null,
      analysis: {
        status: 'none',
        reason: null,
        revision: 0,
        model: null,
        summary: null,
        successful: null,
        sentiment: null,
        data: {},
        evidence: { successful: null, sentiment: null, data: {} },
        issues: [],
        promptTokens: null,
        completionTokens: null,
        durationMs: null,
        completedAt: null,
      },
      knowledgeBases: [],
      notApplied: [],
      providerCallId: null,
    });
    const got = await on(service, key, id).get();
    assert.deepEqual(got.json, { ...answer.json, access: null });
    assert.equal(got.headers.get('etag'), answer.headers.get('etag'));
    assert.deepEqual((await on(service, key, id).transcript()).json, {
      callId: id,
      status: 'none',
      language: 'en',
      turns: [],
    });
    const [event, ...others] = await on(service, key, id).events();
    assert.deepEqual([event?.sequence, event?.type, event?.offsetMs, others.length], [1, 'state_changed', null, 0]);
    assert.deepEqual(event?.data, { from: null, to: 'registered', endReason: null });
  });

  it('is pinned to the version that the request names', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const versionOf = async (agentVersion?: unknown) => {
      const body = { type: 'chat', agentId, ...(agentVersion !== undefined && { agentVersion }) };
      const { status, json } = await send(service, 'POST', '/api/v1/calls', { key, body });
      return status === 201 ? [json.agentVersion, json.isDraft] : Object.keys(json.error.details.fieldErrors);
    };
    assert.deepEqual(await versionOf(), ['agentVersion']);
    assert.deepEqual(await versionOf('latest'), [1, true]);
    await publish(key, agentId);
    await send(service, 'PATCH', `/api/v1/agents/${agentId}`, { key, body: { name: 'Two' } });
    assert.deepEqual(await versionOf(), [1, false]);
    assert.deepEqual(await versionOf('published'), [1, false]);
    assert.deepEqual(await versionOf('latest'), [2, true]);
    assert.deepEqual(await versionOf(1), [1, false]);
    for (const unknown of [3, 'canary']) assert.deepEqual(await versionOf(unknown), ['agentVersion']);
  });

  it('replies as the version it is pinned to, even after another was published and the agent deleted', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key, 'test-script');
    await publish(key, agentId);
    const { json } = await create(service, key, { agentId, agentVersion: 'published' });
    const chat = on(service, key, json.id);
    assert.equal((await chat.say('Hello')).json.turns[1].text, 'Good morning.');
    const body = { responseEngine: { prompt: 'Another line.' } };
    await send(service, 'PATCH', `/api/v1/agents/${agentId}`, { key, body });
    await publish(key, agentId);
    assert.equal((await chat.say('Hello')).json.turns[1].text, 'Which day?');
    assert.equal((await send(service, 'DELETE', `/api/v1/agents/${agentId}`, { key })).status, 200);
    assert.equal((await chat.say('Hello')).json.turns[1].text, 'Goodbye.');
    const { status, agentVersion, agentId: remaining } = (await chat.end()).json;
    assert.deepEqual([status, agentVersion, remaining], ['ended', 1, agentId]);
  });

  it('has the first engine that matches its agent', async () => {
    const { key } = await service.newKey();
    const settings = { flow: { skills: [{ id: 'bye', type: 'end', text: 'Bye.' }] } };
    const agents = {
      flow: { responseEngineType: 'conversation_flow', agentSettings: settings },
      test: { responseEngineType: 'conversation_flow', llmModel: 'test-echo' },
      rehearsal: { responseEngineType: 'conversation_flow' },
    };
    for (const [name, fields] of Object.entries(agents)) {
      const { id: agentId } = await createAgent(service, key, fields);
      const { json } = await create(service, key, { agentId });
      assert.equal(json.engine, name);
      const isMissing = name === 'rehearsal';
      assert.deepEqual(
        json.notApplied,
        isMissing ? [{ field: 'responseEngine', reason: 'provider_not_configured' }] : [],
      );
    }
  });

  it('names the settings that its engine does not use', async () => {
    const { key } = await service.newKey();
    const flow = { skills: [{ id: 'bye', type: 'end', text: 'Bye.' }] };
    const led = { skills: [{ id: 'talk', type: 'prompt', prompt: 'Help.', next: 'bye' }, ...flow.skills] };
    const tool = { name: 'book', description: 'Books.', parameters: {}, url: 'https://shop.example.com/book' };
    const agentSettings = { tools: [tool], llm: { temperature: 1 } };
    const prompt = { responseEngineType: 'single_prompt', startSkillId: 'bye' };
    const isFlow = { responseEngineType: 'conversation_flow' };
    const cases: [Record<string, unknown>, string[]][] = [
      [{ ...isFlow, agentSettings: { flow, ...agentSettings }, startSkillId: 'bye' }, []],
      [{ ...isFlow, agentSettings: { flow: led } }, ['agentSettings.flow provider_not_configured']],
      [
        { ...isFlow, agentSettings: { flow, llm: { fallbackModels: ['other', 'test-echo'] } } },
        ['agentSettings.llm.fallbackModels not_supported'],
      ],
      [
        { ...prompt, agentSettings: { flow, ...agentSettings }, llmModel: 'test-echo' },
        [
          'startSkillId not_supported',
          'agentSettings.flow not_supported',
          'agentSettings.tools not_supported',
          'agentSettings.llm not_supported',
        ],
      ],
      [{ ...prompt, agentSettings }, ['responseEngine provider_not_configured']],
      [{ agentSettings: { tools: [], llm: {}, mine: 1 }, llmModel: 'test-echo' }, []],
    ];
    for (const [fields, expected] of cases) {
      const { id: agentId } = await createAgent(service, key, fields);
      const { json } = await create(service, key, { agentId });
      const list: { field: string; reason: string }[] = json.notApplied;
      assert.deepEqual(
        list.map(({ field, reason }) => `${field} ${reason}`),
        expected,
      );
    }
  });

  it('is refused with 400 if its content is wrong, every issue at once', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const wrong: [string[], object][] = [
      [['type'], { type: 'fax' }],
      [['agentId'], { agentId: '' }],
      [['agentVersion'], { agentVersion: 0 }],
      [['agentVersion'], { agentVersion: 'New One' }],
      [['variables'], { variables: { list: [1] } }],
      [['variables'], { variables: { '1st': 1 } }],
      // zod would leave it out.
      [['variables'], { variables: JSON.parse('{"__proto__": 1}') }],
      [['metadata'], { metadata: JSON.parse('{"__proto__": 1}') }],
      [['variables'], { variables: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`v${i}`, i])) }],
      [['variables'], { variables: { long: 'x'.repeat(16 * 1024) } }],
      [['metadata'], { metadata: { long: 'あ'.repeat(2731) } }],
      [['metadata'], { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) }],
      [['externalId'], { externalId: '' }],
      [['externalId'], { externalId: 'x'.repeat(256) }],
      [['dataStorageSetting'], { dataStorageSetting: 'nothing' }],
      [['startAt'], { startAt: '2026-11-20' }],
      [['startAt'], { startAt: new Date(Date.now() - 1000).toISOString() }],
      [['startAt'], { startAt: new Date(Date.now() + 31 * 24 * 3_600_000).toISOString() }],
      [['expiresInSeconds'], { expiresInSeconds: 9 }],
      [['recordingEnabled'], { recordingEnabled: true }],
      [['recordingEnabled'], { recordingEnabled: false }],
      [
        ['fromPhoneNumberId', 'ringTimeoutMs', 'to'],
        { to: '+81312345678', fromPhoneNumberId: 'num_1', ringTimeoutMs: 5000 },
      ],
      [['fromPhoneNumberId', 'to'], { type: 'phone' }],
      [['token'], { token: { expiresInSeconds: 29 } }],
      [['token'], { token: { allowedOrigins: ['http://shop.example.com'] } }],
      [['token'], { token: { allowedOrigins: ['https://shop.example.com/'] } }],
      [['queue', 'type'], { type: 1, queue: 'yes' }],
    ];
    for (const [fields, body] of wrong) {
      const answer = await create(service, key, { agentId, ...body });
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 100));
      const named = Object.keys(answer.json.error.details.fieldErrors).map((name) => name.split('.')[0]);
      assert.deepEqual([...new Set(named)].sort(), fields);
    }
    assert.equal((await send(service, 'GET', '/api/v1/call-concurrency', { key })).json.chatActive, 0);
  });

  it('takes values up to their limits', async () => {
    const { key } = await service.newKey();
    const call = await newChat(service, key, {
      call: {
        variables: { long: 'x'.repeat(16 * 1024 - 11) },
        metadata: { long: 'あ'.repeat(2726) },
        externalId: '予約'.repeat(127),
        token: { expiresInSeconds: 600, allowedOrigins: ['https://shop.example.com', 'http://localhost:5173'] },
      },
    });
    assert.ok(Date.parse(call.access.expiresAt) - Date.now() > 590_000);
  });

  it('ignores unknown fields, and refuses them with strict handling', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const body = { agentId, colour: 'red', token: { shade: 1 } };
    assert.equal((await create(service, key, body)).status, 201);
    const strict = await create(service, key, body, { prefer: 'handling=strict' });
    assert.equal(strict.status, 400);
    assert.ok('colour' in strict.json.error.details.fieldErrors);
  });

  it('is refused with 422 for what agents.publish would refuse, and a setting that is looser than the agent’s', async () => {
    const { key } = await service.newKey();
    const fieldsOf = async (body: object) => {
      const answer = await create(service, key, body);
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.json.error.code, 'UNPROCESSABLE_CONTENT');
      return Object.keys(answer.json.error.details.fieldErrors).sort();
    };
    const foreign = await testAgent(service, (await service.newKey()).key);
    for (const agentId of ['agt_unknown', foreign.id, 'x']) assert.deepEqual(await fieldsOf({ agentId }), ['agentId']);
    const draft = await createAgent(service, key, { responseEngineType: 'custom_llm' });
    const { json } = await publish(key, draft.id);
    assert.deepEqual(await fieldsOf({ agentId: draft.id }), Object.keys(json.error.details.fieldErrors).sort());
    const unknown = await testAgent(service, key, 'test-none');
    assert.equal((await publish(key, unknown.id)).status, 422);
    assert.equal((await fieldsOf({ agentId: unknown.id })).length, 1);
    const malformed = await testAgent(service, key, 'test-echo', { agentSettings: { calls: { retentionDays: 0 } } });
    assert.deepEqual(await fieldsOf({ agentId: malformed.id }), ['agentSettings']);
    const strict = await testAgent(service, key, 'test-echo', { dataStorageSetting: 'everything_except_pii' });
    const looser = { agentId: strict.id, dataStorageSetting: 'everything' };
    assert.deepEqual(await fieldsOf(looser), ['dataStorageSetting']);
    assert.deepEqual(await fieldsOf({ agentId: strict.id, type: 'web', recordingEnabled: true }), ['recordingEnabled']);
    for (const dataStorageSetting of ['everything_except_pii', 'basic_attributes_only']) {
      const made = await create(service, key, { agentId: strict.id, dataStorageSetting });
      assert.deepEqual([made.status, made.json.dataStorageSetting], [201, dataStorageSetting]);
    }
  });

  it('by phone needs a number of the workspace, which is checked after its content and before anything else', async () => {
    const { key } = await service.newKey();
    const body = { type: 'phone', agentId: 'agt_unknown', to: '+81312345678', fromPhoneNumberId: 'num_1' };
    const answer = await create(service, key, body);
    assert.equal(answer.status, 422);
    assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['fromPhoneNumberId']);
    assert.equal((await create(service, key, { ...body, to: '1' })).status, 400);
  });

  it('on the web names the recording that its storage setting forbids', async () => {
    const { key } = await service.newKey();
    const agentSettings = { calls: { recordingEnabled: true } };
    const { id: agentId } = await testAgent(service, key, 'test-echo', { agentSettings });
    const recordingOf = async (body: object) => {
      const { json } = await create(service, key, { type: 'web', agentId, ...body });
      const fields = json.notApplied.filter(({ reason }: { reason: string }) => reason === 'data_storage_setting');
      return [json.recording.status, fields.map(({ field }: { field: string }) => field)];
    };
    assert.deepEqual(await recordingOf({}), ['none', []]);
    const dataStorageSetting = 'basic_attributes_only';
    const refused = ['not_stored', ['agentSettings.calls.recordingEnabled']];
    assert.deepEqual(await recordingOf({ dataStorageSetting }), refused);
    assert.deepEqual(await recordingOf({ dataStorageSetting, recordingEnabled: false }), ['none', []]);
    const { json } = await create(service, key, { agentId, dataStorageSetting });
    assert.deepEqual([json.recording.status, json.notApplied], ['none', []], 'a chat has no recording');
  });

  it('can be read with HEAD, and is not sent again if it has not changed', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    const { headers, text } = await chat.get();
    const head = await fetch(service.url + chat.path, { method: 'HEAD', headers: { 'x-api-key': key } });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)));
    const etag = headers.get('etag') as string;
    const fresh = () => fetch(service.url + chat.path, { headers: { 'x-api-key': key, 'if-none-match': etag } });
    assert.equal((await fresh()).status, 304);
    await chat.patch({ externalId: 'x' });
    assert.equal((await fresh()).status, 200);
  });
});
