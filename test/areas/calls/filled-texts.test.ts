import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CallEvent } from '../../../src/contract/calls/call-events.ts';
import { maxEventBytes } from '../../../src/contract/webhooks/events.ts';
import { echo, startLlmServer } from '../../providers/custom-llm-double.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { newChat, on, useModelService } from './support.ts';

const warningsOf = (events: readonly CallEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'warning' ? [(data as { code: string }).code] : []));
const manyOf = (name: string) => `{{${name}}}`.repeat(400);

onEachEngine('the texts of a call with their values', (engine) => {
  const { service, model } = useModelService(engine);

  const chatOf = async (agent: object, call: object = {}, llmModel?: string) => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { agent, call, ...(llmModel !== undefined && { model: llmModel }) });
    return { ...on(service, key, id), key };
  };

  it('have at most 20,000 characters in a flow, whose variables stay within their limits, and the call can end', async () => {
    const says = Array.from({ length: 40 }, (_, index) => ({
      id: `s${index}`,
      type: 'say',
      text: manyOf('v'),
      next: index === 39 ? 'ask' : `s${index + 1}`,
    }));
    const variables = Object.fromEntries(Array.from({ length: 98 }, (_, index) => [`c${index}`, manyOf('v')]));
    const flow = {
      skills: [
        { id: 'a', type: 'set', variables: { a: 'x'.repeat(1000), b: manyOf('a'), ...variables }, next: 's0' },
        ...says,
        { id: 'ask', type: 'ask', text: '?', variable: 'words', as: 'text', next: 'bye', otherwise: 'bye' },
        { id: 'bye', type: 'end', text: '{{words}}'.repeat(200) },
      ],
    };
    const chat = await chatOf(
      { responseEngineType: 'conversation_flow', beginMessage: undefined, agentSettings: { flow } },
      { variables: { v: 'A sentence. '.repeat(1300) } },
    );
    const opened = await chat.say();
    assert.equal(opened.status, 200, opened.text);
    const texts = (turns: { text: string }[]) => turns.map(({ text }) => text);
    for (const text of texts(opened.json.turns)) assert.ok(text.length > 19_000 && text.length <= 20_000);
    // Too long to be kept: the text that uses it has no value for it.
    const last = await chat.say('長い話です。'.repeat(1600));
    assert.equal(last.json.status, 'ended');
    const { collectedVariables } = await chat.call();
    assert.equal(collectedVariables.a, 'x'.repeat(1000));
    assert.ok(Buffer.byteLength(JSON.stringify(collectedVariables)) <= 16 * 1024);
    const warnings = warningsOf(await chat.events());
    for (const code of ['text_too_long', 'variable_not_set', 'unknown_variable']) assert.ok(warnings.includes(code));
    assert.ok(warnings.length < 10, `${warnings}`);
    const { items } = (await send(service, 'GET', '/api/v1/events', { key: chat.key })).json;
    assert.ok(items.length >= 2);
    for (const { body } of items) assert.ok(Buffer.byteLength(JSON.stringify(body)) <= maxEventBytes);
  });

  it('have at most 20,000 characters in a begin message, with one warning per call', async () => {
    const chat = await chatOf(
      { beginMessage: '{{v}}'.repeat(2000) },
      { variables: { v: 'A sentence. '.repeat(1300) } },
    );
    const { json } = await chat.say('One');
    const { length } = json.turns[0].text;
    assert.ok(length > 19_000 && length <= 20_000, `${length}`);
    await chat.say('Two');
    assert.deepEqual(warningsOf(await chat.events()), ['text_too_long']);
  });

  it('add at most 20,000 characters to a prompt, of which nothing that is written is cut', async () => {
    const prompt = `${'Be kind. '.repeat(3000)}${'{{v}}'.repeat(200)} The end.`;
    const chat = await chatOf({ prompt }, { variables: { v: 'A sentence. '.repeat(1300) } }, 'mapped');
    model.requests.length = 0;
    model.play({ text: 'Yes.' });
    assert.equal((await chat.say('One')).status, 200);
    const messages = (model.requests[0]?.body.messages ?? []) as { content: string }[];
    const content = String(messages[0]?.content);
    assert.ok(content.startsWith(`${'Be kind. '.repeat(3000)}A sentence. A`));
    assert.match(content.slice(prompt.length), /A sentence\. The end\./);
    assert.ok(content.length < prompt.length + 20_000, `${content.length}`);
    assert.deepEqual(warningsOf(await chat.events()), ['text_too_long']);
  });

  it('are reported once per call if a variable has no value, in every prompt of every engine', async () => {
    const skill = { id: 'talk', type: 'prompt', prompt: 'For {{who}}.' };
    const flow = await chatOf(
      {
        ...{ responseEngineType: 'conversation_flow', beginMessage: undefined },
        ...{ agentGlobalPrompt: 'Be {{how}}.', agentSettings: { flow: { skills: [skill] } } },
      },
      {},
      'mapped',
    );
    model.play({ text: 'Yes.' });
    await flow.say();
    await flow.say('One');
    assert.deepEqual(warningsOf(await flow.events()), ['unknown_variable', 'unknown_variable']);
    const server = await startLlmServer({ received: echo });
    const responseEngine = { type: 'custom_llm', llmWebsocketUrl: server.url };
    const custom = await chatOf({ responseEngine, responseEngineType: 'custom_llm', agentGlobalPrompt: 'Be {{how}}.' });
    await custom.say('One');
    await custom.say('Two');
    assert.deepEqual(warningsOf(await custom.events()), ['unknown_variable']);
    await custom.end();
  });

  it('have at most 100 names without a value that are reported', async () => {
    const prompt = Array.from({ length: 300 }, (_, index) => `{{name${index}}}`).join(' ');
    const chat = await chatOf({ prompt }, {}, 'mapped');
    model.play({ text: 'Yes.' });
    await chat.say('One');
    const { items } = (await chat.eventPage('?limit=200')).json;
    assert.equal(warningsOf(items).length, 100);
  });
});
