import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../../src/config.ts';
import { createTracing } from '../../../src/tracing/create.ts';
import type { Tracing } from '../../../src/tracing/tracing.ts';
import { startLlmServer } from '../../providers/custom-llm-double.ts';
import { startCollector, type TestCollector, withCollector } from '../../support/collector.ts';
import { sqliteEngine } from '../../support/engines.ts';
import type { ReceivedSpan } from '../../support/otlp.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { type Service, startService } from '../../support/service.ts';
import { spokenCall } from './live/caller.ts';
import { eventually, type ModelDouble, modelDouble, newChat, on } from './support.ts';

const model = 'gpt-5.4-mini';

/** As any process derives them. */
const idsOf = (callId: string) => {
  const digest = createHash('sha256').update(`voice-agents trace of ${callId}`).digest('hex');
  return { traceId: digest.slice(0, 32), rootId: digest.slice(32, 48) };
};

async function tracingTo(endpoint: string, variables: Record<string, string> = {}): Promise<Tracing> {
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...variables });
  assert.ok(tracing);
  return createTracing(tracing, pino({ level: 'silent' }));
}

/** A tool whose server remembers the trace context of its requests. */
async function bookingTool(reply: string, status = 200) {
  const traceparents: string[] = [];
  const { port } = await httpReceiver((request, response) => {
    traceparents.push(String(request.headers.traceparent));
    response.writeHead(status).end(reply);
  });
  const tool = {
    name: 'book',
    description: 'Books a table.',
    parameters: { type: 'object', properties: { day: { type: 'string' } } },
    url: `http://127.0.0.1:${port}/book`,
  };
  return { traceparents, agentSettings: { tools: [tool] } };
}

const toBook = { tools: [{ name: 'book', arguments: '{"day":"Friday"}' }] };
const byStart = (spans: readonly ReceivedSpan[]) => spans.toSorted((one, other) => one.startMs - other.startMs);
const nameOf = ({ name }: ReceivedSpan) => name;
const near = (one: number, other: number, what: string) =>
  assert.ok(Math.abs(one - other) <= 3, `${what}: ${one} and ${other}`);

