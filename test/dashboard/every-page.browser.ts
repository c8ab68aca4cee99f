import assert from 'node:assert/strict';
import { get } from 'node:http';
import { before, describe, it } from 'node:test';
import { createAgent } from '../support/client.ts';
import { assertAccessible, useDashboard, type Visit, withBrowser } from './support/browser.ts';

const mostScriptBytes = 200 * 1024;

describe('every page of the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  let key: string;
  before(async () => {
    ({ key } = await dashboard.service.newKey());
    for (const name of ['予約受付', 'Reception', '<b>bold</b>']) await createAgent(dashboard.service, key, { name });
  });

  const pages = { '/overview': 'Overview', '/agents': 'Agents', '/keys': 'API keys', '/audit': 'Audit trail' };

  it('asks no other origin for anything, and the first one loads less than 200 KB of script', async (test) => {
    const { page, asked, complaints } = await dashboard.visit('/');
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByText('Agent created').first().waitFor();
    const scripts = [...new Set(asked)].filter((url) => url.endsWith('.js'));
    assert.ok(scripts.length > 1);
    for (const encoding of ['br', 'gzip']) {
      const sizes = await Promise.all(scripts.map((url) => sizeOf(url, encoding)));
      const sum = sizes.reduce((total, size) => total + size, 0);
      test.diagnostic(`sign-in and overview: ${sum} bytes of script (${encoding}) in ${scripts.length} files`);
      assert.ok(sum < mostScriptBytes, `${sum} bytes of script (${encoding})`);
    }
    for (const [path, title] of Object.entries(pages)) {
      await page.goto(dashboard.service.url + path);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    }
    const strangers = asked.filter((url) => !url.startsWith(`${dashboard.service.url}/`) && !url.startsWith('data:'));
    assert.deepEqual(strangers, []);
    assert.deepEqual(complaints, []);
  });

  it('lets nothing be fetched from elsewhere, even by a script of its own', async () => {
    const { page } = await dashboard.visit('/overview');
    const refused = await page.evaluate(async () => {
      const isFetched = await fetch('https://example.com/').then(
        () => true,
        () => false,
      );
      const image = await new Promise((resolve) => {
        const element = new Image();
        element.onload = () => resolve(true);
        element.onerror = () => resolve(false);
        element.src = 'https://example.com/x.png';
      });
      let isHtmlMade = true;
      try {
        document.body.innerHTML = '<img src=x>';
      } catch {
        isHtmlMade = false;
      }
      return { isFetched, image, isHtmlMade };
    });
    assert.deepEqual(refused, { isFetched: false, image: false, isHtmlMade: false });
  });

  const open = async ({ page }: Visit, path: string, title: string) => {
    await page.goto(dashboard.service.url + path);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };

  it('has no serious finding by axe, wide and narrow', async () => {
    const visit = await dashboard.visit('/sign-in', { bypassCSP: true });
    const { page } = visit;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter an API key.').waitFor();
    await assertAccessible(page);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    for (const [path, title] of Object.entries(pages)) {
      await open(visit, path, title);
      await assertAccessible(page);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await open(visit, '/keys', 'API keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').waitFor();
    await assertAccessible(page);
    await open(visit, '/agents/a/b/c', 'There is no such page');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await assertAccessible(page);
  });

  it('has enough contrast in the dark, too', async () => {
    const visit = await dashboard.visit('/overview', { key, colorScheme: 'dark', bypassCSP: true });
    for (const [path, title] of Object.entries(pages)) {
      await open(visit, path, title);
      await assertAccessible(visit.page, ['color-contrast']);
    }
    await visit.page.getByRole('button', { name: /^Workspace/ }).click();
    await visit.page.getByRole('button', { name: 'Sign out' }).waitFor();
    await assertAccessible(visit.page, ['color-contrast']);
    await visit.page.getByRole('button', { name: 'Sign out' }).click();
    await visit.page.getByLabel('API key').waitFor();
    await assertAccessible(visit.page, ['color-contrast']);
  });

  it('is no wider than a narrow screen', async () => {
    const visit = await dashboard.visit('/overview', { key, viewport: { width: 360, height: 740 } });
    for (const [path, title] of Object.entries(pages)) {
      await open(visit, path, title);
      const width = await visit.page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(width, 360, path);
    }
  });
});

/** As it travels. */
function sizeOf(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (answer) => {
      assert.equal(answer.headers['content-encoding'], encoding);
      answer.resume();
      resolve(Number(answer.headers['content-length']));
    }).on('error', reject);
  });
}
