import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { measuredCalls, storeMeasured } from './support/measured-calls.ts';

const dayMs = 86_400_000;
const dialog = '[role=dialog]';

describe('views, alerts and prices in the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  let key: string;
  let agentId: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ key, workspaceId } = await dashboard.service.newKey());
    ({ id: agentId } = await createAgent(dashboard.service, key, { name: 'Reception' }));
  });

  const get = async (path: string) => (await send(dashboard.service, 'GET', `/api/v1/analytics/${path}`, { key })).json;
  const settled = (page: Page) => page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
  const confirm = (page: Page, name: string) => page.locator(dialog).getByRole('button', { name }).click();
  const isClosed = (page: Page) => page.locator(dialog).waitFor({ state: 'detached' });

  it('saves a chart as a view, shows it, and changes and deletes it', async () => {
    const until = Date.now() - dayMs;
    const measures = { workspaceId, agentIds: [agentId], until, days: 5, perDay: 6 };
    await storeMeasured(dashboard.service.database, measuredCalls(measures));
    const { page, complaints } = await dashboard.visit('/analytics?view=views', { key });
    await page.getByRole('heading', { name: 'No saved views yet' }).waitFor();
    await page.getByRole('link', { name: 'Go to charts' }).click();
    await page.getByRole('button', { name: 'Actions for “End reasons”' }).click();
    await page.getByRole('menuitem', { name: 'Save as view…' }).click();
    await page.getByLabel('Name').fill('');
    await confirm(page, 'Save');
    await page.getByText('Enter a name.').waitFor();
    const audit = newAudit();
    await audit.look(page, 'save view', dialog);
    await page.getByLabel('Name').fill('Why calls end');
    await confirm(page, 'Save');
    await isClosed(page);
    const [view] = (await get('views')).items;
    assert.equal(view.chart, 'bar');
    assert.deepEqual(view.query, { range: { last: '30d' }, metrics: ['calls'], groupBy: ['endReason'] });

    await page.getByRole('tab', { name: 'Views' }).click();
    const card = page.getByRole('region', { name: 'Why calls end' });
    await card.getByRole('link', { name: 'Agent hung up' }).waitFor();
    for (const [chart, shown] of [
      ['Table', card.getByRole('cell', { name: 'Agent hung up', exact: true })],
      ['Numbers', card.getByText('Agent hung up · Calls')],
    ] as const) {
      await page.getByRole('button', { name: 'Actions for “Why calls end”' }).click();
      await page.getByRole('menuitem', { name: 'Edit…' }).click();
      await page.getByLabel('Shown as').selectOption(chart);
      await confirm(page, 'Save');
      await isClosed(page);
      await shown.waitFor();
      await audit.look(page, chart, 'main');
    }
    await page.getByRole('button', { name: 'Actions for “Why calls end”' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await confirm(page, 'Delete view');
    await page.getByRole('heading', { name: 'No saved views yet' }).waitFor();
    assert.deepEqual((await get('views')).items, []);
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('creates, changes and deletes an alert, and shows its state', async () => {
    const { page, complaints } = await dashboard.visit('/analytics?view=alerts', { key });
    await page.getByRole('heading', { name: 'No alerts yet' }).waitFor();
    const audit = newAudit();
    await audit.look(page, 'no alerts', 'main');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByLabel('Name').fill('Too many errors');
    await page.getByRole('combobox', { name: 'Metric' }).fill('errorRate');
    await page.getByRole('option', { name: 'Error rate (errorRate)', exact: true }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('x');
    await confirm(page, 'Save');
    await page.getByText('Enter a number.').waitFor();
    await audit.look(page, 'alert', dialog);
    await page.getByRole('textbox', { name: 'Value' }).fill('5');
    await page.getByLabel('Over the last').selectOption('6 hours');
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Reception' }).click();
    await confirm(page, 'Save');
    await page.getByText('Error rate more than 5% · last 6 hours · Reception').waitFor();
    const [alert] = (await get('alerts')).items;
    const { metric, value, window, filter, minCalls } = alert;
    assert.deepEqual(
      { metric, value, window, filter, minCalls },
      {
        metric: 'errorRate',
        value: 0.05,
        window: '6h',
        filter: { field: 'agentId', op: 'eq', value: agentId },
        minCalls: 1,
      },
    );
    await page.getByText('No data').waitFor();
    await page.getByRole('button', { name: 'Edit “Too many errors”' }).click();
    await page.getByLabel('Evaluate this alert').uncheck();
    await confirm(page, 'Save');
    await page.getByText('Off', { exact: true }).waitFor();
    await audit.look(page, 'alerts', 'main');
    await page.getByRole('button', { name: 'Delete “Too many errors”' }).click();
    await confirm(page, 'Delete alert');
    await page.getByRole('heading', { name: 'No alerts yet' }).waitFor();
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('adds prices from a time on, changes them and deletes them', async () => {
    const { page, complaints } = await dashboard.visit('/settings/prices', { key, timezoneId: 'Asia/Tokyo' });
    await page.getByRole('heading', { name: 'No prices yet' }).waitFor();
    await page.getByRole('button', { name: 'Add prices' }).click();
    await page.getByLabel('Valid from').fill('2026-01-01T00:00');
    await page.getByLabel('Currency').fill('jpy');
    await page.getByRole('textbox', { name: 'Price, price 1' }).fill('1,5');
    await confirm(page, 'Save');
    await page.getByText('Enter a price such as 0.25.').waitFor();
    await page.getByRole('textbox', { name: 'Price, price 1' }).fill('37.5');
    await page.getByRole('button', { name: 'Add price', exact: true }).click();
    await page.getByRole('combobox', { name: 'For, price 2' }).selectOption('Speech recognition');
    await page.getByRole('textbox', { name: 'Provider, price 2' }).fill('deepgram');
    await page.getByRole('textbox', { name: 'Price, price 2' }).fill('0.9');
    const audit = newAudit();
    await audit.look(page, 'prices', dialog);
    await confirm(page, 'Save');
    await isClosed(page);
    await page.getByText('valid now').waitFor();
    const any = { provider: '*', model: '*' };
    assert.deepEqual((await get('prices')).items, [
      {
        currency: 'JPY',
        validFrom: '2025-12-31T15:00:00.000Z',
        items: [
          { capability: 'llm', ...any, unit: 'million_prompt_tokens', price: '37.5' },
          { capability: 'stt', ...any, provider: 'deepgram', unit: 'minute', price: '0.9' },
        ],
      },
    ]);
    await settled(page);
    await audit.look(page, 'list of prices', 'main');
    await page.getByRole('button', { name: /^Edit prices from/ }).click();
    await page.getByRole('button', { name: 'Remove price 1' }).click();
    await confirm(page, 'Save');
    await page.getByText('1 prices').waitFor();
    await page.getByRole('button', { name: /^Delete prices from/ }).click();
    await confirm(page, 'Delete prices');
    await page.getByRole('heading', { name: 'No prices yet' }).waitFor();
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('disables what a key may only read, and says why', async () => {
    const { key: reader } = await dashboard.service.newKey({ workspace: 'Readers', scopes: ['analytics:read'] });
    const { page } = await dashboard.visit('/analytics?view=alerts', { key: reader });
    const button = page.getByRole('button', { name: /^Create alert/ });
    await button.waitFor();
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await page.goto(`${dashboard.service.url}/settings/prices`);
    await page.getByRole('button', { name: /Add prices .*analytics:write/ }).waitFor();
    const { key: stranger } = await dashboard.service.newKey({ workspace: 'Strangers', scopes: ['calls:read'] });
    const other = await dashboard.visit('/analytics', { key: stranger });
    await other.page.getByText('does not have the scope analytics:read').first().waitFor();
  });
});
