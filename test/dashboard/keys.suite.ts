import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('the keys page', withBrowser, () => {
  const dashboard = useDashboard();
  const statusOf = async (key: string) => (await send(dashboard.service, 'GET', '/api/v1/whoami', { key })).status;

  it('creates a key whose secret is shown once, rotates it with a grace period and revokes it', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/keys', { key });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Create, update, publish and delete agents.').waitFor();
    await dialog.getByLabel('Name').fill('CI of the 店');
    await dialog.getByRole('checkbox', { name: 'agents:read' }).uncheck();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Select at least one scope.').waitFor();
    await dialog.getByRole('checkbox', { name: 'agents:write' }).check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Save your API key' }).waitFor();
    const secret = (await page.getByLabel('New API key').textContent()) ?? '';
    assert.equal(await statusOf(secret), 200);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(secret));

    const row = page.getByRole('row').filter({ hasText: 'CI of the 店' });
    await row.getByText('agents:write').waitFor();
    const rotate = page.getByRole('button', { name: 'Rotate: CI of the 店' });
    assert.equal(await rotate.textContent(), 'Rotate', 'a label, not only an icon');
    await rotate.click();
    await dialog.getByLabel('Grace period of the old key').selectOption('1 hour');
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog', { name: 'Save your API key' }).waitFor();
    const next = (await page.getByLabel('New API key').textContent()) ?? '';
    assert.notEqual(next, secret);
    assert.deepEqual([await statusOf(secret), await statusOf(next)], [200, 200], 'both, during the grace period');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await row.getByText(/^Expires in/).waitFor();

    await row
      .filter({ hasText: 'Active' })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    const notice = page.getByRole('alert').filter({ hasText: 'has been revoked.' });
    assert.ok(((await notice.boundingBox())?.y ?? 0) > 400, 'below the title and its buttons');
    assert.equal(await notice.evaluate((element) => getComputedStyle(element).pointerEvents), 'none');
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
    // The key is cached for half a second.
    while ((await statusOf(next)) !== 401) await delay(50);
    assert.deepEqual(complaints, []);
  });

  it('continues with the new key after rotating its own without a grace period, and signs out after revoking it', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/keys', { key });
    await page.getByRole('button', { name: /^Rotate/ }).click();
    await page.getByText('You are signed in with this key.').waitFor();
    await page.getByLabel('Grace period of the old key').selectOption('None: it stops working immediately');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const next = (await page.getByLabel('New API key').textContent()) ?? '';
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('link', { name: 'Audit log' }).first().click();
    await page.getByRole('row').filter({ hasText: 'Key rotated' }).first().waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem('voice-agents-key')), next);
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'Key rotated' }).first().waitFor();

    await page.getByRole('link', { name: 'API keys' }).click();
    const own = page.getByRole('row').filter({ hasText: 'You' });
    await own.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByText('will be signed out').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('is readable with a read-only key, and grants no scope that the key lacks', async () => {
    const { key } = await dashboard.service.newKey({ scopes: ['keys:read'] });
    const { page } = await dashboard.visit('/keys', { key });
    const rotate = page.getByRole('button', { name: /^Rotate: .*does not have the scope keys:write/ });
    await rotate.waitFor();
    assert.equal(await rotate.getAttribute('aria-disabled'), 'true');
    await rotate.click({ force: true });
    assert.equal(await page.getByRole('dialog').count(), 0);

    const writer = await dashboard.service.newKey({ scopes: ['keys:read', 'keys:write'] });
    const second = await dashboard.visit('/keys', { key: writer.key });
    await second.page.getByRole('button', { name: 'Create key' }).click();
    assert.equal(await second.page.getByRole('checkbox', { name: 'agents:write' }).isDisabled(), true);
    await second.page.getByText(/Your API key does not have the scope agents:write\.$/).waitFor();
  });

  it('shows the names of keys and of the workspace as plain text', async () => {
    const attack = '<img src=x onerror="window.broken=1">{{7*7}}';
    const { key } = await dashboard.service.newKey({ workspace: attack });
    await send(dashboard.service, 'POST', '/api/v1/api-keys', { key, body: { name: attack, scopes: ['agents:read'] } });
    const { page, complaints } = await dashboard.visit('/keys', { key });
    await page.getByRole('row').filter({ hasText: attack }).waitFor();
    await page.getByRole('button', { name: new RegExp(`^Revoke: ${RegExp.escape(attack)}`) }).click();
    await page.getByRole('dialog').getByText(attack).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Workspace/ }).click();
    await page.getByRole('dialog').getByText(attack).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page.getByText('Key created').waitFor();
    assert.equal(await page.evaluate(() => 'broken' in window), false);
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual(complaints, []);
  });
});
