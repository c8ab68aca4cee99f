import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgent } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('the agents table', withBrowser, () => {
  const dashboard = useDashboard();

  it('says what to do if there are no agents or no results', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/agents', { key });
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor();
    await page.getByRole('link', { name: 'New agent' }).first().waitFor();
    await page.getByLabel('Search agents').fill('予約');
    await page.getByRole('heading', { name: 'No results for “予約”' }).waitFor();
    await page.getByRole('button', { name: 'Clear search' }).last().click();
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor();
  });

  it('shows engine, language, voice, version and state, and searches while typing, with the search in the URL', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: '予約受付', language: 'ja', voiceId: 'ja-JP-Nanami' });
    await createAgent(dashboard.service, key, {
      name: 'Reception',
      responseEngineType: 'single_prompt',
      language: 'en',
    });
    const { page } = await dashboard.visit('/agents?q=ﾖﾔｸ', { key });
    assert.equal(await page.getByLabel('Search agents').inputValue(), 'ﾖﾔｸ');
    await page.getByRole('heading', { name: /No results/ }).waitFor();
    await page.getByLabel('Search agents').fill('予約');
    const row = page.getByRole('row').filter({ hasText: '予約受付' });
    await row.waitFor();
    for (const text of ['Conversation flow', 'Japanese', 'ja-JP-Nanami', 'v1', 'Draft']) {
      await row.getByText(text, { exact: true }).waitFor();
    }
    assert.equal(new URL(page.url()).searchParams.get('q'), '予約');
    assert.equal(await page.getByText('Reception').count(), 0);
    await page.reload();
    await row.waitFor();
    assert.equal(await page.getByLabel('Search agents').inputValue(), '予約');
  });

  it('shows the short name of the language, with its tag as a tooltip', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: '予約受付', language: 'ja-JP' });
    await createAgent(dashboard.service, key, { name: 'Reception', language: 'whatever they speak' });
    const { page } = await dashboard.visit('/agents', { key });
    await page.getByText('whatever they speak', { exact: true }).waitFor();
    const { x, y } = (await page.getByText('Japanese (JP)', { exact: true }).boundingBox()) as { x: number; y: number };
    await page.mouse.move(x + 5, y + 5);
    assert.equal(await page.getByRole('row').filter({ hasText: '予約受付' }).getAttribute('title'), 'ja-JP');
    await page.getByRole('link', { name: 'Reception' }).hover({ position: { x: 5, y: 5 } });
    assert.equal(await page.getByTitle('ja-JP').count(), 0);
    await page.getByTitle('Reception', { exact: true }).waitFor();
  });

  it('opens an agent from anywhere in its row, and in a new tab on request', async () => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: 'Reception' });
    const { page } = await dashboard.visit('/agents', { key });
    const row = page.getByRole('row').filter({ hasText: 'Reception' });
    for (const options of [{ button: 'middle' as const }, { modifiers: ['Control' as const] }]) {
      const [other] = await Promise.all([page.context().waitForEvent('page'), row.click(options)]);
      await other.waitForURL(`**/agents/${id}`);
      await other.close();
      assert.equal(new URL(page.url()).pathname, '/agents');
    }
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await row.click();
    await page.waitForURL(`**/agents/${id}`);
    assert.ok(await page.evaluate(() => 'isSamePage' in window), 'nothing is reloaded');
  });

  it('shows names as plain text', async () => {
    const { key } = await dashboard.service.newKey();
    const names = [
      '<img src=x onerror="window.broken=1">',
      '"><script>window.broken=1</script>',
      'javascript:window.broken=1',
      '{{constructor.constructor("window.broken=1")()}}',
      `長い名前${'あ'.repeat(240)}`,
    ];
    for (const name of names) await createAgent(dashboard.service, key, { name, voiceId: name.slice(0, 200) });
    const { page, complaints } = await dashboard.visit('/agents', { key });
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
    assert.equal(await page.evaluate(() => 'broken' in window), false);
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok((width[0] as number) <= (width[1] as number), `a long name makes nothing wider: ${width}`);
    assert.deepEqual(complaints, []);
  });

  it('can be used by keyboard alone: "/" searches, arrows move, Enter opens, "n" creates', async () => {
    const { key } = await dashboard.service.newKey();
    const made = [];
    for (const name of ['first', 'second', 'third']) made.push(await createAgent(dashboard.service, key, { name }));
    const { page } = await dashboard.visit('/agents', { key });
    await page.getByRole('link', { name: 'third' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ir');
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' });
    const focused = (name: string) =>
      page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, name);
    await page.keyboard.press('ArrowDown');
    await focused('third');
    await page.keyboard.press('ArrowDown');
    await focused('first');
    await page.keyboard.press('Home');
    await focused('third');
    await page.keyboard.press('End');
    await focused('first');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${made[0]?.id}`);
    await page.goBack();
    await page.getByRole('link', { name: 'third' }).waitFor();
    await page.keyboard.press('n');
    await page.waitForURL('**/agents/new');
  });

  it('reports that the service does not respond, and continues when it does', async () => {
    const { key } = await dashboard.service.newKey();
    await createAgent(dashboard.service, key, { name: 'here again' });
    const { page } = await dashboard.visit('/overview', { key });
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.route('**/api/v1/agents?*', (route) =>
      route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'req_test' },
        json: { error: { code: 'INTERNAL_ERROR', message: 'x', requestId: 'req_test' } },
      }),
    );
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Service error' }).waitFor();
    await page.getByText('req_test').waitFor();
    await page.unroute('**/api/v1/agents?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'here again' }).waitFor();
  });
});
