import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { RE2JS } from 're2js';
import { agent as agentSchema } from '../../../src/contract/agents/agent.ts';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const rate = { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3, speedRatio: 1.1 };

onEachEngine('agents.update', (engine) => {
  const service = useService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body, headers });
  const get = (id: string) => send(service, 'GET', `/api/v1/agents/${id}`, { key });

  it('changes only the given fields, and get returns the same bytes', async () => {
    const agent = await createAgent(service, key, { prompt: 'old', startSkillId: 'start', agentSettings: { a: 1 } });
    const answer = await patch(agent.id, { name: 'New', voiceSpeed: 1.5 });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { ...agent, name: 'New', voiceSpeed: 1.5, updatedAt: answer.json.updatedAt });
    assert.ok(answer.json.updatedAt >= agent.updatedAt);
    assert.equal((await get(agent.id)).text, answer.text);
    assert.deepEqual(
      Object.keys(answer.json),
      Object.keys(agentSchema.shape).filter((name) => name in answer.json),
    );
  });

  it('accepts every writable field', async () => {
    const agent = await createAgent(service, key);
    const change = {
      name: 'n',
      versionDescription: 'd',
      responseEngine: { type: 'custom_llm', prompt: 'p', model: 'm', llmWebsocketUrl: 'wss://x.example' },
      voiceId: 'v2',
      voiceModel: 'vm',
      voiceTemperature: 0,
      voiceSpeed: 2,
      voiceEmotion: 'sad',
      volume: 2,
      enableDynamicVoiceSpeed: true,
      fallbackVoiceIds: ['a'],
      responsiveness: 0.5,
      interruptionSensitivity: 0.5,
      enableBackchannel: true,
      backchannelFrequency: 0.1,
      backchannelWords: ['ええ'],
      reminderTriggerMs: 2000,
      reminderMaxCount: 2,
      beginMessageDelayMs: 1,
      beginMessage: 'hello',
      endCallAfterSilenceMs: 20000,
      maxCallDurationMs: 70000,
      language: 'en',
      sttMode: 'accurate',
      sttProvider: 's',
      ttsProvider: 't',
      boostedKeywords: ['k'],
      adaptiveSpeechRate: rate,
      pronunciationDictionary: [{ find: 'a+', replace: 'b', isRegex: true }],
      postCallAnalysisData: [{ name: 'a', type: 'enum', description: 'b' }],
      postCallAnalysisModel: 'pm',
      webhookUrl: 'https://a.example',
      webhookEvents: ['call_ended'],
      dataStorageSetting: 'everything_except_pii',
      startSkillId: 's',
      agentGlobalPrompt: 'g',
      agentVariables: [{ a: null }],
      agentSettings: { b: [1] },
    };
    const answer = await patch(agent.id, change, {
      'content-type': 'application/merge-patch+json',
      prefer: 'handling=strict',
    });
    assert.equal(answer.status, 200, answer.text);
    const own = {
      id: agent.id,
      workspaceId: agent.workspaceId,
      version: 1,
      isPublished: false,
      createdAt: agent.createdAt,
    };
    assert.deepEqual(answer.json, { ...own, ...change, updatedAt: answer.json.updatedAt });
  });

  it('treats null as a value for nullable fields, and as a removal for optional ones', async () => {
    const full = await createAgent(service, key, {
      voiceModel: 'm',
      voiceEmotion: 'calm',
      webhookUrl: 'https://a.example',
      versionDescription: 'd',
      beginMessage: 'hello',
      adaptiveSpeechRate: rate,
      pronunciationDictionary: [],
      startSkillId: 's',
      agentGlobalPrompt: 'g',
      agentVariables: [],
      agentSettings: 5,
    });
    const nullable = {
      voiceModel: null,
      voiceEmotion: null,
      webhookUrl: null,
      versionDescription: null,
      beginMessage: null,
    };
    const optional = [
      'adaptiveSpeechRate',
      'pronunciationDictionary',
      'startSkillId',
      'agentGlobalPrompt',
      'agentVariables',
      'agentSettings',
    ];
    const answer = await patch(full.id, { ...nullable, ...Object.fromEntries(optional.map((name) => [name, null])) });
    assert.equal(answer.status, 200, answer.text);
    for (const [name, value] of Object.entries(nullable)) assert.equal(answer.json[name], value, name);
    for (const name of optional) assert.ok(!(name in answer.json), `${name} is gone`);
    const again = await patch(full.id, { startSkillId: null });
    assert.equal(again.text, answer.text, 'removing an absent field changes nothing');
  });

  it('rejects null for required fields', async () => {
    const { id } = await createAgent(service, key);
    for (const name of [
      'name',
      'voiceId',
      'language',
      'responseEngine',
      'fallbackVoiceIds',
      'volume',
      'sttMode',
      'postCallAnalysisData',
      'webhookEvents',
    ]) {
      const answer = await patch(id, { [name]: null });
      assert.equal(answer.status, 400, name);
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), [name]);
    }
    const inner = await patch(id, { responseEngine: { type: null } });
    assert.deepEqual(Object.keys(inner.json.error.details.fieldErrors), ['responseEngine']);
  });

  it('merges objects, and replaces lists as a whole', async () => {
    const agent = await createAgent(service, key, {
      prompt: 'p',
      adaptiveSpeechRate: rate,
      boostedKeywords: ['a', 'b'],
      postCallAnalysisData: [{ name: 'a', type: 'enum', description: '', options: ['x'] }],
      agentSettings: { keep: 1, drop: 2, deep: { keep: [1, 2], drop: 1 } },
      agentVariables: [{ a: 1 }],
    });
    const answer = await patch(agent.id, {
      responseEngine: { model: 'other', prompt: null },
      adaptiveSpeechRate: { minSpeed: 0.6, speedRatio: null },
      boostedKeywords: ['c'],
      postCallAnalysisData: [{ name: 'b', type: 'string', description: 'd' }],
      agentSettings: { drop: null, deep: { keep: [3], drop: null }, new: { nothing: null, some: 1 } },
      agentVariables: [null],
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json.responseEngine, { type: 'conversation_flow', model: 'other' });
    assert.deepEqual(answer.json.adaptiveSpeechRate, { enabled: true, minSpeed: 0.6, maxSpeed: 1.3, windowSize: 3 });
    assert.deepEqual(answer.json.boostedKeywords, ['c']);
    assert.deepEqual(answer.json.postCallAnalysisData, [{ name: 'b', type: 'string', description: 'd' }]);
    assert.deepEqual(answer.json.agentSettings, { keep: 1, deep: { keep: [3] }, new: { some: 1 } });
    assert.deepEqual(answer.json.agentVariables, [null]);
  });

  it('rejects a patch whose result would be invalid, and leaves the agent unchanged', async () => {
    const agent = await createAgent(service, key);
    const half = await patch(agent.id, { adaptiveSpeechRate: { minSpeed: 0.6 } });
    assert.equal(half.status, 400);
    assert.deepEqual(half.json.error.details.fieldErrors, {
      adaptiveSpeechRate: ['enabled: is required', 'maxSpeed: is required', 'windowSize: is required'],
    });
    const bad = await patch(agent.id, {
      volume: 3,
      name: '',
      responseEngine: { llmWebsocketUrl: 'http://x' },
      sttMode: 'x',
    });
    assert.deepEqual(Object.keys(bad.json.error.details.fieldErrors).sort(), [
      'name',
      'responseEngine',
      'sttMode',
      'volume',
    ]);
    assert.deepEqual((await get(agent.id)).json, agent);
  });

  it('validates the patch before it looks for the agent', async () => {
    const unknown = 'agt_00000000000000000000000000000x'.replace('x', '0');
    assert.equal((await patch(unknown, { name: '' })).status, 400);
    assert.equal((await patch(unknown, { name: 'x' })).status, 404);
  });

  it('ignores read-only fields', async () => {
    const agent = await createAgent(service, key);
    const own = { id: 'x', workspaceId: 'y', version: 7, isPublished: true, createdAt: 'z', updatedAt: 'z' };
    const answer = await patch(agent.id, own);
    assert.deepEqual(answer.json, agent);
    const strict = await patch(agent.id, own, { prefer: 'handling=strict' });
    assert.deepEqual(Object.keys(strict.json.error.details.fieldErrors).sort(), Object.keys(own).sort());
  });

  it('rejects the short names of create, and names the right fields', async () => {
    const { id } = await createAgent(service, key);
    const answer = await patch(id, { prompt: 'p', llmModel: 'm', responseEngineType: 'custom_llm', name: 'x' });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.json.error.details.fieldErrors, {
      prompt: ['cannot be set here: use responseEngine.prompt instead'],
      llmModel: ['cannot be set here: use responseEngine.model instead'],
      responseEngineType: ['cannot be set here: use responseEngine.type instead'],
    });
  });

  it('does not let an agent exceed the limits of create', async () => {
    const agent = await createAgent(service, key);
    const piece = 'x'.repeat(600_000);
    assert.equal((await patch(agent.id, { agentSettings: { one: piece } })).status, 200);
    const grown = await patch(agent.id, { agentSettings: { two: piece } });
    assert.equal(grown.status, 400);
    assert.deepEqual(grown.json.error.details, {
      fieldErrors: {},
      formErrors: ['the agent would be larger than 1 MiB'],
    });
    assert.equal((await patch(agent.id, { agentSettings: { one: null, two: piece } })).status, 200);
  });

  it('treats -0 as 0', async () => {
    const agent = await createAgent(service, key, { volume: 0 });
    const published = await send(service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key });
    const answer = await send(service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, rawBody: '{"volume":-0}' });
    assert.equal(answer.text, published.text);
  });

  it('compiles patterns only when they change', async (context) => {
    const pronunciationDictionary = Array.from({ length: 100 }, (_, index) => ({
      find: `\\d{${1 + (index % 9)}}`,
      replace: '',
      isRegex: true,
    }));
    const agent = await createAgent(service, key, { pronunciationDictionary });
    const { mock } = context.mock.method(RE2JS, 'compile');
    const reversed = { pronunciationDictionary: pronunciationDictionary.toReversed() };
    assert.equal((await patch(agent.id, reversed)).status, 200);
    assert.equal(mock.callCount(), 100);
    assert.equal((await patch(agent.id, { name: 'a' })).status, 200);
    assert.equal(mock.callCount(), 100);
  });

  it('makes the agent searchable by its new name, and no longer by its old one', async () => {
    const { id } = await createAgent(service, key, { name: 'Zebra crossing' });
    await patch(id, { name: '横断歩道' });
    const find = async (q: string) =>
      (await send(service, 'GET', `/api/v1/agents?q=${encodeURIComponent(q)}`, { key })).json.items.length;
    assert.deepEqual([await find('zebra'), await find('断')], [0, 1]);
  });
});

