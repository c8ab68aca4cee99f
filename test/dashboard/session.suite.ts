import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../support/client.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';

describe('the dashboard session', withBrowser, () => {
  const dashboard = useDashboard();
  const signIn = async (page: Awaited<ReturnType<typeof dashboard.visit>>['page'], key: string) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('rejects a wrong key, accepts a valid one, survives a reload, and is stored for the tab only', async () => {
    const { key } = await dashboard.service.newKey({ workspace: 'Salon 桜' });
    const { page, asked, complaints } = await dashboard.visit('/keys');
    assert.equal(await page.getByLabel('API key').getAttribute('type'), 'password');
    await page.getByText('keys create --workspace default').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter an API key.').waitFor();
    await signIn(page, 'not a key');
    await page.getByText('This is not an API key').waitFor();
    await signIn(page, 'vak_wrong');
    await page.getByText('This API key is invalid.').waitFor();
    await signIn(page, key);
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await page.getByText('Salon 桜').first().waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    const kept = await page.evaluate(() => [JSON.stringify({ ...localStorage }), document.cookie].join());
    assert.ok(!kept.includes('vak_'), 'only in the storage of the tab');
    assert.deepEqual(
      asked.filter((url) => url.includes('vak_')),
      [],
      'never in an address',
    );
    assert.deepEqual(complaints, []);
  });

  it('loads the page while the key is checked', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/docs/favicon.svg', { key });
    const { promise: isLoaded, resolve: allow } = Promise.withResolvers<void>();
    await intercept(page, '**/api/v1/whoami', async (route) => {
      await isLoaded;
      await route.continue();
    });
    const script = page.waitForRequest(/\/assets\/keys-.*\.js$/);
    await page.goto(`${dashboard.service.url}/keys`);
    await script;
    allow();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  });

  it('asks for a key without waiting for other tabs if there are none', async () => {
    const { page } = await dashboard.visit('/docs/favicon.svg', { timezoneId: 'UTC' });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goto(`${dashboard.service.url}/keys`);
    await page.getByLabel('API key').waitFor();
    await page.context().close();
  });

  it('ends with a message when its key is rejected later, and by signing out', async () => {
    const { key } = await dashboard.service.newKey();
    const whoami = await send(dashboard.service, 'GET', '/api/v1/whoami', { key });
    const { page } = await dashboard.visit('/overview', { key });
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await send(dashboard.service, 'POST', `/api/v1/api-keys/${whoami.json.keyId}/revoke`, { key });
    await page.getByRole('link', { name: 'Audit log' }).first().click();
    await page.getByText('You were signed out').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();

    await signIn(page, (await dashboard.service.newKey()).key);
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^Workspace/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  });

  it('disables what the key has no scope for, and names the missing scope', async () => {
    const { key } = await dashboard.service.newKey({ scopes: ['agents:read'] });
    const { page, asked } = await dashboard.visit('/agents', { key });
    const create = page
      .getByRole('button', { name: /New agent \(Your API key does not have the scope agents:write/ })
      .first();
    await create.waitFor();
    assert.equal(await create.getAttribute('aria-disabled'), 'true');
    await create.focus();
    await page.getByRole('tooltip', { name: /agents:write/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('n');
    assert.equal(new URL(page.url()).pathname, '/agents');

    await page.getByRole('link', { name: /API keys \(Your API key does not have the scope keys:read/ }).click();
    await page.getByRole('heading', { name: 'You don’t have permission' }).waitFor();
    await page.goto(`${dashboard.service.url}/overview`);
    await page.getByText('Your API key does not have the scope calls:read.').first().waitFor();
    await page.getByText('Your API key does not have the scope audit:read.').first().waitFor();
    assert.deepEqual(
      asked.filter((url) => /api-keys|audit-log|calls|webhooks/.test(url)),
      [],
      'nothing is asked to be refused',
    );
    await page.getByRole('button', { name: /^Workspace/ }).click();
    await page.getByText('keys:write').waitFor();
  });

  it('is Japanese or English and light or dark, as the browser or the user prefers', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/agents', { key, locale: 'ja-JP', colorScheme: 'dark' });
    const root = page.locator('html');
    await page.getByRole('heading', { name: 'エージェント', level: 1 }).waitFor();
    assert.equal(await root.getAttribute('lang'), 'ja');
    assert.equal(await root.getAttribute('data-mantine-color-scheme'), 'dark');
    await page.getByRole('button', { name: /^言語/ }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^Theme/ }).click();
    await page.getByRole('menuitem', { name: 'Light' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    assert.equal(await root.getAttribute('lang'), 'en');
    assert.equal(await root.getAttribute('data-mantine-color-scheme'), 'light');
  });

  it('continues after an upgrade of the service with new file names', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, asked } = await dashboard.visit('/overview', { key });
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    let isThere = false;
    await intercept(page, '**/assets/audit-*.js', (route) =>
      isThere ? route.continue() : route.fulfill({ status: 404, json: {} }),
    );
    await page.getByRole('link', { name: 'Audit log' }).first().click();
    await page.getByRole('heading', { name: 'This page could not be displayed' }).waitFor();
    const documents = asked.filter((url) => url.endsWith('/audit'));
    assert.equal(documents.length, 1, 'reloaded exactly once');
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    isThere = true;
    await page.getByRole('link', { name: 'Audit log' }).first().click();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  });
});
