import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import type { Agent } from '../../src/contract/agents/agent.ts';
import type { Call } from '../../src/contract/calls/call.ts';
import { eventually, gate, type ModelDouble, modelDouble, testAgent } from '../areas/calls/support.ts';
import { createAgent, send } from '../support/client.ts';
import { httpReceiver } from '../support/receiver.ts';
import { newAudit } from './support/accessibility.ts';
import { type Dashboard, useDashboard, type Visit, withBrowser } from './support/browser.ts';
import { logOf, panelOf, say, tryByChat } from './support/panel.ts';

interface Trial extends Visit {
  readonly key: string;
  readonly agent: Agent;
  /** The calls of the workspace, newest first. */
  calls(): Promise<Call[]>;
}

/** The page of an agent with the panel open. */
async function openPanel(
  dashboard: Dashboard,
  newAgent: (key: string) => Promise<Agent>,
  options: { readonly locale?: string } = {},
): Promise<Trial> {
  const { key } = await dashboard.service.newKey();
  const agent = await newAgent(key);
  const visit = await dashboard.visit(`/agents/${agent.id}`, { key, ...options });
  await tryByChat(visit.page);
  const calls = async () => (await send(dashboard.service, 'GET', '/api/v1/calls', { key })).json.items;
  return { ...visit, key, agent, calls };
}

