import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../../src/contract/index.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('the reference page in a browser', withBrowser, () => {
  const dashboard = useDashboard();

  it('shows every operation and requests nothing from other hosts', async () => {
    const { page, asked, complaints } = await dashboard.visit('/docs/');
    for (const { summary } of operations) await page.getByText(summary, { exact: true }).first().waitFor();
    assert.ok(asked.some((url) => url.endsWith('/openapi.json')));
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${dashboard.service.url}/`) && !url.startsWith('data:')),
      [],
    );
    assert.deepEqual(complaints, []);
  });
});
