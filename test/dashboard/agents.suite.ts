import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';

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

  it('shows engine, language, voice and state, and searches while typing, with the search in the URL', async () => {
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
    for (const text of ['Flow', 'Japanese', 'ja-JP-Nanami', 'Draft v1']) {
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
    await intercept(page, '**/api/v1/agents?*', (route) =>
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

  it('shows the live version next to a newer draft, asked for once per page', async () => {
    const { key } = await dashboard.service.newKey();
    const publish = (id: string) => send(dashboard.service, 'POST', `/api/v1/agents/${id}/publish`, { key });
    const change = (id: string) =>
      send(dashboard.service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { beginMessage: 'Hello' } });
    const [live, both, second] = await Promise.all(
      ['only live', 'live and draft', 'also both'].map((name) => createAgent(dashboard.service, key, { name })),
    );
    await createAgent(dashboard.service, key, { name: 'only draft' });
    for (const { id } of [live, both, second] as { id: string }[]) assert.equal((await publish(id)).status, 200);
    for (const { id } of [both, second] as { id: string }[]) assert.equal((await change(id)).status, 200);
    const { page, asked } = await dashboard.visit('/agents', { key });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('live and draft').getByText('Live v1 · Draft v2', { exact: true }).waitFor();
    await row('only live').getByText('Live v1', { exact: true }).waitFor();
    await row('only draft').getByText('Draft v1', { exact: true }).waitFor();
    assert.equal(asked.filter((url) => url.includes('/agent-states')).length, 1);
    await page.getByLabel('Filter by state').selectOption('Live, with a newer draft');
    await page.getByText('2 of 4 agents').waitFor();
    assert.equal(await row('only live').count(), 0);
    await page.getByLabel('Filter by state').selectOption('Never published');
    await page.getByText('1 of 4 agents').waitFor();
    await row('only draft').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('state'), 'unpublished');
  });

  it('is sorted by last change or by name, with the order in the URL', async () => {
    const { key } = await dashboard.service.newKey();
    const made = [];
    for (const name of ['b', 'c', 'a']) made.push(await createAgent(dashboard.service, key, { name }));
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${made[1]?.id}`, { key, body: { beginMessage: 'Hello' } });
    const { page } = await dashboard.visit('/agents', { key });
    const names = () => page.getByRole('row').locator('a').allTextContents();
    await page.getByRole('link', { name: 'a', exact: true }).waitFor();
    assert.deepEqual(await names(), ['a', 'c', 'b']);
    await page.getByLabel('Sort').selectOption('Last changed first');
    await page.getByText('3 of 3 agents').waitFor();
    assert.deepEqual(await names(), ['c', 'a', 'b']);
    await page.getByLabel('Sort').selectOption('By name');
    await page.waitForURL('**/agents?sort=name');
    assert.deepEqual(await names(), ['a', 'b', 'c']);
    await page.reload();
    await page.getByRole('link', { name: 'a', exact: true }).waitFor();
    assert.deepEqual(await names(), ['a', 'b', 'c']);
  });

  it('duplicates and deletes from the menu of a row, by keyboard, and returns the focus', async () => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: 'Reception' });
    const { page, complaints } = await dashboard.visit('/agents', { key });
    const more = page.getByRole('button', { name: 'Actions for Reception', exact: true });
    await more.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Talk' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Actions for Reception');
    await more.click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('link', { name: 'Reception (copy)' }).waitFor();
    await page.getByText('2 agents').waitFor();
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete agent' });
    await dialog.getByLabel('Type the name to confirm').fill('Reception');
    await page.keyboard.press('Enter');
    await page.getByText('1 agent', { exact: true }).waitFor();
    assert.equal((await send(dashboard.service, 'GET', `/api/v1/agents/${id}`, { key })).status, 404);

    await page.getByRole('button', { name: /^Actions for Reception \(copy\)/ }).click();
    await page.getByRole('menuitem', { name: 'Talk' }).click();
    await page.getByRole('complementary', { name: /Reception \(copy\)/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('deletes several agents at once, after their number is typed', async () => {
    const { key } = await dashboard.service.newKey();
    for (const name of ['one', 'two', 'three', 'kept']) await createAgent(dashboard.service, key, { name });
    const { page } = await dashboard.visit('/agents', { key });
    for (const name of ['one', 'two', 'three']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 agents' });
    const remove = dialog.getByRole('button', { name: 'Delete permanently' });
    await dialog.getByText('two').waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await remove.isDisabled(), true, 'not without the number');
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await remove.click();
    await page.getByText('3 agents deleted').waitFor();
    await page.getByText('1 agent', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'kept' }).waitFor();
    assert.equal(await page.getByText('selected').count(), 0);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('1 selected').waitFor();
  });
});
