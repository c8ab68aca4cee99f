import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { type MeasuredCall, measuredCalls, storeMeasured } from './support/measured-calls.ts';

const dayMs = 86_400_000;

describe('the analytics page', withBrowser, () => {
  const dashboard = useDashboard();
  let key: string;
  let agentIds: readonly string[];
  let calls: readonly MeasuredCall[];
  before(async () => {
    let workspaceId: string;
    ({ key, workspaceId } = await dashboard.service.newKey());
    const [first, second] = [
      await createAgent(dashboard.service, key, { name: 'Reception' }),
      await createAgent(dashboard.service, key, { name: 'Survey' }),
    ];
    agentIds = [first.id, second.id];
    // Until yesterday at noon: nothing depends on the time at which the test runs.
    const until = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;
    calls = measuredCalls({ workspaceId, agentIds, until, days: 20, perDay: 14, hasCosts: true });
    await storeMeasured(dashboard.service.database, calls);
  });

  const utc = { timezoneId: 'UTC' };
  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const isReady = async (page: Page) => {
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
    await card(page, 'Estimated cost by agent').waitFor();
  };
  const open = async (path: string, options: object = utc) => {
    const visit = await dashboard.visit(path, { key, ...options });
    await isReady(visit.page);
    return visit;
  };
  const tile = (page: Page, label: string, value: number) =>
    page
      .locator('main div', { has: page.getByRole('link', { name: label, exact: true }) })
      .getByText(value.toLocaleString('en'), { exact: true })
      .first()
      .waitFor();
  const ofDay = (day: string) => calls.filter(({ call }) => call.createdAt.startsWith(day));
  const listed = async (page: Page, count: number) => {
    await page.getByText('Calls behind a metric').waitFor();
    await page.waitForFunction((rows) => document.querySelectorAll('tbody tr').length === rows, count);
  };
  const chooseOf = async (page: Page, title: string, item: string) => {
    await page.getByRole('button', { name: `Actions for “${title}”` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('shows every chart of the period, with all calls, and nothing that the policy of the page forbids', async () => {
    const { page, complaints } = await open('/analytics');
    await tile(page, 'Calls', calls.length);
    const names = await page.locator('section[aria-label] h2').allTextContents();
    assert.equal(names.length, 13);
    for (const name of [
      'Calls and connect rate',
      'Reply time of spoken calls',
      'Sentiment',
      'Talk ratio',
      'Tool calls and errors',
    ]) {
      await card(page, name).locator('.recharts-surface').first().waitFor();
    }
    await card(page, 'Success rate by agent version').getByText('Reception v2').waitFor();
    await card(page, 'Reply time by stage').getByText('Language model').waitFor();
    await card(page, 'Calls by hour and weekday').getByText('Mon', { exact: true }).waitFor();
    await card(page, 'Estimated cost by agent')
      .getByText(/of calls have no price/)
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  it('keeps its filters in the URL', async () => {
    const { page } = await open('/analytics');
    await page.getByLabel('Type').selectOption('Phone');
    await page.getByLabel('Compare with').selectOption('Previous period');
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Survey' }).click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await page.waitForURL(/timeZone=/);
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), {
      type: 'phone',
      compare: 'previous',
      agentId: agentIds[1],
      timeZone: 'Asia/Tokyo',
    });
    await page.reload();
    const count = calls.filter(({ call }) => call.agentId === agentIds[1] && call.type === 'phone').length;
    await tile(page, 'Calls', count);
    await page.getByText(/· Asia\/Tokyo$/).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await tile(page, 'Calls', calls.length);
  });

  it('lists the calls behind a point that is clicked, and behind a bar', async () => {
    const day = calls.at(-1)?.call.createdAt.slice(0, 10) as string;
    const { page } = await open(`/analytics?period=days&from=${day}&to=${day}&interval=hour`);
    const hour = ofDay(day).map(({ call }) => call.createdAt.slice(0, 13));
    const [first] = [...new Set(hour)].sort();
    // The bars of hours without calls have no height.
    await card(page, 'Calls and connect rate').locator('.recharts-bar-rectangle path').first().click();
    await listed(page, hour.filter((each) => each === first).length);
    await page.goBack();
    await isReady(page);
    const hungUp = ofDay(day).filter(({ call }) => call.endReason === 'agent_hangup');
    await card(page, 'End reasons').getByRole('link', { name: 'Agent hung up' }).click();
    await listed(page, hungUp.length);
    await page.getByText('endReason = Agent hung up').waitFor();
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await page.getByRole('table', { name: 'Finished' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
  });

  it('lists the calls of a day by keyboard alone', async () => {
    const { page } = await open('/analytics');
    const day = calls.at(-1)?.call.createdAt.slice(0, 10) as string;
    const chart = card(page, 'Calls and connect rate').locator('[role=application]').first();
    await chart.focus();
    const shown = new Date(day).toLocaleDateString('en', { weekday: 'short', month: 'short', day: 'numeric' });
    for (;;) {
      await page.keyboard.press('ArrowRight');
      const text = await card(page, 'Calls and connect rate').locator('.recharts-tooltip-wrapper').first().innerText();
      if (text.includes(shown)) break;
    }
    await page.keyboard.press('Enter');
    await listed(page, Math.min(50, ofDay(day).length));
  });

  it('shows the values at a tap, with the link to their calls', async () => {
    const { page } = await open('/analytics', { ...utc, hasTouch: true, viewport: { width: 390, height: 844 } });
    const chart = card(page, 'Reply time of spoken calls').locator('.recharts-surface').first();
    await chart.scrollIntoViewIfNeeded();
    await chart.tap();
    await card(page, 'Reply time of spoken calls').getByRole('link', { name: 'Show calls' }).click();
    await page.getByText('Calls behind a metric').waitFor();
  });

  it('has the definition, the values, the query and its time one click away', async () => {
    const { page } = await open('/analytics');
    await page.getByRole('heading', { name: 'Reply time of spoken calls', exact: true }).focus();
    await page.getByRole('tooltip', { name: /Percentiles are exact and cover all replies/ }).waitFor();
    await chooseOf(page, 'Reply time of spoken calls', 'Values and definitions');
    const dialog = page.getByRole('dialog', { name: 'Reply time of spoken calls' });
    await dialog.getByText(/^As of .*UTC$/).waitFor();
    await dialog.getByText('"latency.e2eMs.p99"').waitFor();
    await dialog.getByText(/Over agent turns, not over the percentiles of calls: the 99th percentile/).waitFor();
    const rows = dialog.getByRole('table').getByRole('row');
    assert.equal(await rows.count(), 31);
    await dialog.getByText('incomplete').waitFor();
    const audit = newAudit();
    await audit.look(page, 'values', '[role=dialog]');
    audit.assertClean();
    await rows.filter({ hasText: 's' }).last().getByRole('link').click();
    await page.getByText('Calls behind a metric').waitFor();
  });

  it('saves what is seen as a file that spreadsheets read', async () => {
    const { page } = await open('/analytics');
    const saving = page.waitForEvent('download');
    await chooseOf(page, 'End reasons', 'Download CSV');
    const file = await saving;
    assert.equal(file.suggestedFilename(), 'End reasons.csv');
    const text = await readFile(await file.path(), 'utf8');
    const [head, ...rows] = text.trimEnd().split('\r\n');
    assert.equal(head, '\ufefffrom,to,endReason,calls');
    assert.equal(
      rows.reduce((sum, row) => sum + Number(row.split(',').at(-1)), 0),
      calls.length,
    );
  });

  it('says what to do without calls, without a match and without prices', async () => {
    const { key, workspaceId } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/analytics', { key });
    await page.getByRole('heading', { name: 'No calls in this period' }).waitFor();
    await page.getByRole('button', { name: 'Show 12 months' }).click();
    await page.waitForURL(/period=12mo/);
    const audit = newAudit();
    await audit.look(page, 'no calls');
    const agent = await createAgent(dashboard.service, key, { name: 'Reception' });
    const measures = { workspaceId, agentIds: [agent.id], until: Date.now() - dayMs, days: 3, perDay: 4 };
    await storeMeasured(dashboard.service.database, measuredCalls(measures));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await card(page, 'Estimated cost by agent').getByRole('link', { name: 'Enter prices' }).waitFor();
    await audit.look(page, 'no prices');
    await page.getByRole('textbox', { name: 'Version' }).fill('9');
    await page.getByRole('heading', { name: 'No calls match these filters' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await isReady(page);
    audit.assertClean();
  });

  it('fits a phone and has no serious axe violation, light and dark', async () => {
    const { page } = await open('/analytics?compare=previous');
    const audit = newAudit();
    await audit.look(page, 'charts');
    await page.getByRole('button', { name: 'Actions for “Sentiment”' }).click();
    await page.getByRole('menu').waitFor();
    await audit.look(page, 'menu', '[role=menu]', true);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 360, height: 740 });
    await isReady(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Period').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    audit.assertClean();
  });

  it('gives the overview and the pages of an agent the same metrics', async () => {
    const { page } = await open(`/analytics?agentId=${agentIds[0]}&period=90d`);
    const own = calls.filter(({ call }) => call.agentId === agentIds[0]);
    await tile(page, 'Calls', own.length);
    await page.goto(`${dashboard.service.url}/agents/${agentIds[0]}/calls`);
    await tile(page, 'Calls', own.length);
    await page.getByRole('link', { name: 'Analytics of this agent' }).click();
    await page.waitForURL(`**/analytics?agentId=${agentIds[0]}`);
    await page.goto(`${dashboard.service.url}/overview`);
    await page.getByText('Last 7 days').click();
    const from = Math.floor(Date.now() / dayMs) * dayMs - 6 * dayMs;
    await tile(page, 'Calls', calls.filter(({ call }) => Date.parse(call.createdAt) >= from).length);
    await page.getByRole('link', { name: 'Success', exact: true }).click();
    await page.waitForURL('**/analytics?period=7d');
  });
});
