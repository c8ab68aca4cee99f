import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';

describe('unsaved input', withBrowser, () => {
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
    const revoke = async () => {
      await send(dashboard.service, 'POST', `/api/v1/api-keys/${id}/revoke`, { key });
      // The key is cached for half a second.
      while ((await send(dashboard.service, 'GET', '/api/v1/whoami', { key })).status !== 401) await delay(50);
    };
    return { workspace, key, agent, page, complaints, revoke };
  };

  it('requires confirmation before signing out', async () => {
    const { page, key, agent } = await openChanged();
    const dialog = page.locator('[role=dialog]', { hasText: 'Leave without saving?' });
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

  it('is kept when the key is rejected, and saved with another key of the workspace', async () => {
    const { page, workspace, agent, revoke, complaints } = await openChanged();
    await revoke();
    await page.keyboard.press('ControlOrMeta+s');
    const dialog = page.locator('[role=dialog]', { hasText: 'Sign in again' });
    await dialog.getByText(`for the workspace “${workspace}”`).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'the rejected key is forgotten');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('API key').fill('vak_wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('This API key is invalid.').waitFor();
    const next = await dashboard.service.newKey({ workspace });
    await dialog.getByLabel('API key').fill(next.key);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.locator('#field-name').inputValue(), 'Changed');
    await page.locator('#field-name:focus').waitFor();
    assert.equal(await page.locator('form [role=alert]').count(), 0);
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    assert.equal((await read(next.key, agent.id)).name, 'Changed');
    await page.reload();
    await page.locator('#field-name').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('is discarded for a key of another workspace, after confirmation', async () => {
    const { page, revoke } = await openChanged();
    const other = await dashboard.service.newKey({ workspace: 'another shop' });
    await revoke();
    await page.keyboard.press('ControlOrMeta+s');
    const dialog = page.locator('[role=dialog]');
    const signIn = async () => {
      await dialog.getByLabel('API key').fill(other.key);
      await page.keyboard.press('Enter');
      await dialog.getByText('and would be lost').waitFor();
    };
    await dialog.getByText('Sign in again').waitFor();
    await signIn();
    await dialog.getByText('Use another key').click();
    await signIn();
    await dialog.getByText('Switch to “another shop” without saving').click();
    await page.locator('h1', { hasText: 'Agent not found' }).waitFor();
    await page.getByText('another shop').first().waitFor();
  });

  it('is sent once, however often and fast a button is pressed', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/agents/new?template=blank', { key });
    const sent: string[] = [];
    let onItsWay = Promise.withResolvers<void>();
    await intercept(page, '**/api/v1/**', async (route) => {
      if (route.request().method() !== 'GET') {
        sent.push(`${route.request().method()} ${new URL(route.request().url()).pathname.split('/').at(-1)}`);
        await onItsWay.promise;
      }
      await route.continue();
    });
    /** Twice before anything can be rendered, and once more while the request is in progress. */
    const pressOften = async (button: Locator) => {
      onItsWay = Promise.withResolvers();
      await button.evaluate((element: HTMLElement) => {
        element.click();
        element.click();
      });
      await button.evaluate((element: HTMLElement) => element.click(), null, { timeout: 200 }).catch(() => {});
      onItsWay.resolve();
    };
    const dialog = page.locator('[role=dialog]');
    await page.locator('#field-name').fill('Once');
    await page.locator('#field-voiceId').fill('voice-1');
    await pressOften(page.locator('form button', { hasText: 'Create agent' }));
    await page.locator('h1', { hasText: 'Once' }).waitFor();
    await page.locator('#field-name').fill('Twice');
    await pressOften(page.locator('form button', { hasText: /^Save$/ }));
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await pressOften(dialog.locator('button[type=submit]'));
    await page.getByText('Live v1', { exact: true }).waitFor();
    await page.locator('a', { hasText: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await pressOften(dialog.locator('button[type=submit]'));
    await dialog.getByText('I have saved it').click();
    await page
      .getByRole('button', { name: /^Rotate/ })
      .first()
      .click();
    await pressOften(dialog.locator('button', { hasText: /^Rotate$/ }));
    await dialog.getByText('I have saved it').click();
    assert.deepEqual(
      sent.map((call) => call.replace(/(agt|key)_\w+/, 'id')),
      ['POST agents', 'PATCH id', 'POST publish', 'POST api-keys', 'POST rotate'],
    );
  });

  it('is kept when saving fails for any reason, and saved with the next attempt', async () => {
    const { page, key, agent } = await openChanged();
    let answer: { readonly status: number; readonly code: string } | 'none' | 'true' = 'true';
    await intercept(page, '**/api/v1/agents/*', (route) => {
      if (answer === 'true') return route.continue();
      if (answer === 'none') return route.abort();
      const { status, code } = answer;
      const requestId = `req_${status}`;
      // Too long to wait for, so it is reported immediately.
      const headers = { 'retry-after': '61', 'x-request-id': requestId };
      return route.fulfill({ status, headers, json: { error: { code, message: 'x', requestId } } });
    });
    for (const [next, told] of [
      [{ status: 500, code: 'INTERNAL_ERROR' }, /Service error.*req_500/],
      [{ status: 429, code: 'RATE_LIMITED' }, /The service is busy.*req_429/],
      [{ status: 503, code: 'SERVICE_UNAVAILABLE' }, /The service is busy.*req_503/],
      ['none', /Can’t reach the service/],
    ] as const) {
      answer = next;
      await page.keyboard.press('ControlOrMeta+s');
      await page.locator('[data-is-save-bar] [role=alert]', { hasText: told }).waitFor();
      assert.equal(await page.locator('#field-name').inputValue(), 'Changed');
    }
    answer = 'true';
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    assert.equal(await page.locator('form [role=alert]').count(), 0);
    assert.equal((await read(key, agent.id)).name, 'Changed');
  });

  it('is split into list items when pasted, and not by the Enter key of an input method', async () => {
    const { page } = await openChanged();
    await page.getByRole('link', { name: 'Voice and listening' }).click();
    const list = page.locator('[data-field=boostedKeywords]');
    await page.locator('#field-boostedKeywords').fill('予約');
    const keyDown = (init: object) =>
      page.locator('#field-boostedKeywords').evaluate((element, given) => {
        element.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...given }),
        );
      }, init);
    await keyDown({ isComposing: true });
    await keyDown({ keyCode: 229 });
    assert.equal(await list.locator('li').count(), 0);
    await keyDown({});
    await page.locator('#field-boostedKeywords').evaluate((element) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'one\r\n\r\ntwo\nthree');
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await list.locator('li').nth(3).waitFor();
    assert.deepEqual(await list.locator('li').allTextContents(), ['予約', 'one', 'two', 'three']);
  });
});
