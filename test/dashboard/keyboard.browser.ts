import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const maxTabs = 60;

/** A user without a mouse: the test only presses keys. */
function keyboardOf(page: Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), done());
  /** The element has the focus, and it is visible. */
  const isAt = async (selector: string) => {
    await page.locator(`:is(${selector}):focus`).waitFor({ state: 'attached' });
    const isShown = await page.evaluate(() => {
      const focused = document.activeElement as HTMLElement;
      // The start of a page is not a control, and some controls draw the focus ring around another element.
      const drawn = [focused, focused.nextElementSibling, focused.parentElement, ...(labelsOf(focused) ?? [])];
      return focused.tagName === 'MAIN' || focused.tagName === 'H2' || drawn.some((element) => hasRing(element));
      function labelsOf(element: HTMLElement) {
        return (element as HTMLInputElement).labels;
      }
      function hasRing(element: Element | null) {
        if (element === null) return false;
        const { outlineStyle, outlineWidth, borderColor } = getComputedStyle(element);
        return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || borderColor === 'rgb(11, 107, 203)';
      }
    });
    assert.ok(isShown, `the focus on ${selector} cannot be seen`);
  };
  const goTo = async (selector: string, key = 'Tab') => {
    for (let count = 0; count < maxTabs; count += 1) {
      await page.keyboard.press(key);
      const isThere = await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector);
      if (isThere) return isAt(selector);
    }
    assert.fail(`${selector} is not reached within ${maxTabs} steps`);
  };
  /** A button, a link or an item by its text. */
  const goToText = async (text: string, key = 'Tab') => {
    for (let count = 0; count < maxTabs; count += 1) {
      await page.keyboard.press(key);
      const name = await page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
      if (name.startsWith(text)) return isAt('*');
    }
    assert.fail(`“${text}” is not reached within ${maxTabs} steps`);
  };
  const isAtText = (text: string) => page.locator(':focus', { hasText: text }).waitFor();
  /** A new page starts at its top, with its title announced. */
  const hasArrived = async (title: string) => {
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await isAt('main');
    await page.waitForFunction((wanted) => document.title === wanted, `${title} · Voice Agents`);
    await page.locator('[role=status]', { hasText: `${title} · Voice Agents` }).waitFor({ state: 'attached' });
  };
  const isInDialog = async (name: string) => {
    await page.getByRole('dialog', { name }).waitFor();
    await page.locator('[role=dialog] :focus').waitFor();
  };
  return {
    press,
    type: (text: string) => page.keyboard.type(text),
    isAt,
    isAtText,
    goTo,
    goToText,
    hasArrived,
    isInDialog,
  };
}

async function done(): Promise<void> {}