describe('trying an agent', withBrowser, () => {
  const dashboard = useDashboard();
  const open = (model = 'test-echo', fields: object = {}) =>
    openPanel(dashboard, (key) => testAgent(dashboard.service, key, model, fields));
  const waiting = 'The agent is waiting for you to start.';

  it('sends with Enter but not while an input method is composing, and breaks lines with Shift + Enter', async () => {
    const { page, asked } = await open();
    const messages = () => asked.filter((url) => url.endsWith('/messages')).length;
    const input = panelOf(page).getByLabel('Message');
    await panelOf(page).getByText(waiting).waitFor();
    await page.locator('textarea:focus').waitFor();
    await input.fill('よやく');
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      await input.dispatchEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init });
    }
    await input.press('Shift+Enter');
    assert.equal(await input.inputValue(), 'よやく\n');
    assert.equal(messages(), 1, 'only the opening');
    await input.fill('予約');
    await input.press('Enter');
    await logOf(page).getByText('Agent: 予約').waitFor();
    assert.equal(await logOf(page).getByText('予約').count(), 2, 'what was said, and its echo');
    assert.equal(await input.inputValue(), '');
    assert.equal(messages(), 2);
  });

  it('starts no chat for someone who chooses to call, and remembers the choice', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await testAgent(dashboard.service, key, 'test-echo');
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    for (const isFirst of [true, false]) {
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      if (isFirst) await panelOf(page).getByRole('button', { name: 'Make a call' }).click();
      await panelOf(page).getByRole('button', { name: 'Start call' }).waitFor();
      await panelOf(page).getByRole('button', { name: 'Close' }).click();
    }
    const { json } = await send(dashboard.service, 'GET', '/api/v1/calls', { key });
    assert.deepEqual(json.items, []);
  });

  it('says that the agent hung up, and starts again', async () => {
    const { page, calls, asked } = await open('test-script', { prompt: 'Good morning.\n[end]' });
    await panelOf(page).getByText(waiting).waitFor();
    await say(page, 'Hello');
    await logOf(page).getByText('Good morning.').waitFor();
    await say(page, 'Bye');
    await logOf(page).getByText('The agent ended the conversation.').waitFor();
    assert.equal(await panelOf(page).getByRole('button', { name: 'End', exact: true }).count(), 0);
    await panelOf(page).getByRole('button', { name: 'New chat' }).click();
    await panelOf(page).getByText(waiting).waitFor();
    assert.equal(await logOf(page).getByText('Good morning.').count(), 0);
    assert.deepEqual(
      (await calls()).map(({ status }) => status),
      ['ongoing', 'ended'],
    );
    assert.deepEqual(
      asked.filter((url) => url.endsWith('/end')),
      [],
      'a chat that is over is not ended again',
    );
  });

  it('ends the chat with the button, also during a reply, with the panel, and when the page is left', async () => {
    const { page, calls } = await open('test-slow');
    const newest = (endReason: string | null) => eventually(async () => (await calls())[0]?.endReason === endReason);
    await panelOf(page).getByText(waiting).waitFor();
    await say(page, 'Are you there?');
    await panelOf(page).getByText('The agent is replying…').waitFor();
    await panelOf(page).getByRole('button', { name: 'End', exact: true }).click();
    await logOf(page).getByText('You ended the chat.').waitFor();
    await logOf(page).getByText('Are you there?').waitFor();
    await newest('api_end');

    await panelOf(page).getByRole('button', { name: 'New chat' }).click();
    await panelOf(page).getByText(waiting).waitFor();
    await newest(null);
    await panelOf(page).getByRole('button', { name: 'Close' }).click();
    await newest('api_end');
    assert.equal(await panelOf(page).count(), 0);
    await page.locator('button:focus', { hasText: 'Try' }).waitFor();

    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await panelOf(page).getByText(waiting).waitFor();
    await newest(null);
    await page.goto(`${dashboard.service.url}/nothing-here`);
    await newest('api_end');
    assert.equal((await calls()).length, 3);
  });

  it('ends by itself after the third failed reply', async () => {
    const { page } = await open('test-fail');
    await panelOf(page).getByText(waiting).waitFor();
    await say(page, 'Hello?');
    await logOf(page).getByRole('alert').waitFor();
    await say(page, 'Anyone?');
    await logOf(page).getByText('Anyone?').waitFor();
    await logOf(page).getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await logOf(page).getByText('The chat has ended: Language model failed.').waitFor();
    for (const text of ['Hello?', 'Anyone?']) assert.equal(await logOf(page).getByText(text).count(), 1);
    assert.equal(await logOf(page).getByRole('alert').count(), 0);
  });

  it('notices with the next message that the chat was ended elsewhere', async () => {
    const { page, key, calls } = await open();
    await panelOf(page).getByText(waiting).waitFor();
    const [call] = await calls();
    await send(dashboard.service, 'POST', `/api/v1/calls/${call?.id}/end`, { key });
    await say(page, 'Hello?');
    await logOf(page).getByText('The chat has ended').or(logOf(page).getByText('You ended the chat.')).waitFor();
    await logOf(page).getByText('Hello?').waitFor();
  });

  it('offers the live version only if one is published, and begins anew with it', async () => {
    const { page, key, agent, calls } = await open();
    await panelOf(page).getByText('no version has been published yet').waitFor();
    assert.equal(await panelOf(page).getByRole('radio', { name: 'Live' }).isDisabled(), true);
    await panelOf(page).getByRole('button', { name: 'Close' }).click();
    await send(dashboard.service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key, body: {} });
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, body: { voiceSpeed: 1.1 } });
    await page.reload();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await panelOf(page).getByText('v2').waitFor();
    await panelOf(page).getByText('Live', { exact: true }).click();
    await panelOf(page).getByText('The published version').waitFor();
    await panelOf(page).getByText('v1').waitFor();
    await panelOf(page).getByText(waiting).waitFor();
    const versions = (await calls()).map(({ agentVersion, isDraft }) => [agentVersion, isDraft]);
    assert.deepEqual(versions, [
      [1, false],
      [2, true],
      [1, true],
    ]);
  });

  it('names what prevents a chat as the editor does, leads there, and works once it is corrected', async () => {
    const flow = { skills: [{ id: 'greet', type: 'say', text: 'Hello.', next: 'nowhere' }] };
    const tool = {
      name: 'find_order',
      description: 'Finds it.',
      parameters: { type: 'object' },
      url: 'http://1.1.1.1/',
    };
    const { page, key, agent } = await open('test-unknown', {
      responseEngineType: 'conversation_flow',
      startSkillId: 'greet',
      agentSettings: { flow, tools: [tool] },
    });
    const panel = panelOf(page);
    await panel.getByText('This version cannot be tried yet:').waitFor();
    await panel.getByRole('link', { name: 'greet · then' }).waitFor();
    const shown = (await panel.getByRole('alert').innerText()).replaceAll(/\s+/g, ' ');
    assert.match(shown, /greet · then: there is no step “nowhere”/);
    assert.match(shown, /find_order · URL: must start with https/);
    assert.match(shown, /Model is not a test model/);
    assert.doesNotMatch(shown, /agentSettings|responseEngine|skills\.0|tools\.0/);
    const audit = newAudit();
    await audit.look(page, 'a refused draft', 'aside');
    audit.assertClean();
    const next = page.locator('[id="field-agentSettings.flow.skills.0.next"]:focus');
    // Also if the editor of the flow is open already.
    for (const _ of [1, 2]) {
      await panel.getByRole('link', { name: 'greet · then' }).click();
      await next.waitFor();
    }
    await panel.getByRole('link', { name: 'find_order · URL' }).click();
    await page.locator('[id="field-agentSettings.tools"]').waitFor();
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, {
      key,
      body: {
        startSkillId: null,
        agentSettings: { flow: null, tools: null },
        responseEngine: { type: 'single_prompt', model: 'test-echo' },
      },
    });
    await panelOf(page).getByRole('button', { name: 'Retry' }).click();
    await panelOf(page).getByText(waiting).waitFor();
  });

  it('says why the agent only repeats what it hears', async () => {
    const { page } = await openPanel(dashboard, (key) =>
      createAgent(dashboard.service, key, { language: 'en', responseEngineType: 'single_prompt' }),
    );
    await panelOf(page).getByText('No language model is connected, so').waitFor();
    await say(page, 'Hello');
    await logOf(page).getByText('I heard: "Hello".').waitFor();
  });

  it('holds a conversation in Japanese with the flow of an example', async () => {
    const salon = parse(readFileSync('examples/salon/agent.yaml', 'utf8'));
    const { page, calls } = await openPanel(dashboard, (key) => createAgent(dashboard.service, key, salon), {
      locale: 'ja-JP',
    });
    const log = logOf(page);
    await log.getByText('ヘアサロン花でございます。').waitFor();
    for (const [said, reply] of [
      ['カットをお願いします', 'お日にちはいつがよろしいでしょうか。'],
      ['12月24日', 'お時間は何時ごろがよろしいでしょうか。'],
      ['15時', 'お名前をお伺いできますでしょうか。'],
      ['やっぱりやめます', 'またのご連絡をお待ちしております。'],
    ] as const) {
      await panelOf(page).getByLabel('メッセージ').fill(said);
      await page.keyboard.press('Enter');
      await log.getByText(reply).waitFor();
    }
    await log.getByText('エージェントが会話を終了しました。').waitFor();
    await panelOf(page).getByRole('link', { name: '通話を開く' }).click();
    await page.getByRole('tab', { name: '詳細' }).click();
    await page.getByText('通話中に集めた値').waitFor();
    await page.getByText('15:00').waitFor();
    const [call] = await calls();
    assert.deepEqual([call?.engine, call?.endReason], ['flow', 'agent_hangup']);
  });

  it('is a panel beside a usable page, opened from the list of agents, and covers a narrow screen', async () => {
    const { key } = await dashboard.service.newKey();
    await testAgent(dashboard.service, key, 'test-echo', { name: 'First' });
    const { page, asked } = await dashboard.visit('/agents', { key });
    await tryByChat(page, 'Try First');
    await panelOf(page).getByText(waiting).waitFor();
    const audit = newAudit({ isQuick: true });
    await audit.look(page, 'panel');
    await page.getByLabel('Search agents').fill('first');
    await page.waitForURL('**/agents?q=first');
    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('heading', { name: 'First', level: 1 }).waitFor();
    assert.deepEqual(
      asked.filter((url) => url.endsWith('/end')),
      [],
      'the chat goes on while another page is shown',
    );

    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('main[inert]').waitFor({ state: 'attached' });
    assert.deepEqual(await panelOf(page).boundingBox(), { x: 0, y: 0, width: 390, height: 844 });
    await audit.look(page, 'panel on a narrow screen');
    audit.assertClean();
    await panelOf(page).getByRole('link', { name: 'End and open call' }).click();
    await page.getByRole('heading', { name: 'Call with First', level: 1 }).waitFor();
    assert.equal(await panelOf(page).count(), 0);
    await page.getByText('Ended on request').waitFor();
  });

  it('needs the scope calls:write', async () => {
    const { key } = await dashboard.service.newKey({ workspace: 'lookers' });
    const agent = await createAgent(dashboard.service, key);
    const reader = await dashboard.service.newKey({ workspace: 'lookers', scopes: ['agents:read'] });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key: reader.key });
    await page.getByRole('button', { name: /^Try .*does not have the scope calls:write/ }).click({ force: true });
    assert.equal(await panelOf(page).count(), 0);
  });
});

