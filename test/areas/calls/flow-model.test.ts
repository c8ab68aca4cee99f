import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { newChat, on, said, useModelService } from './support.ts';

const flow = {
  skills: [
    {
      id: 'greet',
      type: 'choose',
      text: 'Talk or leave?',
      routes: [{ when: ['talk'], next: 'talk' }],
      otherwise: 'bye',
    },
    { id: 'talk', type: 'prompt', prompt: 'You take bookings.', next: 'bye' },
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
};

onEachEngine('a flow that uses a model', (engine) => {
  const { service, model } = useModelService(engine);

  const newFlowChat = async (llm: object = {}) => {
    const { key } = await service.newKey();
    const agent = { responseEngineType: 'conversation_flow', agentSettings: { flow, llm }, beginMessage: undefined };
    const chat = on(service, key, (await newChat(service, key, { model: 'mapped', agent })).id);
    await chat.say();
    return chat;
  };

  it('counts what a failed reply has used', async () => {
    const chat = await newFlowChat();
    // The first request is answered with a tool that does not exist, twice, which fails the reply.
    model.play({ tools: [{ name: 'unknown', arguments: '{}' }] });
    assert.equal((await chat.say('talk', { 'idempotency-key': 'failing-reply' })).status, 502);
    const failed = (await chat.call()).usage;
    assert.ok(failed.llm.totalTokens > 0);
    const requests = failed.breakdown[0]?.requests ?? 0;
    model.play({ text: 'For when?' });
    const { status, json } = await chat.say('talk', { 'idempotency-key': 'failing-reply' });
    assert.deepEqual([status, said(json.turns).at(-1)], [200, ['agent', 'For when?']]);
    const { usage } = await chat.call();
    assert.equal(usage.breakdown[0]?.requests, requests + 1);
    assert.equal(usage.llm.totalTokens, failed.llm.totalTokens + 129);
  });

  it('opens before it replies, although an earlier opening failed', async () => {
    const { key } = await service.newKey();
    const [, talk, bye] = flow.skills;
    const agentSettings = { flow: { skills: [talk, bye] } };
    const agent = { responseEngineType: 'conversation_flow', agentSettings, beginMessage: undefined };
    const chat = on(service, key, (await newChat(service, key, { model: 'mapped', agent })).id);
    model.play({ status: 400 });
    assert.equal((await chat.say()).status, 502);
    model.play({ text: 'Welcome.' }, { text: 'For when?' });
    assert.deepEqual(said((await chat.say('A table')).json.turns), [
      ['agent', 'Welcome.'],
      ['caller', 'A table'],
      ['agent', 'For when?'],
    ]);
  });

  it('stays with the fallback model that a failed reply has switched to', async () => {
    const chat = await newFlowChat({ fallbackModels: ['second'] });
    model.requests.length = 0;
    model.play({ status: 500 }, { status: 400 });
    assert.equal((await chat.say('talk')).status, 502);
    model.play({ text: 'For when?' });
    assert.equal((await chat.say('talk')).status, 200);
    assert.deepEqual(
      model.requests.map(({ body }) => body.model),
      ['qwen3', 'second', 'second'],
    );
  });
});
