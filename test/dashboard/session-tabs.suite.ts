import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent, send } from '../support/client.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';

describe('the dashboard in several tabs', withBrowser, () => {
  const dashboard = useDashboard();
  const open = async (page: Page, path: string) => {
    const other = await page.context().newPage();
    await other.goto(dashboard.service.url + path);
    return other;
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Workspace/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  };

  it('does not ask a new tab for the key while one is open, and signs out all tabs at once', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/keys', { key });
    await heading(page, 'API keys');
    const second = await open(page, '/audit');
    await heading(second, 'Audit log');
    const kept = await second.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie);
    assert.ok(!kept.includes('vak_'), 'only in the storage of each tab');
    const third = await open(second, '/keys');
    await heading(third, 'API keys');
    await signOut(third);
    for (const tab of [page, second]) await tab.getByLabel('API key').waitFor();
    assert.equal(await second.evaluate(() => sessionStorage.getItem('voice-agents-key')), null);
    const fourth = await open(second, '/keys');
    await fourth.getByLabel('API key').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('keeps unsaved changes of another tab until the user signs in again there', async () => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: 'Reception' });
    const { page } = await dashboard.visit(`/agents/${id}`, { key });
    await page.locator('#field-name').fill('not saved yet');
    const second = await open(page, '/keys');
    await heading(second, 'API keys');
    await signOut(second);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('You have signed out in another tab.').waitFor();
    await dialog.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.locator('#field-name').inputValue(), 'not saved yet');
  });

  it('continues with the new key in all tabs when one rotates it', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/keys', { key });
    await heading(page, 'API keys');
    const second = await open(page, '/overview');
    await heading(second, 'Overview');
    await page.getByRole('button', { name: /^Rotate/ }).click();
    await page.getByLabel('Grace period of the old key').selectOption('None: it stops working immediately');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const next = (await page.getByLabel('New API key').textContent()) ?? '';
    await second.waitForFunction((value) => sessionStorage.getItem('voice-agents-key') === value, next);
    await second.getByRole('link', { name: 'Audit log' }).first().click();
    await second.getByRole('row').filter({ hasText: 'Key rotated' }).first().waitFor();
  });
});

describe('a one-time sign-in link', withBrowser, () => {
  const dashboard = useDashboard(async () => ({}));

  it('signs in once, is removed from the URL, and says what to do when it is used', async () => {
    const key = await dashboard.service.keys.bootstrap(null);
    const link = `/#sign-in=${key?.signInCode}`;
    const { page, asked, complaints } = await dashboard.visit(link);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    assert.ok(!asked.some((url) => url.includes(String(key?.signInCode)) && !url.includes('#')), 'in no address');
    const stored = await page.evaluate(() => sessionStorage.getItem('voice-agents-key'));
    assert.equal((await send(dashboard.service, 'GET', '/api/v1/whoami', { key: String(stored) })).status, 200);
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

    await page.evaluate(() => sessionStorage.clear());
    await page.goto('about:blank');
    await page.goto(dashboard.service.url + link);
    await page.getByRole('alert').getByText('This sign-in link has already been used').waitFor();
    await page.getByLabel('API key').fill(String(key?.secret));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('can be tried again if the service did not respond', async () => {
    const { page } = await dashboard.visit('/nothing', {});
    await intercept(page, '**/sign-in', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.goto('about:blank');
    await page.goto(`${dashboard.service.url}/#sign-in=wrong`);
    await page.getByRole('heading', { name: 'Can’t sign in yet' }).waitFor();
    await page.unroute('**/sign-in');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This sign-in link has already been used').waitFor();
  });
});