onEachEngine('conditional requests', (engine) => {
  const service = useService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const at = (id: string, method: string, path = '', headers: Record<string, string> = {}, body?: unknown) =>
    send(service, method, `/api/v1/agents/${id}${path}`, { key, headers, ...(body === undefined ? {} : { body }) });

  it('use a strong tag that changes with every byte, in every response with a single agent', async () => {
    const created = await send(service, 'POST', '/api/v1/agents', { key, body: { name: 'a', voiceId: 'v' } });
    const { id } = created.json;
    const tags = [created.headers.get('etag')];
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'b' }],
      ['POST', '/publish', {}],
      ['POST', '/versions/1/restore', {}],
      ['POST', '/duplicate', {}],
    ] as const) {
      tags.push((await at(id, method, path, {}, body)).headers.get('etag'));
    }
    for (const tag of tags) assert.match(tag ?? '', /^"[\w-]{27}"$/);
    assert.equal(new Set(tags).size, tags.length);
    assert.equal((await at(id, 'GET')).headers.get('etag'), tags[3]);
    assert.equal((await at(id, 'GET', '/versions/1')).headers.get('etag'), tags[2]);
  });

  it('get 304 without a body if the client is up to date', async () => {
    const { id } = await createAgent(service, key);
    const tag = (await at(id, 'GET')).headers.get('etag') as string;
    for (const value of [tag, `"x", ${tag}`, `W/${tag}`, '*', tag.slice(1, -1)]) {
      const response = await fetch(`${service.url}/api/v1/agents/${id}`, {
        headers: { authorization: `Bearer ${key}`, 'if-none-match': value },
      });
      assert.equal(response.status, 304, value);
      assert.equal(response.headers.get('etag'), tag);
      assert.ok(response.headers.get('x-request-id'));
      assert.equal(await response.text(), '');
    }
    assert.equal((await at(id, 'GET', '', { 'if-none-match': '"other"' })).status, 200);
    await at(id, 'PATCH', '', {}, { name: 'changed' });
    assert.equal((await at(id, 'GET', '', { 'if-none-match': tag })).status, 200);
  });

  it('reject an outdated change with the current tag, and leave the agent unchanged', async () => {
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'mine' }],
      ['DELETE', '', undefined],
      ['POST', '/publish', {}],
      ['POST', '/versions/1/restore', {}],
    ] as const) {
      const { id } = await createAgent(service, key);
      const old = (await at(id, 'GET')).headers.get('etag') as string;
      const now = (await at(id, 'PATCH', '', { 'if-match': old }, { name: 'theirs' })).headers.get('etag') as string;
      for (const value of [old, `W/${now}`, '"x"', '""']) {
        const answer = await at(id, method, path, { 'if-match': value }, body);
        assert.equal(answer.status, 409, `${method} ${path} ${value}`);
        assert.equal(answer.json.error.code, 'VERSION_CONFLICT');
        assert.deepEqual(answer.json.error.details, { currentEtag: now });
      }
      assert.equal((await at(id, 'GET')).json.name, 'theirs');
      const wins = await at(id, method, path, { 'if-match': `"x", ${now}` }, body);
      assert.equal(wins.status, 200, wins.text);
    }
  });

  it('lose no update with concurrent changes: every acknowledged change is there', async () => {
    const { id } = await createAgent(service, key, { agentSettings: { counter: 0 } });
    let acknowledged = 0;
    const client = async () => {
      for (let done = 0; done < 10; ) {
        const read = await at(id, 'GET');
        const counter = read.json.agentSettings.counter + 1;
        const answer = await at(
          id,
          'PATCH',
          '',
          { 'if-match': read.headers.get('etag') as string },
          { agentSettings: { counter } },
        );
        if (answer.status === 200) {
          acknowledged += 1;
          done += 1;
        } else assert.equal(answer.status, 409);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    assert.equal((await at(id, 'GET')).json.agentSettings.counter, 80);
    assert.equal(acknowledged, 80);
  });
});
