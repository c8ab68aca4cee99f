import assert from 'node:assert/strict';
import { get } from 'node:http';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const maxScriptBytes = 200 * 1024;

describe('every page of the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  let key: string;
  before(async () => {
    ({ key } = await dashboard.service.newKey());
    for (const name of ['予約受付', 'Reception', '<b>bold</b>']) await createAgent(dashboard.service, key, { name });
  });

  const pages = {
    '/overview': 'Overview',
    '/agents': 'Agents',
    '/calls': 'Calls',
    '/analytics': 'Analytics',
    '/numbers': 'Numbers',
    '/knowledge': 'Knowledge',
    '/webhooks': 'Webhooks',
    '/workflows': 'Workflows',
    '/secrets': 'Secrets',
    '/settings/providers': 'Providers',
    '/settings/prices': 'Prices',
    '/settings/service': 'Service',
    '/keys': 'API keys',
    '/audit': 'Audit log',
  };

  /** Without loading the dashboard again. */
  const open = async (page: Page, path: string) => {
    await page.evaluate((to) => history.pushState(null, '', to), path);
    const title = pages[path as keyof typeof pages];
    await page
      .locator('h1', title === undefined ? {} : { hasText: title })
      .first()
      .waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };

  it('requests nothing from other origins, and the first page loads less than 200 KB of script', async (test) => {
    const { page, asked, complaints } = await dashboard.visit('/');
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByText('Agent created').first().waitFor();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    const scripts = [...new Set(asked)].filter((url) => url.endsWith('.js'));
    assert.ok(scripts.length > 1);
    const sizes = await Promise.all(scripts.map((url) => sizeOf(url, 'br')));
    const sum = sizes.reduce((total, size) => total + size, 0);
    test.diagnostic(`sign-in and overview: ${sum} bytes of script in ${scripts.length} files`);
    assert.ok(sum < maxScriptBytes, `${sum} bytes of script`);
    for (const path of Object.keys(pages)) await open(page, path);
    const strangers = asked.filter((url) => !url.startsWith(`${dashboard.service.url}/`) && !url.startsWith('data:'));
    assert.deepEqual(strangers, []);
    assert.deepEqual(complaints, []);
  });

  it('cannot fetch from other origins, even by its own scripts', async () => {
    const { page } = await dashboard.visit('/overview');
    const refused = await page.evaluate(async () => {
      const isFetched = await fetch('https://example.com/').then(
        () => true,
        () => false,
      );
      const image = await new Promise((resolve) => {
        const element = new Image();
        element.onload = () => resolve(true);
        element.onerror = () => resolve(false);
        element.src = 'https://example.com/x.png';
      });
      const made = ['<img src=x>', '<div onclick="x">', '<div <img src=x>></div>', '<div class="a"></div>'].filter(
        (html) => {
          try {
            document.createElement('div').innerHTML = html;
            return true;
          } catch {
            return false;
          }
        },
      );
      return { isFetched, image, made };
    });
    // Only empty containers, which the library for waveforms needs.
    assert.deepEqual(refused, { isFetched: false, image: false, made: ['<div class="a"></div>'] });
  });

  // The slower tests look for axe violations, in every dialog, menu and state.
  it('fits a narrow screen', async () => {
    const { id } = await createAgent(dashboard.service, key, { name: 'looked at' });
    const { page } = await dashboard.visit('/overview', { key, viewport: { width: 360, height: 740 } });
    for (const path of [
      ...Object.keys(pages),
      '/agents/new',
      `/agents/${id}`,
      ...['voice', 'analysis', 'webhook', 'calls', 'versions', 'code'].map((tab) => `/agents/${id}/${tab}`),
    ]) {
      await open(page, path);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, path);
    }
  });

  /** Requests appear in the figures a few seconds later. */
  const untilCounted = async (key: string, requests: number) => {
    for (;;) {
      const { json } = await send(dashboard.service, 'GET', '/api/v1/figures', { key });
      const counted = json.points.reduce((sum: number, point: { requests: number }) => sum + point.requests, 0);
      if (counted >= requests) return;
      await delay(200);
    }
  };

  it('shows the traffic of the API on the service page', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: 'one' });
    await createAgent(dashboard.service, key, { name: 'two' });
    for (let index = 0; index < 3; index += 1) await send(dashboard.service, 'GET', '/api/v1/agents/none', { key });
    await untilCounted(key, 5);
    const { page, complaints } = await dashboard.visit('/settings', { key });
    await page.waitForURL('**/settings/providers');
    await page.getByRole('link', { name: 'Service' }).click();
    const tile = (name: string) => page.locator('[class*=_tile_]').filter({ hasText: name });
    await tile('Agents').getByText('2', { exact: true }).waitFor();
    await page.getByText('Operating normally').waitFor();
    assert.match((await tile('Rejected').textContent()) ?? '', /Rejected3/);

    const plot = page.getByRole('slider', { name: 'Rejected and failed requests' });
    assert.match((await plot.getAttribute('aria-valuetext')) ?? '', /^\d\d:\d\d: Rejected \d+, Failed 0$/);
    await plot.focus();
    await page.keyboard.press('Home');
    assert.equal(await plot.getAttribute('aria-valuenow'), '0');
    await page.keyboard.press('ArrowRight');
    assert.equal(await plot.getAttribute('aria-valuenow'), '1');
    assert.equal(await page.getByRole('table', { name: 'Latency' }).getByRole('row').count(), 61);
    await page.getByText('Last 24 hours').click();
    await page.waitForFunction(() => document.querySelector('[role=slider]')?.getAttribute('aria-valuemax') === '143');
    assert.deepEqual(complaints, []);
  });

  it('names what was changed as it was called at the time, without a request that is rejected', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { name: 'one' });
    const gone = await createAgent(dashboard.service, key, { name: 'gone' });
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, body: { name: 'renamed' } });
    await send(dashboard.service, 'DELETE', `/api/v1/agents/${gone.id}`, { key });
    const { page, complaints } = await dashboard.visit('/audit', { key });
    const rejected: string[] = [];
    page.on('response', (response) => response.status() >= 400 && rejected.push(response.url()));
    await page.getByRole('link', { name: 'Overview' }).click();
    const change = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true });
    await change('renamed').waitFor();
    assert.equal(await change('one').getAttribute('href'), `/agents/${agent.id}`);
    await change('gone').first().click();
    await page.waitForURL(`**/audit?resourceId=${gone.id}`);
    await page.getByText('2 entries').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('4 entries').waitFor();
    assert.deepEqual(rejected, []);
    assert.deepEqual(complaints, []);
  });

  it('filters the audit log by action, actor and day, with the filters in the URL', async () => {
    const { key, workspaceId } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: 'one' });
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { name: 'renamed' } });
    const other = await send(dashboard.service, 'POST', '/api/v1/api-keys', {
      key,
      body: { name: 'CI', scopes: ['agents:read', 'agents:write'] },
    });
    await createAgent(dashboard.service, other.json.key, { name: 'made by CI' });
    const { page } = await dashboard.visit('/audit', { key });
    await page.getByText('4 entries').waitFor();
    await page.getByLabel('Action').selectOption('Agent created');
    await page.getByText('2 entries').waitFor();
    await page.getByLabel('Actor').selectOption('CI');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'made by CI' }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get('routeId'), searchParams.get('keyId')], ['agents.create', other.json.id]);
    await page.getByLabel('Action').selectOption('Any action');
    await page.getByLabel('Actor').selectOption('Command line');
    await page.getByRole('heading', { name: 'No changes match these filters' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByRole('heading', { name: 'No changes match these filters' }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByText('4 entries').waitFor();
    assert.ok(workspaceId);
  });
});

/** As transferred. */
function sizeOf(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (answer) => {
      assert.equal(answer.headers['content-encoding'], encoding);
      answer.resume();
      resolve(Number(answer.headers['content-length']));
    }).on('error', reject);
  });
}
