import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { findHeadlessShell } from '../../scripts/chromium.js';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('getting around in the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  const openPalette = async (page: Page) => {
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
  };

  it('has the pages in groups, with language and theme among the settings', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/overview', { key });
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.waitFor();
    const names = await navigation.locator('a, h2, button').evaluateAll((all) => all.map((each) => each.textContent));
    assert.deepEqual(names, [
      ...['Overview', 'Agents', 'Calls', 'Analytics', 'Numbers', 'Knowledge', 'Webhooks', 'Workflows'],
      ...['Develop', 'API keys', 'Secrets', 'Audit log', 'API reference'],
      ...['Settings', 'Providers', 'Prices', 'Service', 'LanguageEnglish', 'ThemeSystem'],
    ]);
  });

  it('finds pages, actions and agents with Ctrl+K, by keyboard alone', async () => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: '予約受付' });
    const { page, complaints } = await dashboard.visit('/keys', { key });
    await page.getByRole('button', { name: 'Create key' }).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Create key');

    await openPalette(page);
    await page.keyboard.type('serv');
    await page.getByRole('option', { name: 'Service', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Service', level: 1 }).waitFor();

    await openPalette(page);
    await page.keyboard.type('予約');
    await page.getByRole('option', { name: '予約受付', exact: true }).waitFor();
    const active = await page.getByRole('combobox').getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`[id="${active}"]`).textContent(), '予約受付');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${id}`);

    await openPalette(page);
    await page.keyboard.type('create an api key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create key' }).waitFor();
    assert.equal(page.url(), `${dashboard.service.url}/keys`);
    await page.keyboard.press('Escape');

    await openPalette(page);
    await page.keyboard.type('nothing like this');
    await page.getByText('No results').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('offers only pages and actions that the key may use', async () => {
    const { key } = await dashboard.service.newKey({ scopes: ['agents:read'] });
    const { page } = await dashboard.visit('/agents', { key });
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await page.getByRole('option', { name: 'Agents' }).waitFor();
    assert.equal(await page.getByRole('option', { name: 'API keys' }).count(), 0);
    assert.equal(await page.getByRole('option', { name: 'Create an agent' }).count(), 0);
  });

  it('starts a new workspace with a checklist, which ends when everything is done or it is dismissed', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/overview', { key });
    await page.getByText('0 of 4 done').waitFor();
    assert.equal(await page.getByText('Median reply time').count(), 0, 'no empty numbers');
    await page.getByText('Create an agent first.').waitFor();
    await page.getByRole('link', { name: 'Receptionist' }).click();
    await page.waitForURL('**/agents/new?template=reception');
    const { id } = await createAgent(dashboard.service, key, { name: 'Reception', voiceId: 'test-a' });

    await page.goto(`${dashboard.service.url}/overview`);
    await page.getByText('1 of 4 done').waitFor();
    await page.getByRole('button', { name: 'Talk to Reception' }).click();
    await page.getByRole('complementary').waitFor();
    await page.goto(`${dashboard.service.url}/overview`);
    const call = { type: 'chat', agentId: id, agentVersion: 'latest' };
    await send(dashboard.service, 'POST', '/api/v1/calls', { key, body: call });
    await page.getByText('2 of 4 done').waitFor();
    await page.getByText('Median reply time').waitFor();
    await page.getByRole('link', { name: 'Open providers' }).click();
    await page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
    await page.goBack();
    // Its requests to the tool are signed, with the secret of a webhook that sends nothing.
    const tool = {
      name: 'book',
      description: 'Books.',
      parameters: { type: 'object' },
      url: 'https://shop.example.com/',
    };
    const patch = { agentSettings: { tools: [tool] }, beginMessage: 'Hello.' };
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${id}`, { key, body: patch });
    const published = await send(dashboard.service, 'POST', `/api/v1/agents/${id}/publish`, { key, body: {} });
    assert.equal(published.status, 200, published.text);
    const { json: webhooks } = await send(dashboard.service, 'GET', '/api/v1/webhooks', { key });
    assert.deepEqual(
      webhooks.items.map(({ url }: { url: string | null }) => url),
      [null],
    );
    await page.reload();
    await page.getByText('2 of 4 done').waitFor();
    await page.getByRole('link', { name: 'Add a webhook' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.goto(`${dashboard.service.url}/overview`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Median reply time').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Get started' }).count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('keeps the columns of a table under their headers, beside a scrollbar that takes room', async () => {
    const { key } = await dashboard.service.newKey();
    for (let index = 0; index < 30; index += 1) await createAgent(dashboard.service, key, { name: `agent ${index}` });
    const browser = await chromium.launch({
      executablePath: findHeadlessShell() as string,
      args: ['--no-sandbox', '--disable-gpu', '--disable-features=OverlayScrollbar'],
      // Otherwise scrollbars take no room.
      ignoreDefaultArgs: ['--hide-scrollbars'],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.addInitScript((own) => sessionStorage.setItem('voice-agents-key', own), key);
      await page.goto(`${dashboard.service.url}/agents`);
      await page.getByRole('link', { name: 'agent 29' }).waitFor();
      const lefts = (role: string) =>
        page
          .locator(`[role=${role}]`)
          .evaluateAll((all) => all.slice(0, 8).map((each) => Math.round(each.getBoundingClientRect().left)));
      const scrollbar = await page
        .locator('[role=rowgroup]')
        .last()
        .evaluate((group) => (group as HTMLElement).offsetWidth - group.clientWidth);
      assert.ok(scrollbar > 0, 'there is a scrollbar that takes room');
      assert.deepEqual(await lefts('columnheader'), await lefts('cell'));
    } finally {
      await browser.close();
    }
  });
});
