import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  nextRefreshAt,
  type RefreshState,
  refreshFailed,
  refreshSucceeded,
} from '../../../../src/areas/knowledge/fetching/refresh.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const middle = { refreshEveryHours: 24, now: 1_000_000, random: () => 0.5 };

describe('the schedule of refreshes', () => {
  it('has ±10 % jitter', () => {
    const delayOf = (random: number) => (nextRefreshAt(0, { ...middle, random: () => random }) as number) - middle.now;
    assert.equal(delayOf(0), 21.6 * hourMs);
    assert.equal(delayOf(0.5), 24 * hourMs);
    assert.equal(delayOf(1), 26.4 * hourMs);
  });

  it('tries again after 10 minutes, after an hour, and then at the usual interval', () => {
    let state: RefreshState = refreshSucceeded(500, middle);
    const delays = Array.from({ length: 4 }, () => {
      state = refreshFailed(state, true, middle);
      return (state.nextRefreshAt as number) - middle.now;
    });
    assert.deepEqual(delays, [10 * minuteMs, hourMs, 24 * hourMs, 24 * hourMs]);
    const nextSuccess = refreshSucceeded(700, middle);
    assert.deepEqual(nextSuccess, {
      lastFetchedAt: 700,
      nextRefreshAt: middle.now + 24 * hourMs,
      staleSince: null,
      failures: 0,
    });
  });

  it('says since when the content is stale: the first failure after the last success', () => {
    const first = refreshFailed(refreshSucceeded(500, middle), true, middle);
    const second = refreshFailed(first, true, { ...middle, now: 2_000_000 });
    assert.equal(first.staleSince, 1_000_000);
    assert.equal(second.staleSince, 1_000_000);
    assert.equal(second.lastFetchedAt, 500);
    assert.equal(second.failures, 2);
  });

  it('does not call content stale that never was there', () => {
    const before = { lastFetchedAt: null, nextRefreshAt: null, staleSince: null, failures: 0 };
    assert.equal(refreshFailed(before, false, middle).staleSince, null);
  });

  it('refreshes only on request without an interval', () => {
    const onRequest = { ...middle, refreshEveryHours: null };
    assert.equal(refreshSucceeded(1, onRequest).nextRefreshAt, null);
    assert.equal(refreshFailed(refreshSucceeded(1, onRequest), true, onRequest).nextRefreshAt, null);
  });
});
