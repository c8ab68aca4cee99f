import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';

const flow = {
  skills: [
    { id: 'greet', type: 'say', text: 'Hello, {{caller}}.', next: 'bye' },
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
};
const brokenFlow = { skills: [{ ...flow.skills[0], next: 'nowhere' }, flow.skills[1]] };

describe('the check of a draft in the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  const createBroken = (key: string, more: object = {}): Promise<Agent> =>
    createAgent(dashboard.service, key, {
      responseEngineType: 'conversation_flow',
      agentSettings: { flow: brokenFlow },
      webhookEvents: ['call_started', 'call_stopped'],
      ...more,
    });
  const patch = (key: string, id: string, body: object) =>
    send(dashboard.service, 'PATCH', `/api/v1/agents/${id}`, { key, body });
  const read = async (key: string, id: string): Promise<Agent> =>
    (await send(dashboard.service, 'GET', `/api/v1/agents/${id}`, { key })).json;
  const publishIn = (page: Page) => page.getByRole('button', { name: /^Publish/ });
  const dialogIn = (page: Page) => page.locator('[role=dialog]');

  it('lists what prevents publishing, leads to each place, and lets publish what has been fixed', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createBroken(key);
    const { page, complaints } = await dashboard.visit(`/agents/${agent.id}`, { key });
    const dialog = dialogIn(page);
    const problems = page.getByRole('button', { name: '3 problems prevent publishing' });
    await problems.waitFor();
    await publishIn(page).click();
    await dialog.getByText('3 problems prevent publishing').first().waitFor();
    const items = await dialog.getByRole('region', { name: 'problems' }).locator('li li').allTextContents();
    assert.equal(items.length, 3);
    assert.equal(items[0], 'greet · then: there is no step “nowhere”');
    assert.equal(items[1], 'bye: no route leads to this step');
    assert.match(items[2] ?? '', /^Item 2 must be one of: call_started, /);
    const barred = dialog.getByRole('button', { name: /^Publish ?: Fix the problems first/ });
    assert.equal(await barred.getAttribute('aria-disabled'), 'true');
    await barred.press('Enter');

    await dialog.getByRole('link', { name: 'greet · then' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The step in the flow editor, with what is wrong.
    const next = page.locator('[id="field-agentSettings.flow.skills.0.next"]');
    await next.and(page.locator(':focus')).waitFor();
    assert.equal(await next.inputValue(), 'nowhere');
    await page.getByRole('region', { name: 'Say: greet' }).getByText('there is no step “nowhere”').waitFor();
    // Back to the form.
    await page.getByRole('link', { name: agent.name }).click();

    await page.locator('#field-name').fill('Not saved');
    await page.getByRole('button', { name: '3 problems in the saved draft' }).click();
    await dialog.getByText('Only what is saved is checked and published.').waitFor();
    await dialog.getByRole('button', { name: /^Publish ?: Save or discard/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#field-name').fill(agent.name);

    await patch(key, agent.id, { agentSettings: { flow }, webhookEvents: ['call_started'] });
    await publishIn(page).click();
    await dialog.getByText('1 warning', { exact: true }).waitFor();
    await problems.waitFor({ state: 'detached' });
    await dialog.getByLabel('What changed in this version?').fill('Fixed');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Live v1', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('is not the last word: what the service rejects is listed the same way', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createBroken(key, { agentSettings: {}, webhookUrl: 'https://127.0.0.9/' });
    const { page } = await dashboard.visit('/agents', { key });
    const dialog = dialogIn(page);
    let answer: object = { status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no' } } };
    await intercept(page, '**/check', (route) => route.fulfill(answer));
    await page.goto(`${dashboard.service.url}/agents/${agent.id}/versions`);
    await publishIn(page).click();
    await dialog.getByRole('region', { name: 'Could not check for problems' }).waitFor();
    answer = { status: 200, json: { publishable: true, errors: [], warnings: [] } };
    await dialog.getByRole('button', { name: 'Try again' }).press('Enter');
    await dialog.getByText('No problems found').waitFor();
    await dialog.locator('textarea:focus').waitFor();
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByText(/^Item 2$/).waitFor();
    assert.equal((await read(key, agent.id)).isPublished, false);

    await dialog.getByRole('link', { name: 'Webhooks · Events' }).click();
    await page.waitForURL(`**/agents/${agent.id}/webhook`);
    await page.locator('[data-field=webhookEvents] :focus').waitFor();
  });

  it('is shown to keys that may not publish, and in Japanese', async () => {
    const workspace = 'Readers of checks';
    const { key: owner } = await dashboard.service.newKey({ workspace });
    const agent = await createBroken(owner, { responseEngineType: 'custom_llm', agentSettings: {} });
    const { key } = await dashboard.service.newKey({ workspace, scopes: ['agents:read'] });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key, locale: 'ja-JP' });
    const dialog = dialogIn(page);
    await page.getByRole('button', { name: '2件の問題があるため公開できません' }).click();
    await dialog.getByText('タイプが「custom_llm」の場合は必須です').waitFor();
    const untranslated = dialog.locator('[lang=en]');
    assert.deepEqual(await untranslated.count(), 0);
    await dialog.getByRole('button', { name: /^公開 ?: APIキーにスコープ「agents:write」がありません/ }).waitFor();
  });
});
