import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '../../campaigns/campaign.ts';
import { runCampaign } from '../../campaigns/runner.ts';
import { seed } from '../support/seed.ts';

/**
 * A campaign in its small version, with one seed for ever; `npm run campaign` has the real ones, and seeds of their own.
 * Each campaign has a file of its own: most of them wait more than they work, and files run beside each other.
 */
export function testCampaign(campaign: Campaign): void {
  for (const engine of campaign.runsOn) {
    test(`campaign ${campaign.name} on ${engine}`, async (context) => {
      const showProgress = () => {};
      const outcome = await runCampaign(campaign, { engine, seed, size: 'small', maxMs: 60_000, showProgress });
      context.diagnostic(JSON.stringify(outcome.figures));
      assert.deepEqual(outcome.findings, [], `seed ${seed}`);
      assert.equal(outcome.isCutShort, false, 'the small version takes seconds');
    });
  }
}
