import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { chatWith, create, eventually, on, testAgent } from '../areas/calls/support.ts';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { storeSpokenCall } from './support/spoken-call.ts';

describe('the calls pages', withBrowser, () => {
  const dashboard = useDashboard();
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ key, workspaceId } = await dashboard.service.newKey());
  });

  const table = (page: Page, name: string) => page.getByRole('table', { name });
  const newAgent = (model: string, fields: object = {}) =>
    testAgent(dashboard.service, key, model, { name: 'Reception', ...fields });
  const newChat = async (model: string, fields: object = {}, call: object = {}) => {
    const { id: agentId } = await newAgent(model, fields);
    return chatWith(dashboard.service, key, { agentId, ...call });
  };

  describe('the list', () => {
    it('shows open calls above, and moves them down when they end', async () => {
      const ended = await newChat('test-echo');
      await ended.say('Hello');
      await ended.end();
      const chat = await newChat('test-script', { prompt: 'Good morning.\n[end]' });
      await chat.say('Hello');
      const { page, complaints } = await dashboard.visit('/calls', { key });
      await table(page, 'Now').getByRole('link', { name: 'Reception' }).waitFor();
      await table(page, 'Now').getByText('Draft').waitFor();
      await table(page, 'Finished').getByText('Ended on request').waitFor();
      await chat.say('Bye');
      await table(page, 'Finished').getByText('Agent hung up').waitFor();
      assert.equal(await table(page, 'Now').count(), 0);
      assert.deepEqual(complaints, []);
    });

    it('shows the name of an agent that was deleted', async () => {
      const { id: agentId } = await newAgent('test-echo', { name: 'Old reception' });
      const chat = await chatWith(dashboard.service, key, { agentId });
      await chat.say('Hello');
      await chat.end();
      await send(dashboard.service, 'DELETE', `/api/v1/agents/${agentId}`, { key });
      const { page } = await dashboard.visit('/calls', { key });
      await table(page, 'Finished').getByRole('link', { name: 'Old reception (deleted)' }).waitFor();
    });

    it('keeps its filters in the URL', async () => {
      const { id: agentId } = await newAgent('test-echo');
      const good = await chatWith(dashboard.service, key, { agentId });
      await good.say('Hello');
      await good.end();
      const failing = await newChat('test-fail', { name: 'Broken' });
      for (const text of ['One', 'Two', 'Three']) await failing.say(text);
      const { page } = await dashboard.visit('/calls', { key });
      const failed = table(page, 'Finished').getByText('Failed', { exact: true });
      await failed.waitFor();
      await page.getByRole('button', { name: /^Status/ }).click();
      await page.getByRole('checkbox', { name: 'Ended' }).check();
      await page.keyboard.press('Escape');
      await failed.waitFor({ state: 'detached' });
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
      await table(page, 'Finished').getByRole('link', { name: 'Reception' }).waitFor();
      await page.getByLabel('Version').fill('9');
      await page.getByRole('heading', { name: 'No calls match these filters' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'No calls match these filters' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await failed.waitFor();
      assert.equal(new URL(page.url()).search, '');
    });

    it('loads the next page with the cursor alone', async () => {
      const { id: agentId } = await newAgent('test-echo');
      for (let place = 0; place < 60; place += 1) {
        const { json } = await create(dashboard.service, key, { agentId });
        await on(dashboard.service, key, json.id).end();
      }
      const { page, asked } = await dashboard.visit('/calls', { key });
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 60);
      const last = asked.map((url) => new URL(url).searchParams).findLast((query) => query.has('cursor'));
      assert.deepEqual([...(last?.keys() ?? [])].sort(), ['cursor', 'limit']);
    });

    it('exports what the filters show as CSV, after a failure, too', async () => {
      const { id: agentId } = await newAgent('test-echo');
      const chat = await chatWith(dashboard.service, key, { agentId, metadata: { note: '=1+1, "あ"' } });
      await chat.say('Hello');
      await chat.end();
      await newChat('test-echo');
      const { page } = await dashboard.visit('/calls?status=ended', { key });
      await table(page, 'Finished').waitFor();
      const isExport = (url: URL) => url.pathname === '/api/v1/calls' && url.searchParams.get('limit') === '200';
      const error = { code: 'VALIDATION_ERROR', message: 'no', requestId: 'req_1', details: {} };
      await page.route(isExport, (route) => route.fulfill({ status: 400, json: { error } }));
      await page.getByRole('button', { name: 'Export' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export calls as CSV' });
      const columns = dialog.getByRole('combobox', { name: 'Columns' });
      const start = dialog.getByRole('button', { name: 'Export', exact: true });
      await columns.fill('usage');
      await columns.press('Enter');
      await dialog.getByText('A call has no “usage”.').waitFor();
      await columns.press('Backspace');
      await columns.fill('metadata.note');
      await columns.press('Enter');
      // Closes the suggestions, which are above the buttons.
      await columns.press('Tab');
      await dialog.getByLabel('Time zone').selectOption('UTC');
      await start.click();
      await dialog.getByRole('alert').waitFor();
      await page.unroute(isExport);
      const [download] = await Promise.all([page.waitForEvent('download'), start.click()]);
      assert.match(download.suggestedFilename(), /^calls-\d{4}-\d\d-\d\d\.csv$/);
      const [head = '', line = '', end, ...rest] = readFileSync(await download.path(), 'utf8').split('\r\n');
      assert.match(head, /^\ufeffid,createdAt,.*,metadata\.note$/);
      assert.match(line, /^call_\w+,\d{4}-\d\d-\d\dT[\d:.]+\+00:00,.*,"'=1\+1, ""あ"""$/);
      assert.deepEqual([end, rest], ['', []]);
      await dialog.waitFor({ state: 'detached' });
    });

    const spokenCalls = async (texts: readonly string[], name = 'Reception') => {
      const { id: agentId } = await newAgent('test-echo', { name, postCallAnalysisModel: 'test-extract' });
      for (const text of texts) {
        const chat = await chatWith(dashboard.service, key, { agentId, metadata: { note: text } });
        await chat.say(`summary: ${text}`);
        await chat.say('successful: true');
        await chat.end();
        await eventually(async () => (await chat.call()).analysis.status === 'completed');
      }
    };
    const rows = (page: Page) => page.locator('tbody tr');

    it('shows the outcome and the summary, and chosen values, which the browser remembers', async () => {
      await spokenCalls(['A cut on Saturday']);
      const { page, complaints } = await dashboard.visit('/calls', { key });
      const finished = table(page, 'Finished');
      await finished
        .getByText(/A cut on Saturday/)
        .first()
        .waitFor();
      await finished.getByText('Successful').waitFor();
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'note' }).check();
      await page.keyboard.press('Escape');
      await finished.getByRole('columnheader', { name: 'note' }).waitFor();
      await page.reload();
      await finished.getByRole('columnheader', { name: 'note' }).waitFor();
      const audit = newAudit({ isQuick: true });
      await audit.look(page, 'columns');
      audit.assertClean();
      assert.deepEqual(complaints, []);
    });

    it('shows six calls at once on a phone', async () => {
      await spokenCalls(['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']);
      const { page } = await dashboard.visit('/calls', { key });
      await page.setViewportSize({ width: 390, height: 844 });
      await rows(page).nth(5).waitFor();
      const box = await rows(page).nth(5).boundingBox();
      assert.ok(
        box !== null && box.y + box.height <= 844,
        `the sixth call ends at ${box === null ? '?' : box.y + box.height}`,
      );
      const audit = newAudit({ isQuick: true });
      await audit.look(page, 'on a phone');
      audit.assertClean();
    });

    it('finds what was said, and deletes what is selected, with the failure of one call', async () => {
      await spokenCalls(['Refund for a lamp', 'A cut on Saturday', 'Refund for a kettle']);
      const { page, complaints } = await dashboard.visit('/calls', { key });
      await rows(page).nth(2).waitFor();
      await page.getByLabel('Search transcripts').fill('ＲＥＦＵＮＤ for');
      const found = table(page, 'Matching calls');
      await found.waitFor();
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2);
      assert.equal(new URL(page.url()).searchParams.get('transcript'), 'ＲＥＦＵＮＤ for');
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByText('2 selected').waitFor();
      let isFirst = true;
      await page.route(/\/api\/v1\/calls\/call_/, (route) => {
        if (route.request().method() !== 'DELETE' || !isFirst) return route.fallback();
        isFirst = false;
        const error = {
          code: 'STATE_CONFLICT',
          message: 'no',
          requestId: 'req_1',
          details: { status: 'ongoing', allowed: [], reason: null },
        };
        return route.fulfill({ status: 409, json: { error } });
      });
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete 2 calls' });
      await dialog.getByRole('button', { name: 'Delete 2 calls' }).click();
      await dialog.getByText('2 of 2 done').waitFor();
      await dialog.getByText('1 could not be changed').waitFor();
      const audit = newAudit({ isQuick: true });
      await audit.look(page, 'after deleting');
      audit.assertClean();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
      await page.getByLabel('Search transcripts').fill('nowhere to be heard');
      await page.getByRole('heading', { name: 'No call contains these words' }).waitFor();
      assert.deepEqual(
        complaints.filter((text) => !text.includes('409')),
        [],
      );
    });

    it('points to “Try” when there is no call yet', async () => {
      const { page } = await dashboard.visit('/calls', { key });
      await page.getByText('press “Try”').waitFor();
      await page.getByRole('link', { name: 'Go to agents' }).click();
      await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    });
  });

  describe('the page of a call', () => {
    it('shows the transcript, reply times, events, details and JSON', async () => {
      const agent = await createAgent(dashboard.service, key, { name: 'Reception' });
      const id = await storeSpokenCall(dashboard.service, { workspaceId, agentId: agent.id });
      const { page, complaints } = await dashboard.visit(`/calls/${id}`, { key });
      await page.getByRole('heading', { name: 'Call with Reception', level: 1 }).waitFor();
      await page.getByText('move my <b>appointment</b>').waitFor();
      await page.getByText('Interrupted').waitFor();
      await page.getByText('Not heard by the caller:').waitFor();
      await page.getByText('Agent hung up').waitFor();
      assert.equal(await page.getByRole('link', { name: 'Reception' }).getAttribute('href'), `/agents/${agent.id}`);
      const audit = newAudit({ isQuick: true });
      for (const [tab, text] of [
        ['Transcript', 'One moment, please.'],
        ['Reply times', 'Language model 310 ms'],
        ['Events', 'Agent: One moment, please.'],
        ['Details (4)', 'provider accepts: 1.2 was used instead.'],
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
      const chat = await newChat('test-echo', { beginMessage: 'Hello.' });
      await chat.say();
      const { page, asked } = await dashboard.visit(`/calls/${chat.id}`, { key });
      const requests = () => asked.filter((url) => url.includes('/events')).length;
      await page.getByText('Live: this page updates automatically.').waitFor();
      await page.getByText('Hello.').waitFor();
      await chat.say('Anyone there?');
      await page.getByText('Anyone there?').first().waitFor();
      await page.getByText(/Replied in/).waitFor();

      const hide = (state: string) =>
        page.evaluate((visibility) => {
          Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
          document.dispatchEvent(new Event('visibilitychange'));
        }, state);
      await hide('hidden');
      const before = requests();
      await chat.say('Yes.');
      await page.getByRole('tab', { name: 'Events' }).click();
      assert.equal(requests(), before);
      await hide('visible');
      await page.getByText('Agent: Yes.').waitFor();

      await chat.end();
      await page.getByText('Now: Ended (Ended on request)').waitFor();
      await page.getByText('Live: this page').waitFor({ state: 'detached' });
      const last = requests();
      await page.getByRole('tab', { name: 'Transcript' }).click();
      assert.equal(requests(), last);
    });

    it('ends an open call, removes its content and deletes it', async () => {
      const chat = await newChat('test-echo');
      await chat.say('I am Tanaka, 090-1234-5678.');
      const { page } = await dashboard.visit(`/calls/${chat.id}`, { key });
      const dialog = page.getByRole('dialog');
      const choose = async (name: string) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /^Delete.*Available once the call has ended/ }).click({ force: true });
      assert.equal(await dialog.count(), 0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'End call' }).click();
      await dialog.getByRole('button', { name: 'End call' }).click();
      await page.getByText('Ended on request').first().waitFor();

      await choose('Remove content');
      await dialog.getByText('Names and postal addresses are not detected.').waitFor();
      await dialog.getByRole('button', { name: 'Remove personal data' }).click();
      await page.getByText('I am Tanaka, [PHONE_NUMBER].').first().waitFor();
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByText('Caller: I am Tanaka, [PHONE_NUMBER].').waitFor();
      assert.ok(!(await page.content()).includes('5678'));

      await choose('Remove content');
      await dialog.getByText('You can only choose a stricter setting').waitFor();
      await dialog.getByRole('button', { name: 'Remove all content' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Caller: I am Tanaka').waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: 'Transcript' }).click();
      await page.getByText('The conversation of this call has been removed.').waitFor();
      const { dataStorageSetting, transcriptStatus } = await chat.call();
      assert.deepEqual([dataStorageSetting, transcriptStatus], ['basic_attributes_only', 'deleted']);

      await choose('Delete');
      await dialog.getByRole('button', { name: 'Delete call' }).click();
      await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
      await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
      assert.equal((await chat.get()).status, 404);
    });

    it('says that a call does not exist, or that its content was not stored', async () => {
      const chat = await newChat('test-echo', { dataStorageSetting: 'basic_attributes_only' });
      await chat.say('Secret words');
      const { page, asked } = await dashboard.visit('/calls/call_none', { key });
      await page.getByRole('heading', { name: 'Call not found', level: 1 }).waitFor();
      await page.goto(`${dashboard.service.url}/calls/${chat.id}`);
      await page.getByText('was not stored').waitFor();
      assert.deepEqual(
        asked.filter((url) => url.endsWith('/transcript')),
        [],
      );
      // The reply times are numbers, and are stored.
      await page.getByRole('tab', { name: 'Reply times' }).click();
      await page.getByText('only the summary is available').waitFor();
    });

    it('says that personal data was left out, and that not all of it is detected', async () => {
      const chat = await newChat('test-echo', { dataStorageSetting: 'everything_except_pii' });
      await chat.say('Write to aiko@example.com');
      const { page } = await dashboard.visit(`/calls/${chat.id}`, { key });
      await page.getByText('Write to [EMAIL]').first().waitFor();
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByText('Names and postal addresses are not detected').waitFor();
    });

    it('explains which settings were not applied', async () => {
      const fields = { name: 'Reception', language: 'en', prompt: '', llmModel: 'gpt-5.4-mini' };
      const agent = await createAgent(dashboard.service, key, fields);
      const chat = await chatWith(dashboard.service, key, { agentId: agent.id });
      await chat.say('Hello');
      await chat.end();
      const { page } = await dashboard.visit(`/calls/${chat.id}`, { key });
      await page.getByText('No language model was connected').waitFor();
      await page.getByRole('tab', { name: 'Details (1)' }).click();
      await page.getByText('No language model is connected').waitFor();
    });

    it('shows what failed', async () => {
      const chat = await newChat('test-fail');
      for (const text of ['One', 'Two', 'Three']) await chat.say(text);
      const { endDetail } = await chat.call();
      const { page } = await dashboard.visit(`/calls/${chat.id}`, { key });
      await page.getByText('Language model failed').waitFor();
      await page.getByText(endDetail as string).waitFor();
    });

    it('fits a narrow screen', async () => {
      const agent = await createAgent(dashboard.service, key, { name: 'Reception' });
      const id = await storeSpokenCall(dashboard.service, { workspaceId, agentId: agent.id });
      const { page } = await dashboard.visit('/calls', { key, viewport: { width: 360, height: 740 } });
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await page.getByRole('link', { name: 'Reception' }).waitFor();
      assert.equal(await width(), 360);
      for (const view of ['transcript', 'replies', 'events', 'details', 'json']) {
        await page.goto(`${dashboard.service.url}/calls/${id}?view=${view}`);
        await page.getByRole('tabpanel').waitFor();
        assert.equal(await width(), 360, view);
      }
    });

    it('needs the scope calls:read', async () => {
      const chat = await newChat('test-echo');
      const path = `/api/v1/api-keys`;
      const { json } = await send(dashboard.service, 'POST', path, {
        key,
        body: { name: 'reader', scopes: ['agents:read'] },
      });
      const { page } = await dashboard.visit(`/calls/${chat.id}`, { key: json.key });
      await page.getByText('Your API key does not have the scope calls:read.').first().waitFor();
    });
  });
});
