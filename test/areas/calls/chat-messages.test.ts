import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createOpenAiLlm } from '../../../src/voice/providers/openai/llm.ts';
import { type DoubleReply, type OpenAiDouble, startOpenAiDouble } from '../../providers/openai-double.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { type Service, startService } from '../../support/service.ts';

const settings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;
const parameters = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] };
const booking: DoubleReply = { tools: [{ name: 'book', arguments: '{"item":"a cut"}' }] };
const failure: DoubleReply = { status: 400 };

onEachEngine('messages of a chat', (engine) => {
  const seen: string[] = [];
  let double: OpenAiDouble;
  let service: Service;
  let key: string;
  let url: string;
  let onTool: () => Promise<unknown>;

  before(async () => {
    double = await startOpenAiDouble();
    const llm = createOpenAiLlm({ baseUrl: double.baseUrl, apiKey: null, modelMap: new Map(), proxy: null });
    service = await startService(engine, { calls: { llm } });
    ({ key } = await service.newKey());
    const { port } = await httpReceiver(async (request, response) => {
      seen.push(String(request.headers['idempotency-key']));
      await onTool();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"booked":true}');
    });
    url = `http://127.0.0.1:${port}/book`;
  });
  after(async () => {
    await service.close();
    await double.close();
  });

  const request = (method: string, path: string, body?: unknown, headers = {}) =>
    send(service, method, `/api/v1/${path}`, { key, headers, ...(body !== undefined && { body }) });

  const newChat = async (agent: object, dataStorageSetting = 'everything') => {
    seen.length = 0;
    onTool = async () => {};
    const created = await request('POST', 'agents', { name: 'Reception', voiceId: 'v', language: 'en', ...agent });
    const body = { type: 'chat', agentId: created.json.id, agentVersion: 'latest', dataStorageSetting };
    return (await request('POST', 'calls', body)).json.id as string;
  };
  const promptAgent = () => ({
    beginMessage: 'Welcome.',
    responseEngine: { type: 'single_prompt', model: 'gpt-5.4-mini', prompt: 'Book.' },
    agentSettings: { tools: [{ name: 'book', description: 'Books.', parameters, url }] },
  });
  const say = (id: string, text: string, repeatKey = text) =>
    request('POST', `calls/${id}/messages`, { text }, { 'idempotency-key': `${id} ${repeatKey}` });
  const rolesOf = ({ json }: Awaited<ReturnType<typeof say>>) => json.turns.map(({ role }: { role: string }) => role);

  it('ends when the agent hangs up after a tool', async () => {
    const flow = {
      skills: [
        { id: 'book', type: 'tool', tool: 'book', arguments: { item: 'a cut' }, next: 'done', otherwise: 'done' },
        { id: 'done', type: 'end', text: 'Goodbye.' },
      ],
    };
    const tools = [{ name: 'book', description: 'Books.', parameters, url }];
    const id = await newChat({
      responseEngineType: 'conversation_flow',
      beginMessage: '',
      agentSettings: { flow, tools },
    });
    const { status, json } = await say(id, 'Hello');
    assert.equal(status, 200);
    assert.equal(json.turns.at(-1).text, 'Goodbye.');
    assert.equal(json.status, 'ended');
  });

  it('takes times of an agent that are no whole milliseconds', async () => {
    const times = { endCallAfterSilenceMs: 10_000.049, maxCallDurationMs: 60_000.5 };
    const id = await newChat({ llmModel: 'test-echo', beginMessage: '', ...times });
    assert.equal((await say(id, 'Hello')).status, 200);
  });

  for (const setting of settings) {
    describe(`with ${setting}`, () => {
      it('returns the whole message, as it is stored, and calls its tool once', async () => {
        const id = await newChat(promptAgent(), setting);
        double.play(booking, failure);
        assert.equal((await say(id, 'A cut')).status, 502);
        double.play({ text: 'It is booked.' });
        const answer = await say(id, 'A cut');
        assert.deepEqual(rolesOf(answer), ['agent', 'caller', 'tool', 'agent']);
        assert.equal(seen.length, 1);
        if (setting === 'basic_attributes_only') return;
        const { json } = await request('GET', `calls/${id}/transcript`);
        assert.deepEqual(json.turns, answer.json.turns);
      });

      it('finds the tool of a later message again', async () => {
        const id = await newChat(promptAgent(), setting);
        double.play({ text: 'Which one?' });
        await say(id, 'Hello');
        double.play(booking, failure);
        assert.equal((await say(id, 'A cut')).status, 502);
        double.play(booking, { text: 'It is booked.' });
        assert.deepEqual(rolesOf(await say(id, 'A cut')), ['caller', 'tool', 'agent']);
        assert.equal(seen.length, 1);
      });

      it('keeps what was set through the API during the reply', async () => {
        const id = await newChat(promptAgent(), setting);
        double.play(booking, { text: 'It is booked.' });
        onTool = () => request('POST', `calls/${id}/control`, { action: 'add_context', text: 'The shop closes soon.' });
        await say(id, 'A cut');
        double.play({ text: 'Goodbye.' });
        await say(id, 'Thanks');
        assert.match(JSON.stringify(double.requests.at(-1)?.body), /The shop closes soon/);
      });
    });
  }
});
