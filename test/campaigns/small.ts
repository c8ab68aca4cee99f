import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '../../campaigns/campaign.ts';
import { runCampaign } from '../../campaigns/runner.ts';
import { seed } from '../support/seed.ts';

/**
 * The small version of a campaign, with a fixed seed; `npm run campaign` runs the full versions with random seeds. Each
 * campaign has its own file, because files run in parallel and most campaigns wait more than they work.
 */
export function testCampaign(campaign: Campaign): void {
  for (const engine of campaign.runsOn) {
    test(`campaign ${campaign.name} on ${engine}`, async (context) => {
      const showProgress = () => {};
      const outcome = await runCampaign(campaign, { engine, seed, size: 'small', maxMs: 120_000, showProgress });
      context.diagnostic(JSON.stringify(outcome.figures));
      assert.deepEqual(outcome.findings, [], `seed ${seed}`);
      assert.equal(outcome.isCutShort, false, 'the small version takes seconds');
    });
  }
}
