import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentSettingsIssues } from '../../src/voice/settings.ts';

const tool = { name: 'book', description: 'Books.', parameters: {}, url: 'https://shop.example.com/book' };
const issues = (settings: unknown) =>
  agentSettingsIssues(settings).map(({ path, message }) => `${path.join('.')}: ${message}`);
const ofTool = (fields: object) => issues({ tools: [{ ...tool, ...fields }] });

describe('the reserved keys of agentSettings', () => {
  it('leave everything else to the caller, whatever its shape', () => {
    for (const settings of [undefined, null, 1, 'x', [], [{ tools: 1 }], {}, { theme: { tools: 1 } }, { Tools: 1 }]) {
      assert.deepEqual(issues(settings), [], JSON.stringify(settings));
    }
    // Not a key of the object, and not one that is reserved.
    assert.deepEqual(issues(JSON.parse('{"__proto__": {"tools": 1}, "constructor": 1}')), []);
  });

  it('accept every value in its limits, and name the first one past them', () => {
    const good: Record<string, unknown[]> = {
      calls: [
        {},
        { recordingEnabled: true, latencyBudgetMs: 100, retentionDays: 1 },
        { latencyBudgetMs: 60_000, retentionDays: 730 },
      ],
      llm: [
        {},
        { temperature: 0, maxTokens: 1, reasoningEffort: 'x'.repeat(32), fallbackModels: [] },
        { temperature: 2, maxTokens: 4096, fallbackModels: ['a', 'b', 'c'] },
      ],
      timeZone: ['Asia/Tokyo', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+9'],
      analysis: [{}, { enabled: false, summaryPrompt: '', successPrompt: 'x'.repeat(10_000), language: 'ja' }],
      tools: [[], [tool], Array.from({ length: 20 }, (_, index) => ({ ...tool, name: `t${index}` }))],
    };
    for (const [key, values] of Object.entries(good)) {
      for (const value of values) assert.deepEqual(issues({ [key]: value }), [], JSON.stringify(value).slice(0, 200));
    }
    const bad: [settings: unknown, expected: string][] = [
      [{ calls: [] }, 'calls: must be an object'],
      [{ calls: null }, 'calls: must be an object'],
      [{ calls: { recordingEnabled: 'yes' } }, 'calls.recordingEnabled: must be true or false'],
      [{ calls: { latencyBudgetMs: 99 } }, 'calls.latencyBudgetMs: must be at least 100'],
      [{ calls: { latencyBudgetMs: 100.5 } }, 'calls.latencyBudgetMs: must be a whole number'],
      [{ calls: { retentionDays: 731 } }, 'calls.retentionDays: must be at most 730'],
      [{ calls: { recording: true } }, 'calls.recording: is not a known setting'],
      [{ llm: { temperature: 2.1 } }, 'llm.temperature: must be at most 2'],
      [{ llm: { maxTokens: 4097 } }, 'llm.maxTokens: must be at most 4096'],
      [{ llm: { reasoningEffort: 'x'.repeat(33) } }, 'llm.reasoningEffort: must be at most 32 characters long'],
      [{ llm: { fallbackModels: ['a', 'b', 'c', 'd'] } }, 'llm.fallbackModels: must have at most 3 items'],
      [{ timeZone: 'Tokyo' }, 'timeZone: must be the name of a time zone, such as Asia/Tokyo'],
      [{ timeZone: '+09:00' }, 'timeZone: must be the name of a time zone, such as Asia/Tokyo'],
      [{ timeZone: 9 }, 'timeZone: must be a string'],
      [{ analysis: { language: '' } }, 'analysis.language: must not be empty'],
      [
        { analysis: { summaryPrompt: 'x'.repeat(10_001) } },
        'analysis.summaryPrompt: must be at most 10000 characters long',
      ],
      [{ knowledge: {} }, 'knowledge.bases: is required'],
      [{ knowledge: { bases: [] } }, 'knowledge.bases: must not be empty'],
      [{ knowledge: { bases: [{ id: 'kb_1' }, { id: 'kb_1' }] } }, 'knowledge.bases.1.id: must be unique'],
      [{ knowledge: { bases: [{ id: 'kb_1' }], waitMs: 1001 } }, 'knowledge.waitMs: must be at most 1000'],
      [{ knowledge: { bases: [{ id: 'kb_1' }], model: 'x' } }, 'knowledge.model: is not a known setting'],
      [{ tools: {} }, 'tools: must be a list'],
      [{ tools: [1] }, 'tools.0: must be an object'],
    ];
    for (const [settings, expected] of bad) assert.deepEqual(issues(settings), [expected]);
    const many = Array.from({ length: 21 }, (_, index) => ({ ...tool, name: `t${index}` }));
    assert.deepEqual(issues({ tools: many }), ['tools: must have at most 20 items']);
  });

  it('that will get a meaning later are not accepted before', () => {
    for (const key of ['claims', 'overrides', 'mcpServers']) {
      assert.deepEqual(issues({ [key]: {} }), [`${key}: is reserved for a later version of the service`]);
    }
  });

  it('report everything at once, with its place', () => {
    const settings = {
      calls: { a: 1, b: 2 },
      timeZone: 'x',
      tools: [
        { name: 'Book', where: 'nowhere', parameters: { type: 'array', required: 1 } },
        { ...tool, timeoutMs: 1 },
      ],
      phone: 1,
    };
    assert.deepEqual(issues(settings).toSorted(), [
      'calls.a: is not a known setting',
      'calls.b: is not a known setting',
      'phone: must be an object',
      'timeZone: must be the name of a time zone, such as Asia/Tokyo',
      'tools.0.description: is required',
      'tools.0.name: must start with a lowercase letter and consist of lowercase letters, digits and underscores, up to 64',
      'tools.0.parameters.required: must be a list',
      'tools.0.parameters.type: must be object',
      'tools.0.url: is required for tools that run on a server',
      'tools.0.where: must be one of: server, client',
      'tools.1.timeoutMs: must be at least 500',
    ]);
  });
});

describe('the tools in agentSettings', () => {
  it('have unique names that a model and a flow can use, and none that is built in', () => {
    for (const name of ['a', 'book_2', `a${'x'.repeat(63)}`]) assert.deepEqual(ofTool({ name }), [], name);
    for (const name of ['', 'Book', '2b', '_a', 'a-b', '予約', 'a b', `a${'x'.repeat(64)}`]) {
      assert.match(ofTool({ name })[0] ?? '', /^tools\.0\.name: must/, name);
    }
    for (const name of ['end_call', 'wait', 'transfer_call', 'press_keys', 'do_not_call_again']) {
      assert.deepEqual(ofTool({ name }), ['tools.0.name: is the name of a tool that is built in']);
    }
    assert.deepEqual(issues({ tools: [tool, { ...tool, name: 'x' }, tool] }), ['tools.2.name: must be unique']);
  });

  it('have an address where they run on a server, and none where they run on the client', () => {
    const { url: _, ...without } = tool;
    assert.deepEqual(issues({ tools: [without] }), ['tools.0.url: is required for tools that run on a server']);
    assert.deepEqual(issues({ tools: [{ ...without, where: 'client' }] }), []);
    assert.deepEqual(ofTool({ where: 'client', method: 'POST', headers: {} }), [
      'tools.0.url: is not allowed for tools that run on the client',
      'tools.0.method: is not allowed for tools that run on the client',
      'tools.0.headers: is not allowed for tools that run on the client',
    ]);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) assert.deepEqual(ofTool({ method }), []);
    for (const method of ['HEAD', 'post']) assert.equal(ofTool({ method }).length, 1);
  });

  it('say a sentence while they run, or rotate through several', () => {
    for (const say of ['少々お待ちください。', ['A', 'B']]) assert.deepEqual(ofTool({ say }), []);
    for (const say of ['', [], [''], 1, ['x'.repeat(2001)]]) assert.equal(ofTool({ say }).length, 1, String(say));
  });

  it('have parameters of at most 16 KiB', () => {
    const parameters = (length: number) => ({ description: 'x'.repeat(length - '{"description":""}'.length) });
    assert.deepEqual(ofTool({ parameters: parameters(16_384) }), []);
    assert.deepEqual(ofTool({ parameters: parameters(16_385) }), [
      'tools.0.parameters: must be at most 16 KiB as JSON',
    ]);
    assert.deepEqual(ofTool({ parameters: [] }), ['tools.0.parameters: must be an object']);
  });

  it('send credentials as secrets only, and no header that is ours', () => {
    const withHeader = (name: string, value: unknown) => ofTool({ headers: { [name]: value } });
    for (const [name, value] of [
      ['Authorization', 'Bearer {{secrets.SHOP_TOKEN}}'],
      ['authorization', '{{secrets.A}}{{secrets.B2}}'],
      ['X-Shop', 'ginza'],
      ['X-Key', '{{secrets.KEY}}'],
    ] as const) {
      assert.deepEqual(withHeader(name, value), [], name);
    }
    assert.match(withHeader('Authorization', 'Bearer abc')[0] ?? '', /headers\.Authorization: must contain a secret/);
    assert.match(withHeader('AUTHORIZATION', '')[0] ?? '', /must contain a secret/);
    for (const value of [
      '{{secrets.lower}}',
      '{{secrets.}}',
      '{{ secrets.A }}',
      '{{name}}',
      '{{secrets.A',
      '{{secrets.1A}}',
    ]) {
      assert.match(withHeader('X-Key', value)[0] ?? '', /may contain \{\{secrets\.NAME\}\} only/, value);
    }
    for (const name of [
      'Host',
      'content-length',
      'Transfer-Encoding',
      'Webhook-Id',
      'Idempotency-Key',
      'Proxy-Authorization',
    ]) {
      assert.match(withHeader(name, 'x')[0] ?? '', /is set by the service/, name);
    }
    for (const name of ['', 'a b', 'a:', '予約']) assert.match(withHeader(name, 'x')[0] ?? '', /is not the name/, name);
    for (const value of ['a\r\nb: c', 'é', '\0']) assert.match(withHeader('X-A', value)[0] ?? '', /printable ASCII/);
    assert.equal(withHeader('X-A', 1).length, 1);
    assert.deepEqual(ofTool({ headers: { 'X-A': '1', 'x-a': '2' } }), ['tools.0.headers.x-a: must be unique']);
  });
});

