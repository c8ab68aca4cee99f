import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { newChat, on } from '../areas/calls/support.ts';
import { eventReceiver } from '../areas/webhooks/receiving.ts';
import { send } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const onEnd = { event: 'call_ended', includeDrafts: true };
const field = (page: Page, path: string) => page.locator(`[id="workflow-${path}"]`);

describe('workflows in the dashboard', withBrowser, () => {
  const dashboard = useDashboard(async () => ({ workflowRunning: { pollMs: 20 } }));

  async function newWorkspace() {
    const { key } = await dashboard.service.newKey();
    const ask = async (method: string, path: string, body?: unknown) => {
      const { status, text, json } = await send(dashboard.service, method, `/api/v1${path}`, { key, body });
      assert.ok(status < 300, text);
      return json;
    };
    const endedCall = async (metadata: Record<string, unknown> = {}): Promise<string> => {
      const { id } = await newChat(dashboard.service, key, { call: { metadata } });
      assert.equal((await on(dashboard.service, key, id).end()).status, 200);
      return id;
    };
    return { key, ask, endedCall };
  }

  it('creates a workflow from scratch, shows an issue at its field, saves and enables it', async () => {
    const { key, ask, endedCall } = await newWorkspace();
    const callId = await endedCall({ plan: 'gold' });
    const { page, complaints } = await dashboard.visit('/workflows', { key });
    const audit = newAudit();
    await page.getByRole('heading', { name: 'No workflows yet' }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^Create workflow ?: / }).count(), 4);
    await audit.look(page, 'no workflows');
    await page.getByRole('link', { name: /^Create workflow ?: From scratch$/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Tell the CRM');
    await page.locator('.react-flow__node').filter({ hasText: 'Request' }).click();
    await field(page, 'steps.0.url').fill('https://{{call.from}}/leads');
    await page.getByRole('button', { name: 'Create workflow' }).click();
    await page.getByRole('alert').getByText('request.url').waitFor();
    await field(page, 'steps.0.url').and(page.locator('[aria-invalid=true]:focus')).waitFor();
    await page.locator('.react-flow__node[aria-label*="1 problem"]').waitFor();
    await audit.look(page, 'an issue');

    // What is typed after {{ is completed, with the value in the newest call.
    await field(page, 'steps.0.url').fill('https://crm.example.com/leads/');
    await page.keyboard.type('{{plan');
    const option = page.getByRole('option', { name: /metadata\.plan/ });
    await option.getByText('gold').waitFor();
    await audit.look(page, 'completion');
    await page.keyboard.press('Enter');
    assert.equal(await field(page, 'steps.0.url').inputValue(), 'https://crm.example.com/leads/{{call.metadata.plan}}');
    await page.getByRole('button', { name: 'Create workflow' }).click();
    await page.waitForURL(/\/workflows\/wfl_/);
    await page.getByText('Disabled', { exact: true }).waitFor();
    const [created] = (await ask('GET', '/workflows')).items;
    assert.equal(created.steps[0].url, 'https://crm.example.com/leads/{{call.metadata.plan}}');
    assert.equal(created.enabled, false);

    // By keyboard: a step is added after what is selected, which is the trigger, and moved.
    await page.getByRole('button', { name: 'Add step' }).press('Enter');
    await page.getByRole('menuitem', { name: /^Wait/ }).press('Enter');
    await field(page, 'steps.0.id').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('pause');
    await page.getByRole('button', { name: 'Move down' }).press('Enter');
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved as version 2').waitFor();
    const { steps } = await ask('GET', `/workflows/${created.id}`);
    assert.deepEqual(
      steps.map(({ id }: { id: string }) => id),
      ['request', 'pause'],
    );
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
    await page.getByText('YAML', { exact: true }).click();
    assert.match(
      await page.getByLabel('Definition as code').inputValue(),
      /^trigger:\n {2}event: call_analyzed\nsteps:/,
    );
    await audit.look(page, 'as YAML');
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Differences from the current version' }).click();
    await audit.look(page, 'versions');
    await page.getByRole('link', { name: 'Workflows' }).first().click();
    await page.getByRole('link', { name: 'Tell the CRM' }).waitFor();
    await audit.look(page, 'the list');
    audit.assertClean();
    assert.deepEqual(complaints, []);
    assert.ok(callId);
  });

  it('creates a workflow from each template, once its secrets exist', async () => {
    const { key, ask } = await newWorkspace();
    const { page, complaints } = await dashboard.visit('/workflows/new?template=chat', { key });
    await page.getByRole('button', { name: 'Create workflow' }).click();
    await page.getByRole('alert').getByText('uses the secret CHAT_HOOK, which does not exist').waitFor();
    await ask('PUT', '/secrets/CHAT_HOOK', { value: 'x', hosts: ['hooks.slack.com'] });
    await ask('PUT', '/secrets/CRM_TOKEN', { value: 'x', hosts: ['crm.example.com'] });
    for (const [template, name] of [
      ['Post to a chat channel', 'chat'],
      ['Write to a CRM', 'crm'],
      ['Call back tomorrow', 'callback'],
    ] as const) {
      await page.goto(`${dashboard.service.url}/workflows/new?template=${name}`);
      await page.getByRole('radio', { name: template }).and(page.locator(':checked')).waitFor();
      await page.getByRole('button', { name: 'Create workflow' }).click();
      await page.waitForURL(/\/workflows\/wfl_/);
      await page.getByRole('heading', { name: template, level: 1 }).waitFor();
    }
    assert.equal((await ask('GET', '/workflows')).items.length, 3);
    assert.deepEqual(complaints, []);
  });

  it('tests what is not saved on a call: why it would not start, and what it would send', async () => {
    const { key, ask, endedCall } = await newWorkspace();
    const receiver = await eventReceiver();
    await endedCall({ plan: 'gold' });
    const { id } = await ask('POST', '/workflows', {
      name: 'Test me',
      trigger: { ...onEnd, filter: { field: 'metadata.plan', op: 'eq', value: 'free' } },
      steps: [{ id: 'tell', type: 'http_request', url: receiver.url, body: { plan: '{{call.metadata.plan}}' } }],
    });
    const { page, complaints } = await dashboard.visit(`/workflows/${id}`, { key });
    const audit = newAudit();
    await page.getByText('In the chosen call: gold').waitFor();
    await page.getByRole('button', { name: 'Test on a call' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('This call would not start a run').waitFor();
    const row = drawer.getByRole('row').filter({ hasText: 'metadata.plan' });
    await row.getByText('does not hold').waitFor();
    assert.match((await row.textContent()) ?? '', /"free".*"gold"/);
    await drawer.getByText('"plan": "gold"').waitFor();
    await audit.look(page, 'test', '[role=dialog]');
    await drawer.getByLabel('Response in the test').selectOption('500');
    await drawer.getByText('The run would fail').waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await field(page, 'trigger.filter.value').fill('gold');
    await page.getByRole('button', { name: 'Test on a call' }).click();
    await drawer.getByText('This call would start a run').waitFor();
    assert.equal(receiver.requests.length, 0);
    assert.equal((await ask('GET', `/workflows/${id}`)).version, 1);
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('shows a failed run with its attempts, resumes it, and cancels one that waits', async () => {
    const { key, ask, endedCall } = await newWorkspace();
    let isUp = false;
    const receiver = await eventReceiver((response) => {
      response.writeHead(isUp ? 200 : 404, { 'content-type': 'application/json' }).end('{"lead":"81"}');
    });
    const { id } = await ask('POST', '/workflows', {
      name: 'Leads',
      trigger: onEnd,
      steps: [
        { id: 'lead', type: 'http_request', url: receiver.url, body: { id: '{{call.id}}' } },
        { id: 'later', type: 'wait', seconds: 3600 },
      ],
    });
    await ask('PATCH', `/workflows/${id}`, { enabled: true });
    const callId = await endedCall();
    const runs = async () => (await ask('GET', `/workflow-runs?callId=${callId}`)).items;
    await eventually(async () => (await runs())[0]?.status === 'failed', 'a failed run');

    const { page, complaints } = await dashboard.visit('/overview', { key });
    const audit = newAudit();
    await page.getByRole('link', { name: 'Failing workflows' }).click();
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.evaluate((to) => history.pushState(null, '', to), `/calls/${callId}?view=workflows`);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'Leads' }).click();
    await page.getByRole('heading', { name: 'Run of Leads' }).waitFor();
    await page.getByText('404: The receiver answered 404.').waitFor();
    await page.getByRole('group', { name: 'Request' }).getByText(`"id": "${callId}"`).waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
    await audit.look(page, 'a failed run');
    isUp = true;
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^Waits until /).waitFor();
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['idempotency-key'])).size, 1);
    assert.equal(receiver.requests.length, 2);
    await audit.look(page, 'a waiting run');
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Canceled by a user').waitFor();
    assert.equal((await runs())[0].status, 'canceled');
    await page.evaluate((to) => history.pushState(null, '', to), '/workflows?view=runs&status=succeeded');
    await page.getByText('No runs match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText('Canceled', { exact: true }).waitFor();
    await audit.look(page, 'runs');
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('asks before changes are lost, and merges with what someone else has saved', async () => {
    const { key, ask } = await newWorkspace();
    const { id } = await ask('POST', '/workflows', {
      name: 'Shared',
      trigger: onEnd,
      steps: [{ id: 'later', type: 'wait', seconds: 60 }],
    });
    const { page } = await dashboard.visit(`/workflows/${id}`, { key });
    await page.getByLabel('Note').fill('mine');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
    await ask('PATCH', `/workflows/${id}`, { enabled: true });
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved as version 1').waitFor();
    await page.getByLabel('Note').fill('mine again');
    await ask('PATCH', `/workflows/${id}`, {
      description: 'theirs',
      steps: [{ id: 'soon', type: 'wait', seconds: 1 }],
    });
    await page.keyboard.press('ControlOrMeta+s');
    const dialog = page.getByRole('dialog', { name: 'Someone else has updated this workflow' });
    await dialog.getByText('Steps: changed by them only').waitFor();
    const audit = newAudit();
    await audit.look(page, 'conflict', '[role=dialog]');
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () => (await ask('GET', `/workflows/${id}`)).description === 'mine again', 'the merge');
    assert.equal((await ask('GET', `/workflows/${id}`)).steps[0].id, 'soon');
    audit.assertClean();
  });

  it('is in Japanese, and fits a narrow screen', async () => {
    const { key, ask, endedCall } = await newWorkspace();
    const callId = await endedCall();
    const { id } = await ask('POST', '/workflows', {
      name: 'CRMに登録',
      trigger: { ...onEnd, filter: { all: [{ field: 'metadata.plan', op: 'eq', value: 'gold' }] } },
      steps: [{ id: 'later', type: 'wait', seconds: 3600 }],
    });
    const { id: runId } = await ask('POST', `/workflows/${id}/runs`, { callId });
    const narrow = { locale: 'ja-JP', viewport: { width: 390, height: 844 } };
    const { page, complaints } = await dashboard.visit('/workflows', { key, ...narrow });
    await page.getByRole('heading', { name: 'ワークフロー', level: 1 }).waitFor();
    for (const [path, text] of [
      ['/workflows', '通話が終了したとき'],
      ['/workflows?view=runs', '待機中'],
      ['/workflows/new', 'チャットに投稿'],
      [`/workflows/${id}`, '1時間'],
      [`/workflows/runs/${runId}`, 'まで待機します'],
    ] as const) {
      await page.evaluate((to) => history.pushState(null, '', to), path);
      await page.getByText(text).first().waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
    }
    assert.deepEqual(complaints, []);
  });

  it('can be read without the scope to change anything', async () => {
    const { key } = await dashboard.service.newKey({ workspace: 'workflow readers' });
    const body = { name: 'Read me', trigger: onEnd, steps: [{ id: 'later', type: 'wait', seconds: 60 }] };
    const { json } = await send(dashboard.service, 'POST', '/api/v1/workflows', { key, body });
    const reader = await dashboard.service.newKey({ workspace: 'workflow readers', scopes: ['workflows:read'] });
    const { page } = await dashboard.visit(`/workflows/${json.id}`, { key: reader.key });
    await page.getByText('You can view this workflow, but not change it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add step' }).count(), 0);
    await page.getByRole('button', { name: /^Test on a call .*does not have the scope workflows:write/ }).waitFor();
  });
});
