import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { CallServer } from './support/call-server.ts';
import { latencyOf } from './support/sample-calls.ts';

describe('trying an agent', withBrowser, () => {
  const dashboard = useDashboard();
  let server: CallServer;
  beforeEach(async () => {
    server = await CallServer.start();
  });
  afterEach(() => server.close());

  const panelOf = (page: Page) => page.getByRole('complementary');
  const say = async (page: Page, text: string) => {
    await panelOf(page).getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };
  /** The page of an agent with the panel open, after the opening. */
  const open = async (name = 'Reception') => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { name });
    const visit = await dashboard.visit('/overview', { key });
    await server.join(visit.page);
    await visit.page.goto(`${dashboard.service.url}/agents/${agent.id}`);
    await visit.page.getByRole('button', { name: 'Try', exact: true }).click();
    return { ...visit, key, agent, log: panelOf(visit.page).getByRole('log') };
  };
  const gate = () => Promise.withResolvers<void>();

  it('greets first, streams replies, and shows their time and tools', async () => {
    server.scripts.push({ turns: [{ source: 'begin', text: 'Sakura Salon, hello.' }] });
    const { page, agent, log, complaints } = await open();
    await log.getByText('Sakura Salon, hello.').waitFor();
    assert.deepEqual(server.asked[0]?.body, { type: 'chat', agentId: agent.id, agentVersion: 'latest' });
    assert.deepEqual(server.asked[1]?.body, {}, 'the opening has no text');
    await page.locator('textarea:focus').waitFor();

    const { promise: until, resolve: go } = gate();
    const toolCall = { id: 't', name: 'book', arguments: { day: 'Friday' }, result: { ok: 1 }, isError: false };
    server.scripts.push({
      deltas: ['Friday ', 'is free.'],
      turns: [
        { role: 'tool', toolCall: { ...toolCall, durationMs: 300 } },
        { text: 'Friday is free.', latency: latencyOf(610) },
      ],
      until,
    });
    await say(page, 'Is Friday free?');
    await log.getByText('Is Friday free?').waitFor();
    await log.getByText('Calling the tool book…').waitFor();
    await log.getByText('Friday is free.').waitFor();
    assert.equal(await log.getAttribute('aria-busy'), 'true', 'before the end of the stream');
    go();
    await log.getByText('Replied in 610 ms').waitFor();
    assert.equal(await log.getByText('Is Friday free?').count(), 1);
    await log.getByText('Tool book').click();
    await log.getByText('"day": "Friday"').waitFor();

    await panelOf(page).getByRole('link', { name: 'Open call' }).click();
    await page.waitForURL(`**/calls/${server.calls[0]?.id}`);
    await log.getByText('Friday is free.').waitFor();
    assert.equal(server.count('POST', '/end'), 0, 'the chat goes on while another page is shown');
    assert.deepEqual(complaints, []);
  });

  it('sends with Enter but not while an input method is composing, and breaks lines with Shift + Enter', async () => {
    const { page } = await open();
    const input = panelOf(page).getByLabel('Message');
    await panelOf(page).getByText('The agent waits for you to begin.').waitFor();
    await input.fill('よやく');
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      await input.dispatchEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init });
    }
    await input.press('Shift+Enter');
    assert.equal(await input.inputValue(), 'よやく\n');
    assert.equal(server.count('POST', '/messages'), 1, 'only the opening');
    await input.fill('予約');
    await input.press('Enter');
    await panelOf(page).getByRole('log').getByText('予約').waitFor();
    assert.equal(await input.inputValue(), '');
    assert.equal(server.count('POST', '/messages'), 2);
  });

  it('retries a failed reply with the same key, also when it failed in the stream', async () => {
    const failure = { status: 502, code: 'UPSTREAM_ERROR' };
    server.scripts.push({}, { failure }, { deltas: ['I am'], failure }, { turns: [{ text: 'I am here.' }] });
    const { page, log } = await open();
    await panelOf(page).getByText('The agent waits for you to begin.').waitFor();
    await say(page, 'Hello?');
    await log.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.waitForFunction(() => document.querySelector('[role=log] [role=alert]') === null);
    await log.getByRole('alert').waitFor();
    assert.equal(await log.getByText('I am').count(), 0);
    await page.getByRole('button', { name: 'Retry' }).click();
    await log.getByText('I am here.').waitFor();
    assert.equal(await log.getByText('Hello?').count(), 1);
    const keys = server.asked
      .filter(({ path }) => path.endsWith('/messages'))
      .map((one) => one.headers['idempotency-key']);
    assert.equal(keys.length, 4);
    assert.equal(new Set(keys.slice(1)).size, 1);
    assert.notEqual(keys[0], keys[1]);
  });

  it('says that the agent hung up, and starts again', async () => {
    server.scripts.push({ turns: [{ text: 'Hello.' }] }, { turns: [{ text: 'Goodbye.' }], status: 'ended' });
    const { page, log } = await open();
    await log.getByText('Hello.').waitFor();
    await say(page, 'Bye');
    await log.getByText('The agent ended the conversation.').waitFor();
    assert.equal(await panelOf(page).getByRole('button', { name: 'End', exact: true }).count(), 0);
    server.scripts.push({ turns: [{ text: 'Hello again.' }] });
    await panelOf(page).getByRole('button', { name: 'New chat' }).click();
    await log.getByText('Hello again.').waitFor();
    assert.equal(await log.getByText('Goodbye.').count(), 0);
    assert.equal(server.count('POST', '/end'), 0, 'a chat that is over is not ended again');
  });

  it('ends the chat with the button, with the panel, and when the page is left', async () => {
    const { page, log } = await open();
    await panelOf(page).getByRole('button', { name: 'End', exact: true }).click();
    await log.getByText('You ended the chat.').waitFor();
    const ended = () => server.calls.map(({ status }) => status);
    assert.deepEqual(ended(), ['ended']);

    await panelOf(page).getByRole('button', { name: 'New chat' }).click();
    await panelOf(page).getByText('The agent waits for you to begin.').waitFor();
    const closing = page.waitForRequest('**/end');
    await panelOf(page).getByRole('button', { name: 'Close' }).click();
    await closing;
    assert.equal(await panelOf(page).count(), 0);
    await page.locator('button:focus', { hasText: 'Try' }).waitFor();

    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await panelOf(page).getByText('The agent waits for you to begin.').waitFor();
    const leaving = page.waitForRequest('**/end');
    await page.evaluate(() => dispatchEvent(new Event('pagehide')));
    await leaving;
  });

  it('offers the live version only if one is published, and begins anew with it', async () => {
    const { page, key, agent } = await open();
    await panelOf(page).getByText('no version has been published yet').waitFor();
    assert.equal(await panelOf(page).getByRole('radio', { name: 'Live' }).isDisabled(), true);
    await panelOf(page).getByRole('button', { name: 'Close' }).click();
    await send(dashboard.service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key, body: {} });
    await page.reload();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await panelOf(page).getByText('Live', { exact: true }).click();
    await panelOf(page).getByText('The published version').waitFor();
    await panelOf(page).getByText('The agent waits for you to begin.').waitFor();
    const versions = server.asked.filter(({ path }) => path.endsWith('/calls')).map(({ body }) => body.agentVersion);
    assert.deepEqual(versions, ['latest', 'latest', 'published']);
  });

  it('explains what prevents a chat, and that no model is connected', async () => {
    const fieldErrors = { 'responseEngine.model': ['is not a test model'] };
    server.refusal = { status: 422, code: 'UNPROCESSABLE_CONTENT', details: { fieldErrors, formErrors: [] } };
    const { page } = await open();
    await panelOf(page).getByText('responseEngine.model: is not a test model').waitFor();
    server.refusal = { status: 429, code: 'CONCURRENCY_LIMIT_REACHED' };
    await panelOf(page).getByRole('button', { name: 'Retry' }).click();
    await panelOf(page).getByText('Too many chats are open').waitFor();
    server.template = { engine: 'rehearsal' };
    await panelOf(page).getByRole('button', { name: 'Retry' }).click();
    await panelOf(page).getByText('No language model is connected').waitFor();
  });

  it('is a panel beside a usable page, opened from the list of agents, and covers a narrow screen', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: 'First' });
    const { page } = await dashboard.visit('/overview', { key });
    await server.join(page);
    await page.goto(`${dashboard.service.url}/agents`);
    await page.getByRole('button', { name: 'Try First' }).click();
    await panelOf(page).getByText('The agent waits for you to begin.').waitFor();
    const audit = newAudit({ isQuick: true });
    await audit.look(page, 'panel');
    await page.getByLabel('Search agents').fill('first');
    await page.waitForURL('**/agents?q=first');
    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('heading', { name: 'First', level: 1 }).waitFor();
    assert.equal(server.count('POST', '/end'), 0);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('main[inert]').waitFor({ state: 'attached' });
    assert.deepEqual(await panelOf(page).boundingBox(), { x: 0, y: 0, width: 390, height: 844 });
    await audit.look(page, 'panel on a narrow screen');
    audit.assertClean();
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
