import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { agent } from '../../../src/contract/agents/agent.ts';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const path = '/api/v1/agents';
const least = { name: 'Reception', voiceId: 'voice-1' };
const rate = { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 };

onEachEngine('agents.create', (engine) => {
  const service = useService(engine);
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ key, workspaceId } = await service.newKey());
  });

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    send(service, 'POST', path, { key, body, headers });
  const fieldErrorsOf = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await post(body, headers);
    assert.equal(answer.status, 400, JSON.stringify(body)?.slice(0, 200));
    assert.equal(answer.json.error.code, 'VALIDATION_ERROR');
    return answer.json.error.details.fieldErrors;
  };

  it('fills in all defaults, and omits unset optional fields', async () => {
    const before = Date.now();
    const answer = await post(least);
    assert.equal(answer.status, 201);
    const { id, createdAt, updatedAt, ...rest } = answer.json;
    assert.match(id, /^agt_[0-9a-z]{30}$/);
    assert.equal(createdAt, updatedAt);
    assert.ok(Date.parse(createdAt) >= before && Date.parse(createdAt) <= Date.now());
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      workspaceId,
      name: 'Reception',
      version: 1,
      isPublished: false,
      versionDescription: null,
      responseEngine: { type: 'conversation_flow', model: 'gpt-5.4-mini' },
      voiceId: 'voice-1',
      voiceModel: null,
      voiceTemperature: 1,
      voiceSpeed: 1,
      voiceEmotion: null,
      volume: 1,
      enableDynamicVoiceSpeed: false,
      fallbackVoiceIds: [],
      responsiveness: 1,
      interruptionSensitivity: 1,
      enableBackchannel: false,
      backchannelFrequency: 0.8,
      backchannelWords: [],
      reminderTriggerMs: 10000,
      reminderMaxCount: 1,
      beginMessageDelayMs: 0,
      beginMessage: null,
      endCallAfterSilenceMs: 600000,
      maxCallDurationMs: 3600000,
      language: 'ja',
      sttMode: 'fast',
      sttProvider: 'auto',
      ttsProvider: 'auto',
      boostedKeywords: [],
      postCallAnalysisData: [],
      postCallAnalysisModel: 'gpt-5.4-mini',
      webhookUrl: null,
      webhookEvents: ['call_started', 'call_ended', 'call_analyzed'],
      dataStorageSetting: 'everything',
    });
  });

  it('accepts the documented fields, and get returns the same bytes', async () => {
    const created = await post({
      ...least,
      responseEngineType: 'single_prompt',
      prompt: 'あなたは受付です。\n"quoted" \\ 😀',
      llmModel: 'other-model',
      language: 'en-GB',
      beginMessage: '',
      adaptiveSpeechRate: { ...rate, speedRatio: 1.5 },
    });
    assert.equal(created.status, 201);
    assert.deepEqual(created.json.responseEngine, {
      type: 'single_prompt',
      prompt: 'あなたは受付です。\n"quoted" \\ 😀',
      model: 'other-model',
    });
    assert.equal(created.json.language, 'en-GB');
    assert.equal(created.json.beginMessage, '');
    assert.deepEqual(created.json.adaptiveSpeechRate, { ...rate, speedRatio: 1.5 });
    const read = await send(service, 'GET', `${path}/${created.json.id}`, { key });
    assert.equal(read.text, created.text);
  });

  it('accepts every other writable field under its own name, and responds in the order of the contract', async () => {
    const body = {
      ...least,
      versionDescription: 'first',
      responseEngine: { type: 'custom_llm', llmWebsocketUrl: 'wss://llm.example.com/a', model: 'm', prompt: 'p' },
      voiceModel: 'v2',
      voiceTemperature: 0.5,
      voiceSpeed: 2,
      voiceEmotion: 'calm',
      volume: 0,
      enableDynamicVoiceSpeed: true,
      fallbackVoiceIds: ['voice-2'],
      responsiveness: 0,
      interruptionSensitivity: 0,
      enableBackchannel: true,
      backchannelFrequency: 1,
      backchannelWords: ['はい'],
      reminderTriggerMs: 1000,
      reminderMaxCount: 0,
      beginMessageDelayMs: 5000,
      endCallAfterSilenceMs: 10000,
      maxCallDurationMs: 7200000,
      sttMode: 'accurate',
      sttProvider: 'a',
      ttsProvider: 'b',
      boostedKeywords: ['カット'],
      adaptiveSpeechRate: rate,
      pronunciationDictionary: [
        { find: 'SQL', replace: 'エスキューエル' },
        { find: '\\d+', replace: '', isRegex: true },
      ],
      postCallAnalysisData: [{ name: 'booked', type: 'enum', description: '', options: ['yes', 'no'] }],
      postCallAnalysisModel: 'm2',
      webhookUrl: 'https://shop.example.com/hook',
      webhookEvents: [],
      dataStorageSetting: 'basic_attributes_only',
      startSkillId: 'greeting',
      agentGlobalPrompt: 'be kind',
      agentVariables: [1, null, 'x', { deep: [true] }],
      agentSettings: { any: { shape: [1.5, 'é'] } },
    };
    const { json, status } = await post(body);
    assert.equal(status, 201);
    for (const [name, value] of Object.entries(body)) assert.deepEqual(json[name], value, name);
    assert.deepEqual(Object.keys(json), Object.keys(agent.shape));
  });

  it('ignores read-only fields', async () => {
    const own = { id: 'agt_mine', workspaceId: 'ws_mine', version: 9, isPublished: true, createdAt: 'x', updatedAt: 1 };
    const { json, status } = await post({ ...least, ...own });
    assert.equal(status, 201);
    for (const [name, value] of Object.entries(own)) assert.notEqual(json[name], value, name);
    assert.deepEqual(
      Object.keys(await fieldErrorsOf({ ...least, ...own }, { prefer: 'handling=strict' })).sort(),
      Object.keys(own).sort(),
    );
  });

  it('accepts every limit and rejects the first value beyond it', async () => {
    const cases: [field: string, good: unknown[], bad: unknown[]][] = [
      ['name', ['x', '😀'.repeat(255), '　'], ['', 'x'.repeat(256), '😀'.repeat(256), null, 1, ['x'], {}]],
      ['voiceId', ['v', 'v'.repeat(255)], ['', 'v'.repeat(256), null, 1]],
      ['responseEngineType', ['single_prompt', 'conversation_flow', 'custom_llm'], ['', 'Single_Prompt', null, 1]],
      ['prompt', ['', 'あ'.repeat(200000)], ['x'.repeat(200001), null, 1, {}]],
      ['llmModel', ['any'], [null, 1, 'x'.repeat(256)]],
      ['language', ['en', 'ja-JP'], [null, 1, 'x'.repeat(65)]],
      ['beginMessage', ['', 'x'.repeat(10000)], [null, 1, 'x'.repeat(10001)]],
      ['adaptiveSpeechRate', [rate, { ...rate, unknown: 1 }], [null, [], true, 'on', {}]],
      ['voiceTemperature', [0, 2, 1.25], [-0.01, 2.01, '1', null, true]],
      ['voiceSpeed', [0.5, 2], [0.49, 2.01]],
      ['volume', [0, 2], [-1, 2.1]],
      ['voiceEmotion', ['surprised', null], ['bored', '']],
      ['responsiveness', [0, 1], [-0.1, 1.1]],
      ['interruptionSensitivity', [0, 1], [-0.1, 1.1]],
      ['backchannelFrequency', [0, 1], [-0.1, 1.1]],
      ['reminderTriggerMs', [1000, 600000], [999, 600001]],
      ['reminderMaxCount', [0, 100], [-1, 101, 1.5]],
      ['beginMessageDelayMs', [0, 5000], [-1, 5001]],
      ['endCallAfterSilenceMs', [10000, 7200000], [9999, 7200001]],
      ['maxCallDurationMs', [60000, 7200000], [59999, 7200001]],
      ['enableBackchannel', [true, false], ['true', 1, null]],
      ['sttMode', ['fast', 'accurate'], ['slow', null]],
      ['dataStorageSetting', ['everything_except_pii'], ['nothing', null]],
      ['versionDescription', [null, '', 'x'.repeat(500)], ['x'.repeat(501), 1]],
      [
        'webhookUrl',
        [null, 'https://a.example', 'http://localhost:3000/x', 'http://127.0.0.1/x', 'http://[::1]:1/x'],
        ['http://a.example', 'ftp://a.example', 'a.example', '', 'http://127.0.0.1.evil.example/', 1],
      ],
      [
        'responseEngine',
        [{ llmWebsocketUrl: 'ws://a.example' }, {}],
        [{ llmWebsocketUrl: 'https://a.example' }, 1, null],
      ],
      ['fallbackVoiceIds', [[], ['v']], [[''], [1], 'v', null]],
      ['agentVariables', [[], [null]], [{}, 'x', null]],
      ['agentSettings', [null, 0, 'text', [], {}], []],
      ['postCallAnalysisData', [[]], [[{}], [{ name: 'a', type: 'date', description: '' }], {}]],
      [
        'pronunciationDictionary',
        [[]],
        [[{ find: '(', replace: '', isRegex: true }], [{ find: '', replace: '' }], null],
      ],
    ];
    for (const [field, good, bad] of cases) {
      for (const value of good) {
        const answer = await post({ ...least, [field]: value });
        assert.equal(
          answer.status,
          201,
          `${field} ${JSON.stringify(value).slice(0, 60)}: ${answer.text.slice(0, 300)}`,
        );
      }
      for (const value of bad) {
        const errors = await fieldErrorsOf({ ...least, [field]: value });
        assert.deepEqual(Object.keys(errors), [field], JSON.stringify(value)?.slice(0, 60));
      }
    }
  });

  it('validates adaptiveSpeechRate, and names the nested field', async () => {
    const good = [
      { minSpeed: 0.5 },
      { minSpeed: 1 },
      { maxSpeed: 1 },
      { maxSpeed: 2 },
      { windowSize: 1 },
      { windowSize: 10 },
      { speedRatio: 0.5 },
      { speedRatio: 2 },
      { enabled: false },
    ];
    for (const change of good)
      assert.equal((await post({ ...least, adaptiveSpeechRate: { ...rate, ...change } })).status, 201);
    const bad: [Record<string, unknown>, string][] = [
      [{ minSpeed: 0.49 }, 'minSpeed: must be at least 0.5'],
      [{ minSpeed: 1.01 }, 'minSpeed: must be at most 1'],
      [{ maxSpeed: 0.99 }, 'maxSpeed: must be at least 1'],
      [{ maxSpeed: 2.01 }, 'maxSpeed: must be at most 2'],
      [{ windowSize: 0 }, 'windowSize: must be at least 1'],
      [{ windowSize: 11 }, 'windowSize: must be at most 10'],
      [{ windowSize: 2.5 }, 'windowSize: must be a whole number'],
      [{ speedRatio: 0.4 }, 'speedRatio: must be at least 0.5'],
      [{ speedRatio: null }, 'speedRatio: must be a number'],
      [{ enabled: 1 }, 'enabled: must be true or false'],
      [{ enabled: undefined }, 'enabled: is required'],
    ];
    for (const [change, message] of bad) {
      const errors = await fieldErrorsOf({ ...least, adaptiveSpeechRate: { ...rate, ...change } });
      assert.deepEqual(errors, { adaptiveSpeechRate: [message] });
    }
  });

  it('reports all errors of a request at once', async () => {
    const errors = await fieldErrorsOf({
      name: '',
      responseEngineType: 'x',
      language: 5,
      adaptiveSpeechRate: { enabled: 'yes', minSpeed: 0, maxSpeed: 3, windowSize: 1 },
    });
    assert.deepEqual(errors, {
      name: ['must not be empty'],
      voiceId: ['is required'],
      responseEngineType: ['must be one of: single_prompt, conversation_flow, custom_llm'],
      language: ['must be a string'],
      adaptiveSpeechRate: [
        'enabled: must be true or false',
        'minSpeed: must be at least 0.5',
        'maxSpeed: must be at most 2',
      ],
    });
  });

  it('reports an invalid body and an unknown parameter together', async () => {
    const answer = await send(service, 'POST', `${path}?colour=red`, {
      key,
      rawBody: '{',
      headers: { prefer: 'handling=strict' },
    });
    assert.deepEqual(answer.json.error.details.fieldErrors, { colour: ['is not a parameter of this operation'] });
    assert.equal(answer.json.error.details.formErrors.length, 1);
  });

  it('rejects contradictions between responseEngine and the flat fields', async () => {
    const errors = await fieldErrorsOf({
      ...least,
      responseEngineType: 'custom_llm',
      responseEngine: { type: 'single_prompt' },
    });
    assert.deepEqual(errors, { responseEngine: ['type: contradicts responseEngineType'] });
    const agreeing = await createAgent(service, key, { prompt: 'same', responseEngine: { prompt: 'same' } });
    assert.equal(agreeing.responseEngine.prompt, 'same');
  });

  it('ignores unknown fields, or rejects each of them with strict handling', async () => {
    const body = { ...least, colour: 'red', adaptiveSpeechRate: { ...rate, hue: 1 }, responseEngine: { kind: 1 } };
    const lenient = await post(body);
    assert.equal(lenient.status, 201);
    assert.equal(lenient.headers.get('ignored-fields'), 'colour, adaptiveSpeechRate.hue, responseEngine.kind');
    const errors = await fieldErrorsOf(body, { prefer: 'handling=strict' });
    assert.deepEqual(errors, {
      colour: ['is not a known field'],
      adaptiveSpeechRate: ['hue: is not a known field'],
      responseEngine: ['kind: is not a known field'],
    });
    const strict = await post(least, { prefer: 'handling=strict' });
    assert.equal(strict.status, 201);
    assert.equal(strict.headers.get('ignored-fields'), null);
    assert.equal(strict.headers.get('preference-applied'), 'handling=strict');
  });

  it('names ignored fields in a response of at most 1,000 characters, also beside errors', async () => {
    const misspelled = await post({ nmae: 'a', voiceId: 'v' });
    assert.equal(misspelled.status, 400);
    assert.equal(misspelled.headers.get('ignored-fields'), 'nmae');
    const names = ['色', 'a.b, c', '\r\nx: y', '"'];
    const odd = await post({ ...least, ...Object.fromEntries(names.map((name) => [name, 1])) });
    assert.equal(odd.headers.get('ignored-fields'), '%E8%89%B2, a%2Eb%2C%20c, %0D%0Ax%3A%20y, %22');
    const many = Array.from({ length: 5000 }, (_, index) => [`field_${index}`, 1]);
    const bounded = (await post({ ...least, ...Object.fromEntries(many) })).headers.get('ignored-fields') ?? '';
    assert.ok(bounded.startsWith('field_0, field_1, ') && bounded.endsWith(', ...') && bounded.length <= 1000, bounded);
    const long = (await post({ ...least, ['店'.repeat(10_000)]: 1 })).headers.get('ignored-fields');
    assert.equal(long, encodeURIComponent(`${'店'.repeat(64)}…`));
  });

  it('rejects NUL, unpaired surrogates and numbers that exceed a double anywhere in the body, with their paths', async () => {
    const raw = async (rawBody: string) => {
      const answer = await send(service, 'POST', path, { key, rawBody });
      assert.equal(answer.status, 400, rawBody);
      return answer.json.error.details.fieldErrors;
    };
    assert.deepEqual(await raw('{"name":"a\\u0000b","voiceId":"v"}'), { name: ['must not contain NUL characters'] });
    assert.deepEqual(await raw('{"name":"\\ud83d","voiceId":"v"}'), {
      name: ['must not contain unpaired surrogates'],
    });
    assert.deepEqual(await raw('{"name":"a","voiceId":"v","agentSettings":{"a":[1,"\\u0000"]}}'), {
      agentSettings: ['a.1: must not contain NUL characters'],
    });
    assert.deepEqual(Object.keys(await raw('{"name":"a","voiceId":"v","unknown":{"\\u0000":1}}')), ['unknown']);
    assert.deepEqual(await raw('{"name":"a","voiceId":"v","agentSettings":1e999}'), {
      agentSettings: ['is out of range for a number'],
    });
  });

  it('stores any other text byte for byte', async () => {
    const texts = [
      '\u0001\u001f\u007f',
      '\u2028\u2029\ufeff',
      '𠮷野家 👩‍👩‍👧',
      '<script>&amp;"\'\\/',
      'e\u0301 vs é',
      "'; DROP TABLE agents; --",
    ];
    for (const text of texts) {
      const created = await createAgent(service, key, { name: text, prompt: text, agentSettings: { [text]: text } });
      const read = await send(service, 'GET', `${path}/${created.id}`, { key });
      assert.equal(read.json.name, text);
      assert.equal(read.json.responseEngine.prompt, text);
      assert.deepEqual(read.json.agentSettings, { [text]: text });
    }
    const odd = await send(service, 'POST', path, {
      key,
      rawBody:
        '{"name":"a","voiceId":"v","agentSettings":{"__proto__":{"x":1},"constructor":2},"__proto__":{"name":"evil"}}',
    });
    assert.equal(odd.status, 201);
    assert.match(odd.text, /"agentSettings":\{"__proto__":\{"x":1\},"constructor":2\}/);
  });

  describe('a body that is not a JSON object', () => {
    const cases: [string, string | Uint8Array, Record<string, string>][] = [
      ['broken JSON', '{"name":', {}],
      ['a trailing comma', '{"name":"a",}', {}],
      ['an array', '[]', {}],
      ['null', 'null', {}],
      ['a string', '"x"', {}],
      ['nothing but a space', ' ', {}],
      ['NaN', '{"voiceTemperature":NaN}', {}],
      ['invalid UTF-8', Buffer.from('{"name":"\xff","voiceId":"v"}', 'latin1'), {}],
      ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le'), {}],
      ['another content type', JSON.stringify(least), { 'content-type': 'text/plain' }],
      ['a form', 'name=a&voiceId=v', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['a content type that only looks alike', JSON.stringify(least), { 'content-type': 'application/jsonx' }],
      ['a broken content type', JSON.stringify(least), { 'content-type': 'application' }],
      ['another charset', JSON.stringify(least), { 'content-type': 'application/json; charset=utf-16' }],
      ['a compressed body', JSON.stringify(least), { 'content-encoding': 'gzip' }],
      ['50,000 nested arrays', `{"agentSettings":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, {}],
      ['65 levels', `{"name":"a","voiceId":"v","agentSettings":${'['.repeat(64)}${']'.repeat(64)}}`, {}],
      ['more than 1 MiB', JSON.stringify({ ...least, agentSettings: 'x'.repeat(1024 * 1024) }), {}],
      ['20 MiB', JSON.stringify({ ...least, agentSettings: 'x'.repeat(20 * 1024 * 1024) }), {}],
    ];
    for (const [title, rawBody, headers] of cases) {
      it(`is rejected with 400: ${title}`, async () => {
        const answer = await send(service, 'POST', path, { key, rawBody, headers });
        assert.equal(answer.status, 400);
        assert.deepEqual(answer.json.error.details.fieldErrors, {});
        assert.equal(answer.json.error.details.formErrors.length, 1);
      });
    }

    it('is rejected with 400: no body', async () => {
      const answer = await send(service, 'POST', path, { key });
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.details.formErrors.length, 1);
    });
  });

  it('accepts the usual notations of JSON', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"']) {
      const answer = await send(service, 'POST', path, {
        key,
        rawBody: JSON.stringify(least),
        headers: { 'content-type': type },
      });
      assert.equal(answer.status, 201, type);
    }
    const deep = `{"name":"a","voiceId":"v","agentSettings":${'['.repeat(63)}${']'.repeat(63)}}`;
    assert.equal((await send(service, 'POST', path, { key, rawBody: deep })).status, 201);
  });
});