describe('the trace of a call', withCollector, () => {
  let collector: TestCollector;
  let double: ModelDouble;
  const open: Service[] = [];
  before(async () => {
    collector = await startCollector();
    double = await modelDouble();
  });
  after(() => Promise.all(open.map((service) => service.close())));

  const serviceWith = async (variables: Record<string, string> = {}, endpoint = collector.endpoint) => {
    const tracing = await tracingTo(endpoint, variables);
    const service = await startService(sqliteEngine(), { tracing, calls: { llm: double.llm } });
    open.push(service);
    return { service, tracing, key: (await service.newKey()).key };
  };

  it('has a span for the call, each turn of the agent, each request to the model and each tool', async () => {
    const { service, key } = await serviceWith({ OTEL_SERVICE_NAME: 'desk', OTEL_RESOURCE_ATTRIBUTES: 'a=%41,b=2' });
    const { traceparents, agentSettings } = await bookingTool('{"free":true}');
    const agent = { name: 'Desk', beginMessage: 'Good morning.', agentSettings };
    const { client, caller, created, ...call } = await spokenCall(service, key, { model, agent });
    double.play(toBook, { text: 'Booked for Friday.' });
    await client.said('Good morning.');
    await caller.say('book', 'friday');
    await client.said('Booked for Friday.');
    client.send({ type: 'end' });
    await client.closed;
    const { traceId, rootId } = idsOf(created.id);
    const spans = await collector.trace(traceId);
    const [begin, tool, reply] = ['turn 0', 'execute_tool book', 'turn 3'].map((name) =>
      spans.find((span) => span.name === name),
    ) as [ReceivedSpan, ReceivedSpan, ReceivedSpan];
    const [asked, told] = byStart(spans.filter(({ name }) => name === `chat ${model}`)) as [ReceivedSpan, ReceivedSpan];
    const root = spans.find(({ spanId }) => spanId === rootId) as ReceivedSpan;
    assert.equal(spans.length, 6, spans.map(nameOf).join());
    assert.deepEqual(
      spans.map(({ spanId, parentId }) => [spanId, parentId]).toSorted(),
      [
        [root.spanId, null],
        [begin.spanId, rootId],
        [reply.spanId, rootId],
        [asked.spanId, reply.spanId],
        [tool.spanId, reply.spanId],
        [told.spanId, reply.spanId],
      ].toSorted(),
    );

    const { workspaceId, agentId, startedAt, endedAt, usage } = await call.call();
    const startMs = Date.parse(startedAt as string);
    assert.deepEqual([root.name, root.kind, root.isError], ['invoke_agent Desk', 'internal', false]);
    assert.deepEqual([root.startMs, root.endMs], [startMs, Date.parse(endedAt as string)]);
    assert.deepEqual(root.attributes, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.name': 'Desk',
      'gen_ai.agent.version': '1',
      'gen_ai.conversation.id': created.id,
      'voice_agents.call.type': 'web',
      'voice_agents.call.end_reason': 'caller_hangup',
      'voice_agents.workspace_id': workspaceId,
    });
    const { 'service.name': serviceName, a, b } = root.resource;
    assert.deepEqual([serviceName, a, b], ['desk', 'A', '2']);

    const turns = await call.turns();
    assert.deepEqual(begin.attributes, { 'voice_agents.turn.interrupted': false });
    const { latency, endMs } = turns[3] as NonNullable<(typeof turns)[number]>;
    const { e2eMs, endpointingMs, sttMs, llmFirstTokenMs } = latency as Record<string, number>;
    const latencies = Object.entries(latency ?? {}).filter(([, ms]) => ms !== null);
    assert.deepEqual(reply.attributes, {
      'voice_agents.turn.interrupted': false,
      ...Object.fromEntries(latencies.map(([name, ms]) => [`voice_agents.turn.${name}`, ms])),
    });
    assert.deepEqual([reply.startMs, reply.endMs], [startMs + (turns[1]?.endMs ?? 0), startMs + endMs]);
    near(asked.startMs, reply.startMs + Number(endpointingMs) + Number(sttMs), 'the request begins after the waiting');
    const [first] = told.events;
    assert.equal(first?.name, 'voice_agents.first_text');
    near(first?.atMs ?? 0, asked.startMs + Number(llmFirstTokenMs), 'the first text');
    assert.ok(Number(first?.atMs) <= reply.startMs + Number(e2eMs) + 3);

    assert.deepEqual([asked.kind, asked.events, asked.isError], ['client', [], false]);
    const { promptTokens, completionTokens, cachedTokens } = usage.llm;
    const tokens = [asked, told].map(({ attributes }) => attributes);
    const sum = (name: string) =>
      tokens.reduce((total, attributes) => total + Number(attributes[`gen_ai.usage.${name}`]), 0);
    assert.deepEqual(['input_tokens', 'output_tokens', 'cache_read.input_tokens'].map(sum), [
      promptTokens,
      completionTokens,
      cachedTokens,
    ]);
    assert.deepEqual(
      Object.keys(asked.attributes).filter((name) => !name.startsWith('gen_ai.usage')),
      ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'],
    );
    assert.deepEqual(tool.attributes, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'book',
      'gen_ai.tool.call.id': turns[2]?.toolCall?.id,
    });
    assert.equal(tool.kind, 'client');
    assert.deepEqual(traceparents, [`00-${traceId}-${tool.spanId}-01`]);
  });

  it('says of what kind a failure is, and not what a server has said about it', async () => {
    const { service, key } = await serviceWith();
    const { agentSettings } = await bookingTool('planted by a tool', 500);
    const { id } = await newChat(service, key, { model, agent: { agentSettings } });
    const chat = on(service, key, id);
    double.play(toBook, { text: 'No table.' });
    await chat.say('Book');
    double.play({ status: 429 }, { status: 400 });
    await chat.say('Again');
    await chat.end();
    const { traceId, rootId } = idsOf(id);
    const spans = await collector.trace(traceId);
    const errors = byStart(spans.filter(({ isError }) => isError)).map(({ name, attributes, parentId }) => [
      name,
      attributes['error.type'],
      parentId === rootId,
    ]);
    // A reply that was not heard is in no turn.
    assert.deepEqual(errors, [
      ['execute_tool book', 'failed', false],
      [`chat ${model}`, '429', true],
      [`chat ${model}`, '400', true],
    ]);
    assert.ok(!collector.bodies.some((body) => body.includes('planted')));
  });

  it('has no content, unless it is asked for, and then as the storage setting allows', async () => {
    const settings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;
    const talk = async (service: Service, key: string, dataStorageSetting: string, word: string) => {
      const { agentSettings } = await bookingTool(`{"note":"${word} taro@example.com"}`);
      const agent = { agentSettings, dataStorageSetting, beginMessage: `${word}!` };
      const { id } = await newChat(service, key, { model, agent });
      const chat = on(service, key, id);
      double.play(
        { tools: [{ name: 'book', arguments: `{"day":"${word} hanako@example.com"}` }] },
        { text: `${word}: jiro@example.com` },
      );
      await chat.say();
      await chat.say(`${word} saburo@example.com`);
      await chat.end();
      return collector.trace(idsOf(id).traceId);
    };
    const received = (word: string) => collector.bodies.some((body) => body.includes(word));

    const off = await serviceWith();
    for (const setting of settings) await talk(off.service, off.key, setting, 'quince');
    assert.ok(!received('quince') && !received('example.com'));

    const optIn = await serviceWith({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY' });
    await talk(optIn.service, optIn.key, 'basic_attributes_only', 'medlar');
    assert.ok(!received('medlar'));
    const redacted = await talk(optIn.service, optIn.key, 'everything_except_pii', 'sorbus');
    assert.ok(received('sorbus') && received('[EMAIL]') && !received('example.com'));
    assert.ok(redacted.length > 4);
    const all = await talk(optIn.service, optIn.key, 'everything', 'cornel');
    for (const name of ['taro', 'hanako', 'jiro', 'saburo']) assert.ok(received(`${name}@example.com`), name);
    const last = byStart(all).findLast(({ name }) => name.startsWith('chat')) as ReceivedSpan;
    assert.deepEqual(JSON.parse(String(last.attributes['gen_ai.output.messages'])), [
      { role: 'assistant', parts: [{ type: 'text', content: 'cornel: jiro@example.com' }] },
    ]);
    const input = JSON.parse(String(last.attributes['gen_ai.input.messages']));
    assert.deepEqual(
      input.slice(-3).map(({ role, parts }: { role: string; parts: { type: string }[] }) => [role, parts[0]?.type]),
      [
        ['user', 'text'],
        ['assistant', 'tool_call'],
        ['tool', 'tool_call_response'],
      ],
    );
  });

  it('has the tools that the server of a custom LLM runs', async () => {
    const { service, key } = await serviceWith();
    const server = await startLlmServer({
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        const tool = { tool_call_id: 'abc' };
        client.send({ response_type: 'tool_call_invocation', ...tool, name: 'book', arguments: '{}' });
        client.send({ response_type: 'tool_call_result', ...tool, content: 'ok' });
        client.respond(frame.response_id, 'Booked.');
      },
    });
    const responseEngine = { type: 'custom_llm', llmWebsocketUrl: server.url };
    const agent = { name: 'Desk', responseEngineType: 'custom_llm', responseEngine };
    const { id } = await newChat(service, key, { agent });
    await on(service, key, id).say('Book');
    await on(service, key, id).end();
    const spans = await collector.trace(idsOf(id).traceId);
    assert.deepEqual(spans.map(nameOf).toSorted(), ['execute_tool book', 'invoke_agent Desk', 'turn 2']);
  });

  it('is one trace, although two processes have had the conversation', async () => {
    const first = await serviceWith();
    const second = await startService(sqliteEngine(), {
      databaseUrl: first.service.databaseUrl,
      tracing: await tracingTo(collector.endpoint),
      calls: { llm: double.llm },
    });
    open.push(second);
    const { id } = await newChat(first.service, first.key, { model, agent: { name: 'Desk' } });
    double.play({ text: 'Hello.' });
    await on(first.service, first.key, id).say('One');
    await on(second, first.key, id).say('Two');
    await on(second, first.key, id).end();
    // What is left is sent when the service ends.
    for (const service of open.splice(-2)) await service.close();
    const { traceId } = idsOf(id);
    const names = ['invoke_agent Desk', 'turn 1', `chat ${model}`, 'turn 3', `chat ${model}`];
    await collector.trace(traceId);
    const spans = await eventually(() => {
      const found = collector.spans.filter((span) => span.traceId === traceId);
      return found.length === names.length && found;
    });
    assert.deepEqual(spans.map(nameOf).toSorted(), names.toSorted());
    for (const span of spans.filter(({ name }) => name.startsWith('chat'))) {
      const parent = spans.find(({ spanId }) => spanId === span.parentId);
      assert.match(String(parent?.name), /^turn /);
      assert.ok((parent?.startMs ?? 0) <= span.startMs + 3 && span.endMs <= (parent?.endMs ?? 0) + 3);
    }
  });

  it('is not recorded if the call is not sampled, and its tools are told so', async () => {
    const { service, key, tracing } = await serviceWith({ OTEL_TRACES_SAMPLER: 'always_off' });
    const { agentSettings, traceparents } = await bookingTool('{}');
    const { id } = await newChat(service, key, { model, agent: { agentSettings } });
    double.play(toBook, { text: 'Booked.' });
    await on(service, key, id).say('Book');
    await on(service, key, id).end();
    await tracing.close();
    const { traceId } = idsOf(id);
    assert.match(String(traceparents), new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    assert.ok(!collector.spans.some((span) => span.traceId === traceId));
  });

  it('costs a call nothing if the collector never answers, and the service says what was lost', async () => {
    const { port } = await httpReceiver(() => {});
    const { service, key } = await serviceWith({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000' }, `http://127.0.0.1:${port}`);
    const chat = on(service, key, (await newChat(service, key)).id);
    await chat.say('Hello');
    await chat.end();
    const text = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(text, /^trace_spans_waiting 2$/m);
    assert.match(text, /^trace_spans_sent_total 0$/m);
    assert.match(text, /^trace_spans_dropped_total\{reason="queue_full"\} 0$/m);
  });
});