describe('agentSettings.phone', () => {
  const desk = { name: 'desk', description: 'The front desk.', to: '+81312345678' };
  const ofPhone = (phone: unknown) => issues({ phone });
  const ofTransfer = (fields: object) => ofPhone({ transfers: [{ ...desk, ...fields }] });

  it('has voicemail, transfers, a recording notice and an opt-out', () => {
    const full = {
      voicemail: { detect: 'carrier', action: 'message', message: 'Call back, {{name}}.' },
      transfers: [
        { ...desk, mode: 'warm', brief: '{{name}}', extension: 'w12#', ringTimeoutMs: 5000, showCaller: true },
        { ...desk, name: '予約', to: '+99901234501' },
      ],
      recordingNotice: 'This call is recorded.',
      optOut: false,
    };
    for (const phone of [{}, full, { voicemail: {} }]) assert.deepEqual(ofPhone(phone), []);
  });

  it('is malformed with anything else', () => {
    const bad: [issues: string[], expected: string][] = [
      [ofPhone({ voicemail: { action: 'message' } }), 'phone.voicemail.message: is required for the action message'],
      [ofPhone({ voicemail: { detect: 'ears' } }), 'phone.voicemail.detect: must be one of: audio, carrier, off'],
      [ofPhone({ fax: true }), 'phone.fax: is not a known setting'],
      [ofPhone({ transfers: [desk, desk] }), 'phone.transfers.1.name: must be unique'],
      [ofPhone({ transfers: Array(21).fill(desk) }), 'phone.transfers: must have at most 20 items'],
      [ofTransfer({ extension: '1-2' }), 'phone.transfers.0.extension: must be 1 to 50 of 0-9, *, #, A-D and w'],
      [ofTransfer({ ringTimeoutMs: 1 }), 'phone.transfers.0.ringTimeoutMs: must be at least 5000'],
      [ofTransfer({ mode: 'hot' }), 'phone.transfers.0.mode: must be one of: cold, warm'],
    ];
    for (const [found, expected] of bad) assert.deepEqual(found.includes(expected), true, found.join());
    for (const to of ['03-1234-5678', '+810312345678', '+1', '81312345678', '']) {
      assert.match(ofTransfer({ to })[0] ?? '', /^phone\.transfers\.0\.to: must be/, to);
    }
  });
});
