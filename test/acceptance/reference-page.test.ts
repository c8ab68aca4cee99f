import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '../../src/contract/index.ts';
import { withBrowser } from '../dashboard/support/browser.ts';
import { launchChromium } from '../dashboard/support/chromium.ts';
import { sqliteEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

describe('the reference page in a browser', withBrowser, () => {
  const engine = sqliteEngine();

  it('shows every operation and requests nothing from other hosts', async () => {
    const service = await startService(engine);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${service.url}/docs/`, { waitUntil: 'networkidle' });
      for (const { summary } of operations) await page.getByText(summary, { exact: true }).first().waitFor();
      assert.ok(asked.some((url) => url.endsWith('/openapi.json')));
      assert.deepEqual(
        asked.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:')),
        [],
      );
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
      await service.close();
    }
  });
});
