import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Agent } from '../../src/contract/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('what is typed and not saved', withBrowser, () => {
  const dashboard = useDashboard();
  const read = async (key: string, id: string): Promise<Agent> =>
    (await send(dashboard.service, 'GET', `/api/v1/agents/${id}`, { key })).json;
  let shops = 0;
  /** A form with a changed name. */
  const openChanged = async () => {
    shops += 1;
    const workspace = `shop ${shops}`;
    const { key, id } = await dashboard.service.newKey({ workspace });
    const agent = await createAgent(dashboard.service, key);
    const { page, complaints } = await dashboard.visit(`/agents/${agent.id}`, { key });
    await page.locator('#field-name').fill('Changed');
    const revoke = () => send(dashboard.service, 'POST', `/api/v1/api-keys/${id}/revoke`, { key });
    return { workspace, key, agent, page, complaints, revoke };
  };

  it('is asked about before signing out', async () => {
    const { page, key, agent } = await openChanged();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    const signOut = async () => {
      await page.getByRole('button', { name: /^Workspace/ }).click();
      await page.getByText('Sign out').click();
    };
    await signOut();
    await dialog.getByText('Keep editing').click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.locator('#field-name').inputValue(), 'Changed');
    await signOut();
    await dialog.getByText('Leave without saving').last().click();
    await page.getByLabel('API key').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    assert.equal((await read(key, agent.id)).name, agent.name);
  });

  it('stays when the key is refused, and is saved with another one of the workspace', async () => {
    const { page, workspace, agent, revoke, complaints } = await openChanged();
    await revoke();
    // A key that was found is trusted for half a second.
    await page.waitForTimeout(600);
    await page.keyboard.press('ControlOrMeta+s');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText(`of the workspace “${workspace}”`).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'the refused key is forgotten');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('API key').fill('vak_wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('This key is not valid.').waitFor();
    const next = await dashboard.service.newKey({ workspace });
    await dialog.getByLabel('API key').fill(next.key);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.locator('#field-name').inputValue(), 'Changed');
    await page.locator('#field-name:focus').waitFor();
    assert.equal(await page.locator('form [role=alert]').count(), 0);
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('No unsaved changes').waitFor();
    assert.equal((await read(next.key, agent.id)).name, 'Changed');
    await page.reload();
    await page.locator('#field-name').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('is let go of for a key of another workspace, once that has been said', async () => {
    const { page, revoke } = await openChanged();
    const other = await dashboard.service.newKey({ workspace: 'another shop' });
    await revoke();
    await page.waitForTimeout(600);
    await page.keyboard.press('ControlOrMeta+s');
    const dialog = page.getByRole('dialog');
    const signIn = async () => {
      await dialog.getByLabel('API key').fill(other.key);
      await page.keyboard.press('Enter');
      await dialog.getByText('and would be lost').waitFor();
    };
    await dialog.getByText('Sign in again').waitFor();
    await signIn();
    await dialog.getByText('Use another key').click();
    await signIn();
    await dialog.getByText('Go to “another shop” without saving').click();
    await page.getByRole('heading', { name: 'There is no such agent', level: 1 }).waitFor();
    await page.getByText('another shop').first().waitFor();
  });
});
