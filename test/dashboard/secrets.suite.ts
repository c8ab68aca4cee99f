import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('the secrets page', withBrowser, () => {
  const dashboard = useDashboard();
  const hostsOf = async (key: string, name: string) => {
    const { json } = await send(dashboard.service, 'GET', '/api/v1/secrets', { key });
    return json.items.find((secret: { name: string }) => secret.name === name)?.hosts;
  };

  it('adds a secret, replaces it and deletes it, and never shows its value', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/secrets', { key });
    await page.getByRole('heading', { name: 'No secrets yet' }).waitFor();
    await page.getByRole('button', { name: 'Add secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save secret' }).click();
    for (const text of ['Use capital letters', 'Enter the value.', 'Add at least one host.']) {
      await dialog.getByText(text).waitFor();
    }
    const audit = newAudit({ isQuick: true });
    await audit.look(page, 'new secret', '[role=dialog]');
    await dialog.getByLabel('Name').fill('shop_token');
    await dialog.getByLabel('Value', { exact: true }).fill('0000-EXAMPLE');
    const hosts = dialog.getByRole('combobox', { name: 'Hosts' });
    await hosts.fill('https://shop.example.com');
    await hosts.press('Enter');
    await dialog.getByRole('button', { name: 'Save secret' }).click();
    await dialog.getByText('“https://shop.example.com” is not a host.').waitFor();
    await hosts.press('Backspace');
    await hosts.fill('shop.example.com');
    await hosts.press('Enter');
    await hosts.fill('Test.Example.com');
    await audit.look(page, 'new secret with a host', '[role=dialog]');
    await dialog.getByRole('button', { name: 'Save secret' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: 'SHOP_TOKEN' });
    await row.getByText('test.example.com').waitFor();
    assert.deepEqual(await hostsOf(key, 'SHOP_TOKEN'), ['shop.example.com', 'test.example.com']);
    assert.ok(!(await page.content()).includes('0000-EXAMPLE'));
    await audit.look(page, 'secrets');

    await page.getByRole('button', { name: 'Replace: SHOP_TOKEN' }).click();
    // The dialog moves the focus to its first field once it is open.
    await dialog.locator('input:focus').waitFor();
    assert.equal(await dialog.getByLabel('Value', { exact: true }).inputValue(), '');
    await dialog.getByLabel('Value', { exact: true }).fill('new');
    await hosts.press('Backspace');
    await dialog.getByRole('button', { name: 'Save secret' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('test.example.com').waitFor({ state: 'detached' });
    assert.deepEqual(await hostsOf(key, 'SHOP_TOKEN'), ['shop.example.com']);

    await page.getByRole('button', { name: 'Delete: SHOP_TOKEN' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No secrets yet' }).waitFor();
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('explains why a secret cannot be deleted, with links to the agents that use it', async () => {
    const { key } = await dashboard.service.newKey();
    await send(dashboard.service, 'PUT', '/api/v1/secrets/TOKEN', { key, body: { value: 'x', hosts: ['a.example'] } });
    const tool = { name: 'book', description: 'b', parameters: { type: 'object' }, url: 'https://a.example/book' };
    const agent = await createAgent(dashboard.service, key, {
      name: 'Booking line',
      agentSettings: { tools: [{ ...tool, headers: { authorization: 'Bearer {{secrets.TOKEN}}' } }] },
    });
    await send(dashboard.service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key, body: {} });
    const { page } = await dashboard.visit('/secrets', { key });
    await page.getByRole('button', { name: 'Delete: TOKEN' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('This secret is in use').waitFor();
    await dialog.getByRole('link', { name: 'Booking line' }).click();
    await page.getByRole('heading', { name: 'Booking line', level: 1 }).waitFor();
    assert.deepEqual(await hostsOf(key, 'TOKEN'), ['a.example']);
  });

  it('is readable with a read-only key, and says which scope is missing', async () => {
    const { key } = await dashboard.service.newKey({ workspace: 'readers' });
    await send(dashboard.service, 'PUT', '/api/v1/secrets/TOKEN', { key, body: { value: 'x', hosts: ['a.example'] } });
    const reader = await dashboard.service.newKey({ workspace: 'readers', scopes: ['secrets:read'] });
    const { page } = await dashboard.visit('/secrets', { key: reader.key });
    const replace = page.getByRole('button', { name: /^Replace: TOKEN .*does not have the scope secrets:write/ });
    await replace.waitFor();
    await replace.click({ force: true });
    assert.equal(await page.getByRole('dialog').count(), 0);

    const none = await dashboard.service.newKey({ workspace: 'readers', scopes: ['agents:read'] });
    const second = await dashboard.visit('/secrets', { key: none.key });
    await second.page.getByText('Your API key does not have the scope secrets:read.').first().waitFor();
  });
});
