import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { chatWith, testAgent } from '../areas/calls/support.ts';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';
import { tryByChat } from './support/panel.ts';
import { storeSpokenCall } from './support/spoken-call.ts';

describe('no serious axe violation, light and dark, wide and narrow', withBrowser, () => {
  const dashboard = useDashboard();
  const workspace = 'Salon 桜';
  let key: string;
  let agent: Agent;
  before(async () => {
    ({ key } = await dashboard.service.newKey({ workspace }));
    agent = await createAgent(dashboard.service, key, {
      name: '予約受付',
      adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
      fallbackVoiceIds: ['a', 'b'],
      pronunciationDictionary: [{ find: 'a', replace: 'b' }],
      postCallAnalysisData: [{ name: 'booked', type: 'enum', description: '', options: ['yes'] }],
      beginMessage: 'Hello',
      responseEngine: { prompt: 'one\ntwo\nthree' },
    });
    const path = `/api/v1/agents/${agent.id}`;
    await send(dashboard.service, 'POST', `${path}/publish`, { key, body: { versionDescription: 'First' } });
    await send(dashboard.service, 'PATCH', path, {
      key,
      body: { voiceSpeed: 1.5, responseEngine: { prompt: 'one\n2\nthree' } },
    });
  });

  const dialog = '[role=dialog]';
  const menu = '[role=menu]';
  /** Within the dashboard, like a link. */
  const go = async (page: Page, path: string) => {
    await page.evaluate((to) => history.pushState(null, '', to), path);
    await ready(page, 'h1');
  };
  const ready = async (page: Page, selector: string) => {
    await page.locator(selector).first().waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
  const close = async (page: Page) => {
    await page.locator(`:is(${dialog}, ${menu}) :focus`).waitFor();
    await page.keyboard.press('Escape');
    await page.locator(`${dialog}, ${menu}`).first().waitFor({ state: 'detached' });
  };
  /** Too long to wait for, so it is shown immediately. */
  const fault = {
    status: 500,
    headers: { 'retry-after': '61' },
    json: { error: { code: 'INTERNAL_ERROR', message: 'x', requestId: 'req_test' } },
  };

  it('on the sign-in page and the pages of the workspace', async () => {
    const audit = newAudit();
    const { page } = await dashboard.visit('/sign-in');
    await button(page, 'Sign in').click();
    await page.getByText('Enter an API key.').waitFor();
    await audit.look(page, 'sign-in');
    for (const name of ['Language', 'Theme']) {
      await button(page, new RegExp(`^${name}`)).click();
      await page.locator(menu).waitFor();
      await audit.look(page, `sign-in, ${name}`, menu);
      await close(page);
    }
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await ready(page, 'h1');
    for (const path of [
      '/overview',
      '/agents',
      '/keys',
      '/audit',
      '/settings/service',
      '/agents/a/b/c',
      '/agents/none',
    ]) {
      await go(page, path);
      await page.waitForFunction(() => document.querySelector('h1') !== null);
      await audit.look(page, path);
    }
    await button(page, /^Workspace/).click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'account', dialog, true);
    await close(page);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill(agent.name);
    await page.getByRole('option', { name: /^Talk to/ }).waitFor();
    await audit.look(page, 'palette', dialog);
    await close(page);
    await go(page, '/agents');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await audit.look(page, 'agents, selected', 'main');
    await button(page, 'Delete…').click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'delete agents', dialog);
    await close(page);
    await button(page, /^Actions for/).click();
    await page.locator(menu).waitFor();
    await audit.look(page, 'menu of a row', menu, true);
    await close(page);
    await go(page, '/agents?q=none');
    await page.getByRole('heading', { name: /No results/ }).waitFor();
    await audit.look(page, 'nothing found', 'main');
    await go(page, '/audit?resourceId=none');
    await page.getByRole('heading', { name: /No changes match/ }).waitFor();
    await audit.look(page, 'no entries', 'main');
    await page.setViewportSize({ width: 390, height: 844 });
    await button(page, 'Open navigation').click();
    await audit.look(page, 'navigation');
    audit.assertClean();
  });

  it('on the pages of an agent and in their dialogs', async () => {
    const audit = newAudit();
    const { page } = await dashboard.visit('/agents/new', { key });
    await ready(page, '#field-name');
    await audit.look(page, 'new agent, from an example');
    await page.locator('[value=blank]').check({ force: true });
    await button(page, /^Advanced/).click();
    await button(page, 'Add rule').click();
    await button(page, 'Add analysis field').click();
    await button(page, 'Create agent').click();
    await page.getByText('4 problems to fix').waitFor();
    await audit.look(page, 'new agent');
    await button(page, 'Code').click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'code of a new agent', dialog);
    await close(page);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'leave', dialog);
    await button(page, 'Leave without saving').click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();

    await go(page, `/agents/${agent.id}`);
    await page.locator('#field-name').fill('changed');
    await intercept(page, '**/api/v1/agents/*', (route) => route.abort());
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Can’t reach the service').waitFor();
    await audit.look(page, 'form, changed and not saved');
    await page.unroute('**/api/v1/agents/*');
    for (const tab of ['Voice and listening', 'Analysis', 'Webhook', 'Calls', 'Code']) {
      await page.getByRole('navigation', { name: 'Agent views' }).getByText(tab).click();
      await ready(page, 'h1');
      await audit.look(page, `${tab}, changed`);
    }
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'discard', dialog);
    await close(page);
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, {
      key,
      body: { name: 'theirs', responseEngine: { prompt: 'one\n2' } },
    });
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator(dialog).waitFor();
    await audit.look(page, 'conflict', dialog);
    await button(page, 'Save merged').click();
    await page.getByText('No unsaved changes').waitFor();

    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('differences').waitFor();
    await audit.look(page, 'versions');
    await button(page, /^Restore/).click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'restore', dialog);
    await close(page);
    await page.getByRole('link', { name: 'Code' }).click();
    await page.getByText('VOICE_AGENTS_API_KEY').first().waitFor();
    await audit.look(page, 'code');
    await button(page, 'More').click();
    await page.locator(menu).waitFor();
    await audit.look(page, 'more', menu);
    for (const name of [/^Duplicate/, /^Delete/]) {
      await page.getByRole('menuitem', { name }).click();
      await page.locator(dialog).waitFor();
      await audit.look(page, String(name), dialog);
      await close(page);
      await button(page, 'More').click();
    }
    await close(page);
    await intercept(page, '**/publish', (route) => route.fulfill(fault));
    await button(page, 'Publish').click();
    await page.locator(dialog).getByRole('button', { name: 'Publish' }).click();
    await page.locator('[role=dialog] [role=alert]').waitFor();
    await audit.look(page, 'publish', dialog);
    await close(page);
    const finding = { field: 'agentSettings', path: 'flow.skills.3.next', message: 'is not the id of a skill' };
    const found = {
      publishable: false,
      errors: [finding],
      warnings: [{ ...finding, field: 'webhookEvents', path: '0' }],
    };
    await intercept(page, '**/check', (route) => route.fulfill({ json: found }));
    await button(page, 'Publish').click();
    await page.locator(dialog).getByRole('link', { name: '(no id) · next' }).waitFor();
    await audit.look(page, 'publish, with problems', dialog);
    await close(page);
    await button(page, '1 problem prevents publishing').waitFor();
    await audit.look(page, 'a draft with problems', 'main');
    audit.assertClean();
  });

  it('with a picture of the flow', async () => {
    const audit = newAudit();
    const skills = [
      { id: 'greet', type: 'choose', text: 'Hello?', routes: [{ when: ['book'], next: 'bye' }], otherwise: 'nowhere' },
      { id: 'bye', type: 'end', text: 'Goodbye.' },
    ];
    const { id } = await createAgent(dashboard.service, key, {
      responseEngineType: 'conversation_flow',
      agentSettings: { flow: { skills } },
    });
    const { page } = await dashboard.visit(`/agents/${id}`, { key });
    await page.locator('main g[data-type] rect').nth(1).waitFor();
    await button(page, 'greet · otherwise: there is no step “nowhere”').waitFor();
    await audit.look(page, 'the picture');
    audit.assertClean();
  });

  it('when the key is rejected, and when a page cannot be loaded', async () => {
    const audit = newAudit();
    const temporary = await dashboard.service.newKey({ workspace });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key: temporary.key });
    await page.locator('#field-name').fill('not saved');
    await send(dashboard.service, 'POST', `/api/v1/api-keys/${temporary.id}/revoke`, { key, body: {} });
    // The key is cached for half a second.
    await page.waitForTimeout(600);
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await audit.look(page, 'sign in again', dialog);

    const second = (await dashboard.visit('/keys', { key })).page;
    await intercept(second, '**/assets/audit-*.js', (route) => route.fulfill({ status: 404, json: {} }));
    await second.getByRole('link', { name: 'Audit log' }).first().click();
    await second.getByRole('heading', { name: 'This page could not be displayed' }).waitFor();
    await audit.look(second, 'a page that cannot be loaded', 'main');
    audit.assertClean();
  });

  it('in the dialogs of keys', async () => {
    const audit = newAudit();
    const temporary = await dashboard.service.newKey({ workspace });
    const { page } = await dashboard.visit('/keys', { key: temporary.key });
    await button(page, 'Create key').click();
    await page.getByRole('checkbox', { name: 'agents:read' }).uncheck();
    await page.locator(dialog).getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Select at least one scope.').waitFor();
    await audit.look(page, 'create key', dialog);
    await page.getByRole('checkbox', { name: 'agents:read' }).check();
    await page.locator(dialog).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Save your API key' }).waitFor();
    await audit.look(page, 'secret', dialog);
    await button(page, 'I have saved it').click();
    await page.locator(dialog).waitFor({ state: 'detached' });
    const own = page.getByRole('row').filter({ hasText: 'You' });
    await intercept(page, '**/api-keys/*/*', (route) => route.fulfill(fault));
    for (const name of ['Rotate', 'Revoke']) {
      await own.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      await page.locator(dialog).getByRole('button', { name }).click();
      await page.getByText('Service error').waitFor();
      await audit.look(page, name, dialog);
      await close(page);
    }
    await page.unroute('**/api-keys/*/*');
    await own.getByRole('button', { name: /^Revoke/ }).click();
    await page.locator(dialog).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('has been revoked.').waitFor();
    await audit.look(page, 'a notice');
    audit.assertClean();
  });

  it('on the calls and secrets pages, and in the panel', async () => {
    const audit = newAudit();
    const { key, workspaceId } = await dashboard.service.newKey();
    const agent = await testAgent(dashboard.service, key, 'test-echo');
    const spokenId = await storeSpokenCall(dashboard.service, { workspaceId, agentId: agent.id });
    const live = await chatWith(dashboard.service, key, { agentId: agent.id });
    await live.say('Hello');
    const storing = { dataStorageSetting: 'basic_attributes_only' };
    const unstored = await chatWith(dashboard.service, key, { agentId: agent.id, ...storing });
    await unstored.say('Hello');
    await unstored.end();
    const unconnected = await createAgent(dashboard.service, key, { prompt: '', llmModel: 'gpt-5.4-mini' });
    const rehearsed = await chatWith(dashboard.service, key, { agentId: unconnected.id });
    await rehearsed.say('Hello');
    const failing = await testAgent(dashboard.service, key, 'test-fail', { beginMessage: 'Hello.' });
    const { page } = await dashboard.visit('/overview', { key });
    for (const path of [
      '/calls',
      '/calls?agentVersion=99',
      `/calls/${rehearsed.id}?view=details`,
      `/calls/${spokenId}`,
      `/calls/${spokenId}?view=analysis`,
      `/calls/${spokenId}?view=replies`,
      `/calls/${spokenId}?view=events`,
      `/calls/${spokenId}?view=details`,
      `/calls/${spokenId}?view=json`,
      `/calls/${live.id}`,
      `/calls/${unstored.id}`,
      '/calls/call_none',
      '/secrets',
      '/settings/providers',
    ]) {
      await go(page, path);
      await audit.look(page, path);
    }
    await go(page, '/secrets');
    await button(page, 'Add secret').click();
    await page.locator(dialog).getByRole('button', { name: 'Save secret' }).click();
    await audit.look(page, 'new secret', dialog);
    await close(page);
    await go(page, `/calls/${spokenId}`);
    await page.locator('summary').first().click();
    await audit.look(page, 'tool call');
    for (const name of ['Remove content', 'Delete']) {
      await button(page, 'More actions').click();
      await page.locator(menu).waitFor();
      await audit.look(page, 'more of a call', menu, true);
      await page.getByRole('menuitem', { name }).click();
      await page.locator(dialog).waitFor();
      await audit.look(page, name, dialog);
      await close(page);
    }
    await go(page, '/calls');
    await button(page, /^Status/).click();
    await page.locator(dialog).waitFor();
    await audit.look(page, 'choices', dialog, true);
    await close(page);

    await go(page, `/agents/${failing.id}`);
    await tryByChat(page);
    const panel = page.getByRole('complementary');
    await panel.getByText('Hello.').waitFor();
    await panel.getByLabel('Message').fill('Hi');
    await page.keyboard.press('Enter');
    await panel.getByRole('alert').waitFor();
    await audit.look(page, 'panel with a failure');
    await panel.getByRole('button', { name: 'End', exact: true }).click();
    await panel.getByText('You ended the chat.').waitFor();
    await audit.look(page, 'panel after the end', 'aside');
    audit.assertClean();
  });

  it('with empty pages, with errors and with a read-only key', async () => {
    const audit = newAudit();
    const empty = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/agents', { key: empty.key });
    await ready(page, 'h2');
    await intercept(page, '**/api/v1/**', (route) => route.fulfill(fault));
    for (const path of ['/agents?q=other', `/agents/${agent.id}`, '/keys', '/audit', '/overview']) {
      await page.evaluate((to) => history.pushState(null, '', to), path);
      await ready(page, '[role=alert]');
      await audit.look(page, `${path}, fault`, 'main');
    }
    await page.reload();
    await ready(page, '[role=alert]');
    await audit.look(page, 'fault at the door');
    await page.unroute('**/api/v1/**');
    await button(page, 'Try again').click();
    for (const path of ['/agents', '/audit', '/overview']) {
      await go(page, path);
      await audit.look(page, `${path}, empty`, 'main');
    }

    const reader = await dashboard.service.newKey({ workspace, scopes: ['agents:read'] });
    const second = (await dashboard.visit(`/agents/${agent.id}`, { key: reader.key })).page;
    await second.locator('#field-name').waitFor();
    await audit.look(second, 'form, read only');
    for (const path of [`/agents/${agent.id}/versions`, '/keys', '/agents/new', '/overview', '/agents']) {
      await go(second, path);
      await audit.look(second, `${path}, read only`);
    }
    await go(second, `/agents/${agent.id}/code`);
    await button(second, 'More').click();
    await second.locator(menu).waitFor();
    await audit.look(second, 'more, read only', menu);
    audit.assertClean();
  });
});
