import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summariseCalls } from '../../dashboard/src/pages/overview/call-summary.ts';

type Calls = Parameters<typeof summariseCalls>[0];

describe('the numbers of the overview', () => {
  const callOf = (status: string, successful: boolean | null, p50: number | null) => ({
    status,
    analysis: successful === null ? null : { successful },
    latency: p50 === null ? null : { e2eMs: { p50 } },
  });

  it('count only analyzed calls for success, and only measured ones for the median', () => {
    const calls = [
      callOf('ended', true, 900),
      callOf('ended', false, 500),
      callOf('error', null, null),
      callOf('ongoing', null, 700),
      callOf('ended', true, 100),
    ] as unknown as Calls;
    assert.deepEqual(summariseCalls(calls), { calls: 5, failed: 1, judged: 3, successful: 2, medianReplyMs: 600 });
  });

  it('are unknown rather than zero without calls', () => {
    assert.deepEqual(summariseCalls([]), { calls: 0, failed: 0, judged: 0, successful: 0, medianReplyMs: null });
  });
});