describe('trying an agent with a language model', withBrowser, () => {
  let model: ModelDouble;
  const dashboard = useDashboard(async () => {
    model = await modelDouble();
    // Ten chats may be open.
    return { calls: { llm: model.llm, concurrency: 1 } };
  });
  const open = (fields: object = {}) =>
    openPanel(dashboard, (key) => testAgent(dashboard.service, key, 'gpt-5.4-mini', fields));

  it('greets first, streams replies, shows their time and tools, and opens the call while it goes on', async () => {
    const { port } = await httpReceiver((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"free": true}');
    });
    const parameters = { type: 'object', properties: { day: { type: 'string' } } };
    const tool = { name: 'book', description: 'Books.', parameters, url: `http://127.0.0.1:${port}/book` };
    const { page, asked, calls, complaints } = await open({
      beginMessage: 'Sakura Salon, hello.',
      agentSettings: { tools: [tool] },
    });
    const log = logOf(page);
    await log.getByText('Sakura Salon, hello.').waitFor();
    await page.locator('textarea:focus').waitFor();

    const before = gate();
    model.play(
      { tools: [{ name: 'book', arguments: '{"day": "Friday"}' }] },
      { text: 'Friday is free.', after: before.opened },
    );
    await say(page, 'Is Friday free?');
    await log.getByText('Is Friday free?').waitFor();
    await log.getByText('Calling the tool book…').waitFor();
    assert.equal(await log.getAttribute('aria-busy'), 'true');
    before.open();
    await log.getByText('Friday is free.').waitFor();
    await log.getByText(/^Replied in/).waitFor();
    assert.equal(await log.getByText('Is Friday free?').count(), 1);
    await log.getByText('Tool book').click();
    await log.getByText('"day": "Friday"').waitFor();
    await log.getByText('"free": true').waitFor();

    await panelOf(page).getByRole('link', { name: 'Open call' }).click();
    const [call] = await calls();
    await page.waitForURL(`**/calls/${call?.id}`);
    const transcript = page.getByRole('main').getByRole('log');
    await page.getByText('Live: this page updates automatically.').waitFor();
    await transcript.getByText('Friday is free.').waitFor();
    await log.getByText('Friday is free.').waitFor();
    model.play({ text: 'At three.' });
    await say(page, 'When?');
    await transcript.getByText('At three.').waitFor();
    assert.deepEqual(
      asked.filter((url) => url.endsWith('/end')),
      [],
    );
    await panelOf(page).getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('Live: this page').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('openai · gpt-5.4-mini').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('retries a failed reply with the same key, also when it failed in the stream', async () => {
    const { page } = await open();
    const log = logOf(page);
    const keys: (string | undefined)[] = [];
    await panelOf(page).getByText('The agent is waiting for you to start.').waitFor();
    page.on('request', (request) => {
      if (request.url().endsWith('/messages')) keys.push(request.headers()['idempotency-key']);
    });
    model.play({ status: 400 }, { closeAfter: 'I am' }, { text: 'I am here.' });
    await say(page, 'Hello?');
    await log.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await eventually(async () => keys.length === 2);
    await log.getByRole('alert').waitFor();
    assert.equal(await log.getByText('I am').count(), 0);
    await page.getByRole('button', { name: 'Retry' }).click();
    await log.getByText('I am here.').waitFor();
    assert.equal(await log.getByText('Hello?').count(), 1);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
  });

  it('says that too many chats are open', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await testAgent(dashboard.service, key, 'test-echo');
    const body = { type: 'chat', agentId: agent.id, agentVersion: 'latest' };
    const made = [];
    for (let place = 0; place < 10; place += 1) {
      made.push((await send(dashboard.service, 'POST', '/api/v1/calls', { key, body })).json);
    }
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    await tryByChat(page);
    await panelOf(page).getByText('Too many chats are open').waitFor();
    await send(dashboard.service, 'POST', `/api/v1/calls/${made[0].id}/end`, { key });
    await panelOf(page).getByRole('button', { name: 'Retry' }).click();
    await panelOf(page).getByText('The agent is waiting for you to start.').waitFor();
  });
});
