import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildAgent } from '../../../src/areas/agents/agent.ts';
import { publishability } from '../../../src/areas/agents/publishable.ts';
import { createAgentBody } from '../../../src/contract/agents/requests.ts';
import type { Issue } from '../../../src/core/issues.ts';
import { AllowedNetworks } from '../../../src/net/networks.ts';
import { createAgent, send } from '../../support/client.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const local = new AllowedNetworks(['127.0.0.0/8', '::1/128']);
const none = new AllowedNetworks([]);
const identity = { id: 'agt_1', workspaceId: 'ws_1', createdAt: '2026-11-15T09:30:00.000Z' };

const textOf = ({ path: [field, ...inner], message }: Issue) => `${String(field)} ${inner.join('.')}: ${message}`;
const agentOf = (fields: object) => buildAgent(createAgentBody.parse({ name: 'a', voiceId: 'v', ...fields }), identity);
const resultOf = (fields: object, networks = none) => publishability(agentOf(fields), networks);
const errors = (fields: object, networks = none) => resultOf(fields, networks).errors.map(textOf);
const warnings = (fields: object) => resultOf(fields).warnings.map(textOf);

const tool = { name: 'book', description: 'Books.', parameters: {}, url: 'https://shop.example.com/book' };

describe('an agent can be published', () => {
  it('as soon as it is created, with nothing but a name and a voice', () => {
    assert.deepEqual(resultOf({}), { errors: [], warnings: [] });
  });

  it('with the events of a call, and no other names', () => {
    const known = ['call_started', 'call_ended', 'call_analyzed', 'call_deleted'];
    assert.deepEqual(errors({ webhookEvents: known }), []);
    const message = `must be one of: ${known.join(', ')}`;
    assert.deepEqual(errors({ webhookEvents: ['call_ended', 'agent_published', '*', 'Call_Ended'] }), [
      `webhookEvents 1: ${message}`,
      `webhookEvents 2: ${message}`,
      `webhookEvents 3: ${message}`,
    ]);
  });

  it('with test models that exist, for what they are', () => {
    for (const model of [
      'test-echo',
      'test-script',
      'test-silent',
      'test-slow',
      'test-fail',
      'test',
      'my-test-x',
      '',
    ]) {
      assert.deepEqual(errors({ llmModel: model }), [], model);
    }
    for (const model of ['test-extract', 'test-fail', 'test', 'gpt']) {
      assert.deepEqual(errors({ postCallAnalysisModel: model }), [], model);
    }
    assert.match(errors({ llmModel: 'test-ecoh' })[0] ?? '', /^responseEngine model: is not a test model: .*test-echo/);
    assert.match(errors({ llmModel: 'test-extract' })[0] ?? '', /^responseEngine model: is not a test model/);
    assert.match(errors({ postCallAnalysisModel: 'test-echo' })[0] ?? '', /^postCallAnalysisModel : is not a test/);
    assert.match(
      errors({ agentSettings: { llm: { fallbackModels: ['gpt', 'test-'] } } })[0] ?? '',
      /^agentSettings llm\.fallbackModels\.1: is not a test model/,
    );
  });

  it('with addresses that the service may connect to', () => {
    const addresses = {
      webhookUrl: 'http://127.0.0.1:9000/hook',
      responseEngine: { llmWebsocketUrl: 'ws://localhost:9000/llm' },
      agentSettings: { tools: [tool, { ...tool, name: 'other', url: 'http://[::1]:9000' }] },
    };
    assert.deepEqual(errors(addresses, local), []);
    assert.deepEqual(
      errors(addresses).map((text) => text.split(':', 1)[0]),
      ['webhookUrl ', 'responseEngine llmWebsocketUrl', 'agentSettings tools.1.url'],
    );
    assert.match(errors({ webhookUrl: 'https://u:p@example.com' })[0] ?? '', /user name or password/);
    assert.match(errors({ responseEngine: { llmWebsocketUrl: 'wss://10.0.0.1' } }, local)[0] ?? '', /network/);
    assert.match(errors({ agentSettings: { tools: [{ ...tool, url: 'ftp://a.example' }] } })[0] ?? '', /https:\/\//);
  });

  it('with agentSettings whose reserved keys are well formed, whatever else is in them', () => {
    for (const agentSettings of [null, 'text', 1, [], { theme: 'salon', Tools: 1 }]) {
      assert.deepEqual(errors({ agentSettings }), [], JSON.stringify(agentSettings));
    }
    assert.deepEqual(errors({ agentSettings: { timeZone: 'Mars', claims: {} } }), [
      'agentSettings timeZone: must be the name of a time zone, such as Asia/Tokyo',
      'agentSettings claims: is reserved for a later version of the service',
    ]);
    for (const settings of [
      { llm: null },
      { llm: 'x' },
      { tools: [null, 1, [], { url: 1, parameters: 1, name: {} }] },
    ]) {
      assert.notEqual(errors({ agentSettings: settings }).length, 0);
    }
  });

  it('with knowledge bases that exist, and fit into the instructions if they are to', () => {
    const bases = [{ id: 'kb_1', revision: 3, characterCount: 50_000 }];
    const settings = (mode: string, ...ids: string[]) => ({
      agentSettings: { knowledge: { mode, bases: ids.map((id) => ({ id })) } },
    });
    const found = (fields: object, parts: object) => publishability(agentOf(fields), none, parts).errors.map(textOf);
    assert.deepEqual(found(settings('auto', 'kb_1'), { bases }), []);
    assert.deepEqual(found(settings('auto', 'kb_1', 'kb_2'), { bases }), [
      'agentSettings knowledge.bases.1.id: is not a knowledge base of the workspace',
    ]);
    assert.deepEqual(found(settings('prompt', 'kb_1'), { bases }), []);
    const grown = [{ id: 'kb_1', revision: 4, characterCount: 50_001 }];
    assert.match(
      found(settings('prompt', 'kb_1'), { bases: grown })[0] ?? '',
      /^agentSettings knowledge\.mode: must be auto/,
    );
    assert.deepEqual(found(settings('prompt', 'kb_1'), { bases: grown, isCalled: true }), []);
    assert.deepEqual(found(settings('auto', 'kb_1'), { bases: grown }), []);
    // Without a workspace, as on the command line, nothing is known about bases.
    assert.deepEqual(found(settings('prompt', 'kb_1'), {}), []);
  });

  it('with a flow that can be followed from its first skill to an end', () => {
    const skills = [
      {
        id: 'greet',
        type: 'ask',
        text: '{{shop}}, {{current_date}}',
        variable: 'day',
        as: 'date',
        next: 'book',
        otherwise: 'bye',
      },
      { id: 'book', type: 'tool', tool: 'book', arguments: { day: '{{day}}' }, next: 'bye', otherwise: 'bye' },
      { id: 'bye', type: 'end' },
    ];
    const agentSettings = { flow: { skills }, tools: [tool] };
    const agentVariables = [{ name: 'shop', value: 'Ginza' }, 'ignored', null, { name: 1 }];
    assert.deepEqual(resultOf({ agentSettings, agentVariables }), { errors: [], warnings: [] });
    assert.deepEqual(resultOf({ agentSettings, agentVariables, startSkillId: 'greet' }).errors, []);
    assert.deepEqual(errors({ agentSettings, startSkillId: 'nowhere' }), ['startSkillId : is not the id of a skill']);
    assert.match(warnings({ agentSettings })[0] ?? '', /^agentSettings flow\.skills\.0\.text: shop is set by no skill/);
    assert.deepEqual(warnings({ agentSettings, agentVariables, responseEngineType: 'single_prompt' }), [
      'agentSettings flow: has no effect: the response engine is of type single_prompt',
    ]);
    assert.deepEqual(errors({ agentSettings: { flow: { skills } } }), [
      'agentSettings flow.skills.1.tool: is not the name of a tool in agentSettings.tools',
    ]);
    for (const flow of [null, 1, [], {}, { skills: [] }, { skills: [{ ...skills[2], next: 'x' }] }]) {
      assert.match(errors({ agentSettings: { flow } })[0] ?? '', /^agentSettings flow/, JSON.stringify(flow));
    }
  });

  it('although a text reads a variable that nothing sets, which is a warning for every text of every agent', () => {
    const fields = {
      beginMessage: 'Hello {{who}}, it is {{current_time}} at {{shop}}.',
      agentGlobalPrompt: 'Be {{how}}.',
      boostedKeywords: ['{{brand}}', 'ケラチン'],
      agentVariables: [{ name: 'shop', value: 'Ginza' }],
      prompt: 'You are {{agent_name}}. Help {{customer}} with {{call_id}}.',
      llmModel: 'gpt',
    };
    const fromCall = 'is not in agentVariables: it must come from the variables of the call';
    const outside = [`agentGlobalPrompt : how ${fromCall}`, `boostedKeywords 0: brand ${fromCall}`];
    assert.deepEqual(resultOf(fields).errors, []);
    assert.deepEqual(warnings({ ...fields, responseEngineType: 'single_prompt' }), [
      `beginMessage : who ${fromCall}`,
      `responseEngine prompt: customer ${fromCall} or the result of a tool`,
      ...outside,
    ]);
    // A custom LLM has prompts of its own, and a flow has its texts.
    const responseEngine = { type: 'custom_llm', llmWebsocketUrl: 'wss://llm.example.com' };
    assert.deepEqual(warnings({ ...fields, responseEngine }), [`beginMessage : who ${fromCall}`, ...outside]);
    const skills = [{ id: 'bye', type: 'end', text: '{{who}}' }];
    const inFlow = warnings({
      ...fields,
      responseEngineType: 'conversation_flow',
      agentSettings: { flow: { skills } },
    });
    assert.deepEqual(inFlow.slice(0, 3), [`beginMessage : who ${fromCall}`, ...outside]);
    assert.match(inFlow[3] ?? '', /^agentSettings flow\.skills\.0\.text: who is set by no skill/);
    assert.equal(inFlow.length, 4);
  });

  it('although something has no effect, which is a warning', () => {
    assert.deepEqual(resultOf({ startSkillId: 'greet' }).errors, []);
    assert.deepEqual(warnings({ startSkillId: 'greet' }), ['startSkillId : has no effect: agentSettings has no flow']);
  });

  it('and everything that prevents it is reported at once', () => {
    const fields = {
      responseEngine: { type: 'custom_llm', model: 'test-x' },
      adaptiveSpeechRate: { enabled: true, minSpeed: 1, maxSpeed: 1, windowSize: 3 },
      postCallAnalysisData: [{ name: 'a', type: 'enum', description: '' }],
      postCallAnalysisModel: 'test-x',
      webhookUrl: 'https://10.0.0.1',
      webhookEvents: ['x'],
      agentSettings: { tools: [{ ...tool, url: 'https://10.0.0.1', timeoutMs: 1 }], calls: 1 },
    };
    assert.deepEqual(
      errors(fields).map((text) => text.split(':', 1)[0]),
      [
        'responseEngine llmWebsocketUrl',
        'postCallAnalysisData 0.options',
        'responseEngine model',
        'postCallAnalysisModel ',
        'webhookUrl ',
        'agentSettings tools.0.url',
        'webhookEvents 0',
        'agentSettings tools.0.timeoutMs',
        'agentSettings calls',
      ],
    );
  });
});

describe('checking an agent', () => {
  const service = useService(sqliteEngine());
  const key = async () => (await service.newKey()).key;

  it('tells exactly what publishing would reject, and publishes nothing', async () => {
    const caller = await key();
    const { id } = await createAgent(service, caller, {
      webhookEvents: ['nope'],
      startSkillId: 'greet',
      agentSettings: { tools: [{ ...tool, url: 'https://192.168.0.1/', timeoutMs: 1 }], phone: 1 },
      responseEngine: { model: 'test-nope' },
    });
    const path = `/api/v1/agents/${id}`;
    const before = await send(service, 'GET', path, { key: caller });
    const { status, json } = await send(service, 'GET', `${path}/check`, { key: caller });
    assert.equal(status, 200);
    assert.equal(json.publishable, false);
    assert.deepEqual(json.warnings, [
      { field: 'startSkillId', path: '', message: 'has no effect: agentSettings has no flow' },
    ]);
    assert.equal((await send(service, 'GET', path, { key: caller })).text, before.text);
    const refused = await send(service, 'POST', `${path}/publish`, { key: caller });
    assert.equal(refused.status, 422);
    const { fieldErrors } = refused.json.error.details as { fieldErrors: Record<string, string[]> };
    const told = json.errors.map(({ field, path: inner, message }: Record<string, string>) =>
      inner === '' ? `${field} ${message}` : `${field} ${inner}: ${message}`,
    );
    const rejected = Object.entries(fieldErrors).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`));
    assert.deepEqual(told.toSorted(), rejected.toSorted());
    assert.equal(told.length, 5);
  });

  it('is about the latest version, or the one that is asked for', async () => {
    const caller = await key();
    const { id } = await createAgent(service, caller);
    const path = `/api/v1/agents/${id}`;
    assert.equal((await send(service, 'POST', `${path}/publish`, { key: caller })).status, 200);
    await send(service, 'PATCH', path, { key: caller, body: { webhookEvents: ['nope'] } });
    for (const [query, publishable] of [
      ['', false],
      ['?version=latest', false],
      ['?version=2', false],
      ['?version=1', true],
      ['?version=published', true],
    ] as const) {
      const { json } = await send(service, 'GET', `${path}/check${query}`, { key: caller });
      assert.equal(json.publishable, publishable, query);
    }
    assert.equal((await send(service, 'GET', `${path}/check?version=3`, { key: caller })).status, 404);
    assert.equal((await send(service, 'GET', `${path}/check?version=newest`, { key: caller })).status, 400);
  });

  it('returns 100 errors at most, however long their paths are', async () => {
    const caller = await key();
    const name = '項'.repeat(500);
    const calls = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`${name}${index}`, 1]));
    const { id } = await createAgent(service, caller, { agentSettings: { calls } });
    const { json } = await send(service, 'GET', `/api/v1/agents/${id}/check`, { key: caller });
    assert.equal(json.errors.length, 100);
    assert.equal(json.errors[0].path.length < 100, true);
  });
});

describe('where no network is allowed', () => {
  const service = useService(sqliteEngine(), { allowedNetworks: [] });

  it('an address of this machine can be saved, but not published', async () => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key, { webhookUrl: 'http://localhost:9000/hook' });
    const { status, json } = await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(json.error.details.fieldErrors), ['webhookUrl']);
  });
});