describe('the dashboard by keyboard alone', withBrowser, () => {
  const dashboard = useDashboard();

  it('can sign in, and change, publish, compare, restore, copy and delete an agent', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: 'other' });
    const agent = await createAgent(dashboard.service, key);
    await send(dashboard.service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key, body: {} });
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, body: { voiceSpeed: 1.5 } });
    const { page, complaints } = await dashboard.visit('/agents');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { press, type, isAt, isAtText, goTo, goToText, hasArrived, isInDialog } = keyboardOf(page);
    const unsaved = page.getByText('No unsaved changes');

    await isAt('input[type=password]');
    await type(key);
    await press('Enter');
    await hasArrived('Agents');
    await page.getByRole('link', { name: 'Reception' }).waitFor();
    await press('/');
    await type('recep');
    await page.getByRole('link', { name: 'other' }).waitFor({ state: 'detached' });
    await press('ArrowDown');
    await isAtText('Reception');
    await press('Enter');
    await hasArrived('Reception');

    await page.reload();
    await page.locator('#field-name').waitFor();
    await press('Tab');
    await isAt('a[href="#content"]');
    await press('Enter');
    await isAt('main');
    await goTo('#field-name');
    await press('End');
    await type(' 2');
    await press('ControlOrMeta+s');
    await unsaved.waitFor();
    await isAt('#field-name');
    await type('!');
    await goToText('Voice and listening', 'Shift+Tab');
    await press('Enter');
    await page.locator('#field-voiceId').waitFor();
    await isAtText('Voice and listening');
    await goToText('Save');
    await press('Enter');
    await unsaved.waitFor();
    await isAtText('Save');

    await goTo('a[href="#content"]');
    await press('Enter');
    await goToText('Publish');
    await press('Enter');
    await isInDialog('Publish version 2');
    await isAt('textarea');
    await press('Escape');
    await isAtText('Publish');
    await press('Enter');
    await isInDialog('Publish version 2');
    await type('For the holidays');
    await goToText('Publish');
    await press('Enter');
    await page.getByText('Live v2', { exact: true }).waitFor();
    await isAtText('Publish: This version is already published.');

    await goToText('Versions', 'Shift+Tab');
    await press('Enter');
    await isAtText('Versions');
    await page.getByText('Select two versions to compare.').waitFor();
    await goTo('[name=compare-from]');
    await press('ArrowUp');
    await goTo('[name=compare-to]', 'Shift+Tab');
    await press('ArrowDown');
    await page.getByRole('heading', { name: 'Version 2 compared with version 1' }).waitFor();
    await goToText('Restore');
    await press('Enter');
    await isInDialog('Restore version 1');
    await isAtText('Restore');
    await press('Enter');
    await page.getByText('Live v2 · Draft v3').waitFor();
    await isAtText('Restore (Version 1)');

    await goToText('Code', 'Shift+Tab');
    await press('Enter');
    await isAtText('Code');
    await page.locator('[type=radio][value=curl]').waitFor({ state: 'attached' });
    await goTo('[type=radio][value=curl]');
    await press('ArrowRight');
    await page.getByText('client.agents.create({').waitFor();
    await goToText('Copy');
    await press('Enter');
    await isAtText('Copied');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /client\.agents\.create/);

    await goToText('More', 'Shift+Tab');
    await press('Enter');
    await isAtText('Duplicate');
    await press('Enter');
    await isInDialog('Duplicate agent');
    await press('Enter');
    await hasArrived('Reception (copy)');
    await goToText('More');
    await press('Enter');
    await isAtText('Duplicate');
    await press('ArrowDown', 'Enter');
    await isInDialog('Delete agent');
    await press('Escape');
    await isAt('[aria-label=More]');
    await press('Enter');
    await isAtText('Duplicate');
    await press('ArrowDown', 'Enter');
    await isInDialog('Delete agent');
    await type('Reception (copy)');
    await press('Enter');
    await hasArrived('Agents');
    assert.deepEqual(complaints, []);
  });

  it('can create, rotate and revoke a key, and sign out', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/overview', { key });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { press, type, isAt, isAtText, goTo, goToText, hasArrived, isInDialog } = keyboardOf(page);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await goToText('API keys');
    await press('Enter');
    await hasArrived('API keys');
    await goToText('Create key');
    await press('Enter');
    await isInDialog('Create key');
    await type('CI');
    await goTo('[value="agents:write"]');
    await press('Space');
    await goToText('Create key');
    await press('Enter');
    await isInDialog('Save your API key');
    await isAtText('Copy');
    await press('Enter');
    await page.getByText('Copied').waitFor();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    const whoami = await send(dashboard.service, 'GET', '/api/v1/whoami', { key: secret });
    assert.deepEqual(whoami.json.scopes, ['agents:read', 'agents:write']);
    await goToText('I have saved it');
    await press('Enter');
    await isAtText('Create key');

    await goToText('Rotate: CI');
    await press('Enter');
    await isInDialog('Rotate “CI”');
    await isAt('select');
    await press('ArrowUp');
    await goToText('Rotate');
    await press('Enter');
    await isInDialog('Save your API key');
    await goToText('I have saved it');
    await press('Enter');
    await isAt('[aria-label="Rotate: CI"]');
    await page.getByText(/^Expires in (59 minutes|1 hour)/).waitFor();

    await goToText('Revoke: CI');
    await press('Enter');
    await isInDialog('Revoke “CI”?');
    await isAtText('Cancel');
    await goToText('Revoke');
    await press('Enter');
    await page.getByText('“CI” has been revoked.').waitFor();
    await isAt('[aria-label^="Revoke: CI"]');

    await goTo('[aria-haspopup=dialog]', 'Shift+Tab');
    await press('Enter');
    await isAtText('Sign out');
    await press('Escape');
    await isAtText('Workspace');
    await press('Enter');
    await isAtText('Sign out');
    await press('Enter');
    await isAt('input[type=password]');
    assert.deepEqual(complaints, []);
  });
});
