import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('the overview and the audit trail', withBrowser, () => {
  const dashboard = useDashboard();
  /** Requests are in the figures some seconds after they were answered. */
  const untilCounted = async (key: string, requests: number) => {
    for (;;) {
      const { json } = await send(dashboard.service, 'GET', '/api/v1/figures', { key });
      const counted = json.points.reduce((sum: number, point: { requests: number }) => sum + point.requests, 0);
      if (counted >= requests) return;
      await delay(200);
    }
  };

  it('show how many agents there are, what was refused, and who changed what', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { name: 'one' });
    await createAgent(dashboard.service, key, { name: 'two' });
    const gone = await createAgent(dashboard.service, key, { name: 'gone' });
    await send(dashboard.service, 'DELETE', `/api/v1/agents/${gone.id}`, { key });
    await send(dashboard.service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key, body: {} });
    for (let index = 0; index < 3; index += 1) await send(dashboard.service, 'GET', '/api/v1/agents/none', { key });
    await untilCounted(key, 8);
    const { page, complaints } = await dashboard.visit('/overview', { key });
    const tile = (name: string) => page.locator('[class*=_tile_]').filter({ hasText: name });
    await tile('Agents').getByText('2', { exact: true }).waitFor();
    await page.getByText('All is well').waitFor();
    assert.match((await tile('Refused').textContent()) ?? '', /Refused3/);

    const plot = page.getByRole('slider', { name: 'Refused and failed requests' });
    assert.match((await plot.getAttribute('aria-valuetext')) ?? '', /^\d\d:\d\d: Refused \d+, Failed 0$/);
    await plot.focus();
    await page.keyboard.press('Home');
    assert.equal(await plot.getAttribute('aria-valuenow'), '0');
    await page.keyboard.press('ArrowRight');
    assert.equal(await plot.getAttribute('aria-valuenow'), '1');
    assert.equal(await page.getByRole('table', { name: 'Latency' }).getByRole('row').count(), 61);
    await page.getByText('Last day').click();
    await page.waitForFunction(() => document.querySelector('[role=slider]')?.getAttribute('aria-valuemax') === '143');

    await page.getByText('Agent published').waitFor();
    const byName = page.getByRole('link', { name: 'one', exact: true }).first();
    assert.equal(await byName.getAttribute('href'), `/agents/${agent.id}`);
    await page.getByRole('link', { name: gone.id }).first().click();
    await page.waitForURL(`**/audit?resourceId=${gone.id}`);
    await page.getByText('2 entries').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.getByText('5 entries').waitFor();
    await page.getByLabel('Filter by resource').fill('agt_none');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing was done to this' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
