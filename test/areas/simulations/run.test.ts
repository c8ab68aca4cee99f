import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { newWorkspaceName, useService } from '../../support/service.ts';
import { recorded } from '../../voice/simulation/recording.ts';
import { lastWords } from '../../voice/simulation/scripted-llm.ts';

const path = '/api/v1/simulations';
const greeting = ['say "A table for two, please."', 'expect agent says /table for two/'];

const flow = {
  skills: [
    { id: 'ask', type: 'ask', text: 'For how many?', variable: 'people', as: 'number', next: 'book', otherwise: 'bye' },
    { id: 'book', type: 'tool', tool: 'book', arguments: { size: 'big' }, next: 'bye', otherwise: 'bye' },
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
};
const tools = [
  { name: 'book', description: 'Books.', parameters: { type: 'object' }, url: 'https://example.com/book' },
];

describe('simulations', () => {
  const service = useService(sqliteEngine());
  const newAgent = async (fields: Record<string, unknown> = {}) => {
    const { key } = await service.newKey();
    return {
      key,
      agentId: (await createAgent(service, key, { llmModel: 'test-echo', language: 'en-US', ...fields })).id,
    };
  };
  const run = (key: string, body: Record<string, unknown>) => send(service, 'POST', path, { key, body });
  const refusal = async (key: string, body: Record<string, unknown>) => {
    const { status, json } = await run(key, body);
    return { status, fields: json.error?.details?.fieldErrors };
  };

  it('reports every run, the transcript of the first and the latency of all', async () => {
    const { key, agentId } = await newAgent();
    const script = { steps: [...greeting, 'hang up', 'expect end caller_hangup'], noise: 0.5 };
    const { status, json, text } = await run(key, { agentId, agentVersion: 1, script, runs: 20, seed: 4_294_967_290 });
    assert.equal(status, 200, text);
    assert.deepEqual([json.runs, json.passed, json.failures], [20, 20, []]);
    assert.equal(json.latency.turns, 20);
    assert.equal(json.latency.e2eMs.count, 20);
    assert.ok(json.latency.e2eMs.max > json.latency.e2eMs.min, 'noise varies the times');
    assert.deepEqual(
      json.transcript.map(({ index, role, source, text: said }: Record<string, unknown>) => [
        index,
        role,
        source,
        said,
      ]),
      [
        [0, 'caller', null, 'A table for two, please.'],
        [1, 'agent', 'engine', 'A table for two, please.'],
      ],
    );
  });

  it('gives the same bytes for the same seed, except for the time it took', async () => {
    const { key, agentId } = await newAgent();
    const body = { agentId, agentVersion: 'latest', script: { steps: greeting, noise: 1 }, runs: 5 };
    const report = async (seed: number) => (await run(key, { ...body, seed })).text.replace(/"tookMs":\d+/, '');
    assert.equal(await report(7), await report(7));
    assert.notEqual(await report(7), await report(8));
  });

  it('names the seed, the step, what was expected and what happened, for at most 20 failures', async () => {
    const { key, agentId } = await newAgent();
    const script = { steps: [...greeting, 'expect agent says /goodbye/ within 900ms'] };
    const { json } = await run(key, { agentId, agentVersion: 'latest', script, runs: 30, seed: 2 ** 32 - 1 });
    assert.deepEqual([json.runs, json.passed, json.failures.length], [30, 0, 20]);
    const { transcript, ...first } = json.failures[0];
    assert.deepEqual(first, {
      seed: 2 ** 32 - 1,
      step: 2,
      expected: 'agent says /goodbye/ within 900ms',
      saw: 'the agent said nothing',
    });
    assert.equal(json.failures[1].seed, 0, 'seeds start again at 0');
    assert.deepEqual(transcript, json.transcript);
  });

  it('runs the published version by default, and any other by its number', async () => {
    const { key, agentId } = await newAgent({ llmModel: 'test-script', prompt: 'First.' });
    const says = (words: string) => ({ steps: ['say "Hello."', `expect agent says /${words}/`] });
    assert.deepEqual(await refusal(key, { agentId, script: says('First') }), {
      status: 422,
      fields: { agentVersion: ['no version of the agent is published'] },
    });
    await send(service, 'POST', `/api/v1/agents/${agentId}/publish`, { key });
    await send(service, 'PATCH', `/api/v1/agents/${agentId}`, { key, body: { responseEngine: { prompt: 'Second.' } } });
    for (const [agentVersion, words] of [
      [undefined, 'First'],
      ['published', 'First'],
      [1, 'First'],
      [2, 'Second'],
      ['latest', 'Second'],
    ] as const) {
      const { json, text } = await run(key, { agentId, agentVersion, script: says(words) });
      assert.equal(json.passed, 1, `${agentVersion}: ${text}`);
    }
  });

  it('tells the routes that the first run took, and how often all runs took each', async () => {
    const fields = { responseEngineType: 'conversation_flow', agentSettings: { flow, tools } };
    const { key, agentId } = await newAgent(fields);
    const steps = ['say "I do not know."', 'say "Four."', 'expect end agent_hangup'];
    const script = { steps, tools: { book: { error: 'timeout' } } };
    const { json } = await run(key, { agentId, agentVersion: 'latest', script, runs: 3, seed: 1 });
    assert.equal(json.passed, 3);
    const taken = json.path.map(({ skillId, route }: Record<string, unknown>) => `${skillId} ${route}`);
    assert.deepEqual(taken, ['ask retry', 'ask next', 'book otherwise']);
    const times = json.path.map(({ atMs }: { atMs: number }) => atMs);
    assert.deepEqual(
      times,
      times.toSorted((one: number, other: number) => one - other),
    );
    assert.ok(times[0] > 0);
    assert.deepEqual(json.routes, [
      { skillId: 'ask', route: 'retry', count: 3 },
      { skillId: 'ask', route: 'next', count: 3 },
      { skillId: 'book', route: 'otherwise', count: 3 },
    ]);

    const { key: other, agentId: promptId } = await newAgent();
    const without = await run(other, { agentId: promptId, agentVersion: 'latest', script: { steps: greeting } });
    assert.deepEqual([without.json.path, without.json.routes], [[], []]);
  });

  it('runs a flow, its variables and the tools of the script', async () => {
    const fields = {
      responseEngineType: 'conversation_flow',
      agentSettings: { flow, tools },
      beginMessage: 'Hi {{shop}}.',
    };
    const { key, agentId } = await newAgent(fields);
    const steps = [
      'expect agent says /Hi Ginza/',
      'say "Four."',
      'expect variable people = 4',
      'expect tool book',
      'expect end agent_hangup',
    ];
    const body = { agentId, agentVersion: 'latest', script: { steps, variables: { shop: 'Ginza' } } };
    const missing = await run(key, body);
    assert.deepEqual([missing.json.passed, missing.json.failures[0].saw], [0, 'tool book has no scripted result']);
    const scripted = { ...body, script: { ...body.script, tools: { book: { result: { ok: true }, delayMs: 50 } } } };
    const { json, text } = await run(key, scripted);
    assert.equal(json.passed, 1, text);
    const { toolCall } = json.transcript.find(({ role }: { role: string }) => role === 'tool');
    assert.deepEqual([toolCall.name, toolCall.result, toolCall.durationMs], ['book', { ok: true }, 50]);
  });

  it('reports every bad step with its index, together with everything else that is wrong', async () => {
    const { key, agentId } = await newAgent();
    const steps = ['say Hello', 'pause 400ms', 'dance', 'expect agent says /(/', 'expect tool book {day}'];
    const { status, fields } = await refusal(key, {
      agentId,
      script: { steps, noise: 2 },
      runs: 0,
      agentVersion: 'V2',
    });
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(fields).sort(), ['agentVersion', 'runs', 'script']);
    assert.deepEqual(fields.agentVersion, ['must be a version number, published or latest']);
    const messages = fields.script as string[];
    const of = (start: string) => messages.filter((message) => message.startsWith(start));
    assert.equal(messages.length, 5);
    assert.deepEqual(of('noise'), ['noise: must be at most 1']);
    assert.deepEqual(of('steps.0'), ['steps.0: must have the form: say "text" [for 1800ms]']);
    assert.match(of('steps.2')[0] ?? '', /is not a step\. Steps are: say "text"/);
    assert.match(of('steps.3')[0] ?? '', /the pattern is not a regular expression in RE2 syntax/);
    assert.match(of('steps.4')[0] ?? '', /the arguments must be a JSON object|must have the form/);
  });

  it('refuses what is out of range, and ignores what it does not know', async () => {
    const { key, agentId } = await newAgent();
    const good = { agentId, agentVersion: 'latest', script: { steps: greeting } };
    const bad: [string, Record<string, unknown>][] = [
      ['runs', { runs: 1001 }],
      ['runs', { runs: 1.5 }],
      ['seed', { seed: -1 }],
      ['seed', { seed: 2 ** 32 }],
      ['agentId', { agentId: '' }],
      ['agentVersion', { agentVersion: 0 }],
      ['agentVersion', { agentVersion: 1.5 }],
      ['agentVersion', { agentVersion: null }],
      ['script', { script: { steps: [] } }],
      ['script', { script: { steps: Array(501).fill('pause 1ms') } }],
      ['script', { script: { steps: greeting, variables: { 'a b': 1 } } }],
      ['script', { script: { steps: greeting, variables: { a: 'x'.repeat(9000), b: 'y'.repeat(9000) } } }],
      ['script', { script: { steps: greeting, now: 'tomorrow' } }],
      ['script', { script: { steps: Array(400).fill(`expect agent says /${'(ab|c)'.repeat(100)}/`) } }],
      ['cassette', { cassette: { version: 2, replies: [] } }],
    ];
    for (const [field, change] of bad) {
      const { status, fields } = await refusal(key, { ...good, ...change });
      assert.equal(status, 400, JSON.stringify(change).slice(0, 100));
      assert.deepEqual(Object.keys(fields), [field], JSON.stringify(change).slice(0, 100));
    }
    const lenient = { ...good, color: 'red', script: { ...good.script, color: 'red', tools: { a: { color: 1 } } } };
    assert.equal((await run(key, lenient)).status, 200);
    const headers = { prefer: 'handling=strict' };
    const strict = await send(service, 'POST', path, { key, headers, body: lenient });
    assert.deepEqual(Object.keys(strict.json.error.details.fieldErrors).sort(), ['color', 'script']);
  });

  it('answers 422 for an agent that is unknown, foreign or malformed, all the same', async () => {
    const { key, agentId } = await newAgent();
    const foreign = (await newAgent()).agentId;
    const unknown = `${agentId.slice(0, -1)}${agentId.endsWith('0') ? '1' : '0'}`;
    for (const id of [foreign, unknown, 'x', '../agents', `key${agentId.slice(3)}`]) {
      const fields = { agentId: ['is not an agent of this workspace'] };
      assert.deepEqual(await refusal(key, { agentId: id, script: { steps: greeting } }), { status: 422, fields });
      assert.deepEqual(await refusal(key, { agentId: id, agentVersion: 1, script: { steps: greeting } }), {
        status: 422,
        fields,
      });
    }
  });

  it('answers 422 for a version that does not exist, and for a name that no version has yet', async () => {
    const { key, agentId } = await newAgent();
    const script = { steps: greeting };
    for (const agentVersion of [2, 999_999_999_999, 'staging', 'v-2_b', 'a'.repeat(20)]) {
      assert.deepEqual(await refusal(key, { agentId, agentVersion, script }), {
        status: 422,
        fields: { agentVersion: ['is not a version of the agent'] },
      });
    }
    for (const agentVersion of ['a'.repeat(21), 'Latest', '1', '', 'x y']) {
      assert.equal((await refusal(key, { agentId, agentVersion, script })).status, 400, agentVersion);
    }
    const both = await refusal(key, { agentId: 'x', agentVersion: 'staging', script });
    assert.deepEqual(Object.keys(both.fields), ['agentId', 'agentVersion']);
  });

  it('answers 422 with what publishing would refuse, and with a missing cassette', async () => {
    const settings = { agentSettings: { calls: { recordingEnabled: 'yes' } }, webhookEvents: ['call_exploded'] };
    const { key, agentId } = await newAgent({ ...settings, llmModel: 'gpt-5.4-mini' });
    const body = { agentId, agentVersion: 'latest', script: { steps: greeting } };
    const published = await send(service, 'POST', `/api/v1/agents/${agentId}/publish`, { key });
    const { status, fields } = await refusal(key, body);
    assert.equal(status, 422);
    const { cassette, ...others } = fields;
    assert.deepEqual(others, published.json.error.details.fieldErrors);
    assert.match(cassette[0], /uses a language model/);
  });

  it('asks for a cassette where a model is needed, and only there', async () => {
    const prompt = { id: 'talk', type: 'prompt', prompt: 'Talk.', next: 'bye' };
    const bye = { id: 'bye', type: 'end', text: 'Goodbye.' };
    const broken = { responseEngineType: 'conversation_flow', agentSettings: { flow: { skills: 7 } } };
    const cases: [string[], Record<string, unknown>][] = [
      [['cassette'], { llmModel: 'gpt-5.4-mini' }],
      [['cassette'], { responseEngine: { type: 'custom_llm', llmWebsocketUrl: 'wss://example.com/llm' } }],
      [['cassette'], { responseEngineType: 'conversation_flow', agentSettings: { flow: { skills: [prompt, bye] } } }],
      [['agentSettings'], { ...broken }],
    ];
    for (const [expected, fields] of cases) {
      const { key, agentId } = await newAgent(fields);
      const refused = await refusal(key, { agentId, agentVersion: 'latest', script: { steps: greeting } });
      assert.deepEqual([refused.status, Object.keys(refused.fields)], [422, expected]);
    }
  });

  it('replays a cassette, and names the request that is not in it', async () => {
    const { key, agentId } = await newAgent({ llmModel: 'gpt-5.4-mini', prompt: 'You sell noodles.' });
    const read = async () => (await send(service, 'GET', `/api/v1/agents/${agentId}`, { key })).json;
    const script = { steps: ['expect agent says /Welcome/', 'say "Noodles, please."', 'expect agent says /hot/'] };
    const { result, cassette } = recorded(await read(), script, (request) => [
      { after: 400, text: lastWords(request) === '' ? 'Welcome.' : 'They are hot.' },
    ]);
    const body = { agentId, agentVersion: 'latest', script, cassette };
    const { json, text } = await run(key, { ...body, runs: 3, seed: 1 });
    assert.equal(json.passed, 3, text);
    assert.deepEqual(json.transcript, result.turns);
    assert.equal(json.latency.llmFirstTokenMs.p50, 400);
    await send(service, 'PATCH', `/api/v1/agents/${agentId}`, { key, body: { responseEngine: { prompt: 'Shoes.' } } });
    const changed = await run(key, body);
    assert.deepEqual(
      [changed.json.passed, changed.json.failures[0].saw],
      [0, 'no recorded reply for the opening: the instructions changed since the recording'],
    );
    const custom = { responseEngine: { type: 'custom_llm', llmWebsocketUrl: 'wss://example.com/llm' } };
    const other = await newAgent(custom);
    const refused = await refusal(other.key, { ...body, agentId: other.agentId });
    assert.deepEqual([refused.status, Object.keys(refused.fields)], [422, ['cassette']]);
  });

  it('checks the content before it looks for the agent', async () => {
    const { key } = await service.newKey();
    const { status, fields } = await refusal(key, { agentId: 'x', script: { steps: ['dance'] } });
    assert.deepEqual([status, Object.keys(fields)], [400, ['script']]);
  });

  it('is not allowed for a key that may only read calls', async () => {
    const workspace = newWorkspaceName();
    const { key } = await service.newKey({ workspace });
    const { id: agentId } = await createAgent(service, key, { llmModel: 'test-echo' });
    const reader = await service.newKey({ workspace, scopes: ['calls:read', 'agents:read', 'agents:write'] });
    const { status, json } = await run(reader.key, { agentId, agentVersion: 'latest', script: { steps: greeting } });
    assert.deepEqual([status, json.error.details.requiredScope], [403, 'calls:write']);
  });
});
