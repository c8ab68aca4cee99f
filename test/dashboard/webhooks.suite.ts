import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyWebhook } from '../../sdk/src/index.ts';
import { newChat, on } from '../areas/calls/support.ts';
import { eventReceiver } from '../areas/webhooks/receiving.ts';
import { createAgent, send } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('the webhooks page', withBrowser, () => {
  const dashboard = useDashboard(async () => ({ webhookSending: { pollMs: 50 } }));
  const post = async (key: string, path: string, body: unknown = {}) => {
    const answer = await send(dashboard.service, 'POST', `/api/v1${path}`, { key, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };

  it('limits a webhook to agents that are chosen by name', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: 'Reception' });
    const { id } = await createAgent(dashboard.service, key, { name: 'Night line' });
    const { page, complaints } = await dashboard.visit('/webhooks?new', { key });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('https://shop.example.com/hooks');
    await dialog.getByRole('combobox', { name: 'Only for these agents' }).fill('night');
    await page.getByRole('option', { name: 'Night line' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('status', { name: 'Signing secret' }).waitFor();
    const { items } = (await send(dashboard.service, 'GET', '/api/v1/webhooks', { key })).json;
    assert.deepEqual(items[0].agentIds, [id]);
    assert.deepEqual(complaints, []);
  });

  it('adds a webhook, sends a test, shows its deliveries, and rotates its secret', async () => {
    const { key } = await dashboard.service.newKey();
    const receiver = await eventReceiver((response, { body }) => {
      const isTest = JSON.parse(body).test;
      response.writeHead(isTest ? 200 : 503).end(isTest ? 'fine' : 'deploying');
    });
    const { page, complaints } = await dashboard.visit('/webhooks', { key });
    const audit = newAudit();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter the URL.').waitFor();
    await dialog.getByLabel('URL').fill('https://10.0.0.1/hooks');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await audit.look(page, 'new webhook', '[role=dialog]');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('All events, including future ones').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const secret = dialog.getByRole('status', { name: 'Signing secret' });
    const first = await secret.textContent();
    assert.match(first ?? '', /^whsec_/);
    await audit.look(page, 'secret of a new webhook', '[role=dialog]');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('No live events yet').waitFor();
    await audit.look(page, 'webhooks');

    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('heading', { name: 'No deliveries' }).waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByLabel('Event').selectOption('call_ended');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('The receiver returned 200').waitFor();
    await dialog.getByText('fine').waitFor();
    await audit.look(page, 'test', '[role=dialog]');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const test = receiver.requests[0];
    assert.equal((await verifyWebhook(test?.body ?? '', test?.headers ?? {}, first ?? '')).test, true);

    const { id } = await createAgent(dashboard.service, key, { name: 'Reception' });
    await post(key, `/agents/${id}/publish`);
    await page.getByRole('button', { name: 'agent_published' }).click();
    // By now there may be a second attempt with the same result.
    await dialog.getByText('503: The receiver answered 503.').first().waitFor();
    await dialog.getByText('deploying').first().waitFor();
    await dialog.getByText('Next attempt').waitFor();
    await dialog.getByRole('group', { name: 'Request' }).first().getByText('"agent_published"').waitFor();
    await audit.look(page, 'delivery', '[role=dialog]');
    const before = receiver.requests.length;
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The event is being sent again.').waitFor();
    await eventually(() => receiver.requests.length > before, 'it is sent again');
    await page.getByText('Failing', { exact: true }).first().waitFor();
    await audit.look(page, 'webhook');

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await dialog.getByLabel('Grace period of the old secret').selectOption('1 hour');
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByText('Requests are also signed with the previous secret until').waitFor();
    const second = await secret.textContent();
    assert.notEqual(second, first);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Show secret' }).click();
    await dialog.getByText(second ?? '').waitFor();
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('says how many events a replay sends before it starts', async () => {
    const { key } = await dashboard.service.newKey();
    const receiver = await eventReceiver();
    const { id } = await post(key, '/webhooks', { url: receiver.url, events: ['agent_published'] });
    await send(dashboard.service, 'PATCH', `/api/v1/webhooks/${id}`, { key, body: { status: 'paused' } });
    for (const name of ['one', 'two', 'three']) {
      const agent = await createAgent(dashboard.service, key, { name });
      await post(key, `/agents/${agent.id}/publish`);
    }
    const { page } = await dashboard.visit(`/webhooks/${id}`, { key });
    await page.getByText('Nothing is sent while the webhook is paused').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 events match.').waitFor();
    await dialog.getByLabel('Which events').selectOption('Failed');
    await dialog.getByText('No events match.').waitFor();
    await dialog.getByRole('button', { name: 'Start replay' }).click({ force: true });
    assert.equal(receiver.requests.length, 0);
    await dialog.getByLabel('Which events').selectOption('Not sent');
    await dialog.getByText('3 events match.').waitFor();
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await page.getByText('3 events are being sent again.').waitFor();
    await eventually(() => receiver.requests.length === 3, 'the replay');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });

  it('has its parts in the agent and in the call', async () => {
    const { key } = await dashboard.service.newKey();
    const receiver = await eventReceiver();
    const agent = { name: 'Reception', webhookUrl: receiver.url, webhookEvents: ['call_ended'] };
    const chat = await newChat(dashboard.service, key, { agent });
    assert.equal((await on(dashboard.service, key, chat.id).end()).status, 200);
    await eventually(() => receiver.requests.length === 1, 'the event');
    const audit = newAudit();
    const { page, complaints } = await dashboard.visit(`/agents/${chat.agentId}/webhook`, { key });
    await page.getByRole('button', { name: 'call_ended', exact: true }).waitFor();
    await page.getByText('Healthy').waitFor();
    // At the end of the page, the bar with “Save” is below everything.
    await page.evaluate(() => document.scrollingElement?.scrollTo(0, document.scrollingElement.scrollHeight));
    await audit.look(page, 'webhook of an agent');
    await page.getByRole('button', { name: 'More actions' }).last().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByText('The URL and the events are set in the agent.').waitFor();
    await page.keyboard.press('Escape');

    await page.evaluate((to) => history.pushState(null, '', to), `/calls/${chat.id}?view=deliveries`);
    await page.getByRole('button', { name: 'call_ended' }).click();
    await page.getByRole('dialog').getByText('200: Delivered').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(receiver.url).waitFor();
    await audit.look(page, 'deliveries of a call');
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('is readable with a read-only key', async () => {
    const { key } = await dashboard.service.newKey({ workspace: 'hook readers' });
    const { id } = await post(key, '/webhooks', { url: 'https://shop.example.com/hooks', events: ['*'] });
    const reader = await dashboard.service.newKey({ workspace: 'hook readers', scopes: ['webhooks:read'] });
    const { page } = await dashboard.visit(`/webhooks/${id}`, { key: reader.key });
    await page.getByRole('button', { name: /^Send test .*does not have the scope webhooks:write/ }).waitFor();
    const none = await dashboard.service.newKey({ workspace: 'hook readers', scopes: ['agents:read'] });
    const second = await dashboard.visit('/webhooks', { key: none.key });
    await second.page.getByText('Your API key does not have the scope webhooks:read.').first().waitFor();
  });
});
