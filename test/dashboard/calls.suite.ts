import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, type Visit, withBrowser } from './support/browser.ts';
import { CallServer } from './support/call-server.ts';
import { distribution, latencyOf, newTurn } from './support/sample-calls.ts';

describe('the calls pages', withBrowser, () => {
  const dashboard = useDashboard();
  let server: CallServer;
  let key: string;
  let agentId: string;
  beforeEach(async () => {
    server = await CallServer.start();
    ({ key } = await dashboard.service.newKey());
    ({ id: agentId } = await createAgent(dashboard.service, key, { name: 'Reception' }));
  });
  afterEach(() => server.close());

  const visit = async (path: string, viewport = { width: 1280, height: 800 }): Promise<Visit> => {
    const visited = await dashboard.visit('/overview', { key, viewport });
    await server.join(visited.page);
    await visited.page.goto(dashboard.service.url + path);
    return visited;
  };
  const table = (page: Page, name: string) => page.getByRole('table', { name });

  describe('the list', () => {
    it('shows open calls above, and moves them down when they end', async () => {
      server.add({ agentId, endReason: 'silence_timeout' });
      const live = server.add({ agentId, status: 'ongoing', isDraft: true });
      const { page, complaints } = await visit('/calls');
      await table(page, 'Now').getByRole('link', { name: 'Reception' }).waitFor();
      await table(page, 'Now').getByText('Draft').waitFor();
      await table(page, 'Finished').getByText('Silence for too long').waitFor();
      server.end(live.id, 'agent_hangup');
      await table(page, 'Finished').getByText('Agent hung up').waitFor();
      assert.equal(await table(page, 'Now').count(), 0);
      assert.deepEqual(complaints, []);
    });

    it('keeps its filters in the URL, and sends them once per list', async () => {
      server.add({ agentId, endReason: 'agent_hangup', agentVersion: 2 });
      server.add({ agentId, status: 'error', endReason: 'llm_failed' });
      const { page } = await visit('/calls');
      await table(page, 'Finished').getByText('Failed', { exact: true }).waitFor();
      await page.getByRole('button', { name: /^Status/ }).click();
      await page.getByRole('checkbox', { name: 'Ended' }).check();
      await page.keyboard.press('Escape');
      await table(page, 'Finished').getByText('Failed', { exact: true }).waitFor({ state: 'detached' });
      await page.getByLabel('Version').fill('2');
      await page.getByLabel('Type').selectOption('Chat');
      await page.getByLabel('From').fill('2026-01-01');
      await page.getByRole('combobox', { name: 'Agent' }).click();
      await page.getByRole('option', { name: 'Reception' }).click();
      await page.waitForURL(/agentId=/);
      const { searchParams } = new URL(page.url());
      assert.deepEqual(Object.fromEntries(searchParams), {
        agentId,
        type: 'chat',
        from: '2026-01-01',
        status: 'ended',
      });
      await page.getByLabel('Version').fill('9');
      await page.getByRole('heading', { name: 'No calls match these filters' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'No calls match these filters' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await table(page, 'Finished').getByText('Failed', { exact: true }).waitFor();
      assert.equal(new URL(page.url()).search, '');
    });

    it('loads the next page with the cursor alone', async () => {
      for (let place = 0; place < 60; place += 1) server.add({ agentId });
      const { page } = await visit('/calls');
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 60);
      const last = server.asked.findLast(({ query }) => query.has('cursor'));
      assert.deepEqual([...(last?.query.keys() ?? [])].sort(), ['cursor', 'limit']);
    });

    it('points to “Try” when there is no call yet', async () => {
      const { page } = await visit('/calls');
      await page.getByText('press “Try”').waitFor();
      await page.getByRole('link', { name: 'Go to agents' }).click();
      await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    });
  });

  describe('the page of a call', () => {
    const turns = [
      { source: 'begin' as const, text: 'Hello.' },
      { role: 'caller' as const, text: '<b>Is Friday free?</b>' },
      { text: 'Yes, at', unspokenText: ' three.', interrupted: true, latency: latencyOf(610) },
    ];

    it('shows the transcript, reply times, events, details and JSON', async () => {
      const call = server.add(
        {
          agentId,
          externalId: 'visit-2981',
          variables: { shop: '銀座店' },
          notApplied: [{ field: 'voiceSpeed', reason: 'clamped' }],
        },
        turns,
      );
      const { page, complaints } = await visit(`/calls/${call.id}`);
      await page.getByRole('heading', { name: 'Call with Reception', level: 1 }).waitFor();
      await page.getByText('<b>Is Friday free?</b>').waitFor();
      await page.getByText('Interrupted').waitFor();
      await page.getByText('Not heard by the caller:').waitFor();
      await page.getByText('Caller hung up').waitFor();
      assert.equal(await page.getByRole('link', { name: 'Reception' }).getAttribute('href'), `/agents/${agentId}`);
      const audit = newAudit({ isQuick: true });
      for (const [tab, text] of [
        ['Transcript', 'Hello.'],
        ['Reply times', 'Language model 604 ms'],
        ['Events', 'Agent: Hello.'],
        ['Details (1)', 'The nearest allowed value was used.'],
        ['JSON', '"externalId": "visit-2981"'],
      ] as const) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByText(text).first().waitFor();
        await audit.look(page, tab);
      }
      assert.equal(new URL(page.url()).search, '?view=json');
      await page.reload();
      await page.getByText('"externalId": "visit-2981"').waitFor();
      audit.assertClean();
      assert.deepEqual(complaints, []);
    });

    it('follows an open call to its end, and stops while it is hidden', async () => {
      const call = server.add({ agentId, status: 'ongoing' }, turns.slice(0, 1));
      const { page } = await visit(`/calls/${call.id}`);
      await page.getByText('Live: this page follows the call.').waitFor();
      await page.getByText('Hello.').waitFor();
      server.tell(call.id, 'turn_completed', { turn: newTurn({ index: 1, role: 'caller', text: 'Anyone there?' }) });
      await page.getByText('Anyone there?').waitFor();

      const hide = (state: string) =>
        page.evaluate((visibility) => {
          Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
          document.dispatchEvent(new Event('visibilitychange'));
        }, state);
      await hide('hidden');
      const before = server.count('GET', '/events');
      server.tell(call.id, 'turn_completed', { turn: newTurn({ index: 2, text: 'Yes.' }) });
      await page.getByRole('tab', { name: 'Events' }).click();
      assert.equal(server.count('GET', '/events'), before);
      await hide('visible');
      await page.getByText('Agent: Yes.').waitFor();

      server.end(call.id, 'agent_hangup');
      await page.getByText('Now: Ended (Agent hung up)').waitFor();
      await page.getByText('Live: this page').waitFor({ state: 'detached' });
      const last = server.count('GET', '/events');
      await page.getByRole('tab', { name: 'Transcript' }).click();
      assert.equal(server.count('GET', '/events'), last);
    });

    it('ends an open call, removes its content and deletes it', async () => {
      const call = server.add({ agentId, status: 'ongoing' }, turns);
      const { page } = await visit(`/calls/${call.id}`);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /^Delete.*Possible once the call has ended/ }).click({ force: true });
      assert.equal(await dialog.count(), 0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'End call' }).click();
      await dialog.getByRole('button', { name: 'End call' }).click();
      await page.getByText('Ended with the API or here').first().waitFor();

      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Remove content' }).click();
      await dialog.getByText('Names and postal addresses are not detected.').waitFor();
      await dialog.getByRole('radio', { name: 'Remove all content' }).check();
      await dialog.getByRole('button', { name: 'Remove all content' }).click();
      await page.getByText('The conversation of this call has been removed.').waitFor();
      assert.deepEqual(server.asked.findLast(({ path }) => path.endsWith('/redact'))?.body, {
        to: 'basic_attributes_only',
      });

      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete call' }).click();
      await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
      await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    });

    it('says that a call does not exist, or that its content was not stored', async () => {
      const call = server.add({ agentId, transcriptStatus: 'not_stored', dataStorageSetting: 'basic_attributes_only' });
      const { page } = await visit('/calls/call_none');
      await page.getByRole('heading', { name: 'Call not found', level: 1 }).waitFor();
      await page.goto(`${dashboard.service.url}/calls/${call.id}`);
      await page.getByText('was not stored').waitFor();
      assert.equal(server.count('GET', '/transcript'), 0);
    });

    it('fits a narrow screen', async () => {
      const slow = distribution(1830, 12_345);
      const parts = { endpointingMs: slow, sttMs: slow, llmFirstTokenMs: slow, ttsFirstAudioMs: slow, ownMs: slow };
      const latency = { turns: 3, e2eMs: slow, knowledgeMs: null, ...parts };
      const call = server.add({ agentId, latency }, turns);
      const { page } = await visit('/calls', { width: 360, height: 740 });
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await page.getByRole('link', { name: 'Reception' }).waitFor();
      assert.equal(await width(), 360);
      for (const view of ['transcript', 'replies', 'events', 'details', 'json']) {
        await page.goto(`${dashboard.service.url}/calls/${call.id}?view=${view}`);
        await page.getByRole('tabpanel').waitFor();
        assert.equal(await width(), 360, view);
      }
    });
  });
});
