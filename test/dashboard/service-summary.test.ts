import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ratesPerMinute } from '../../dashboard/src/pages/service/summary.ts';

describe('the request rate of the service page', () => {
  const begin = Date.parse('2026-11-15T09:30:00.000Z');
  const figuresOf = (stepSeconds: number, ...requests: number[]) => ({
    period: 'hour' as const,
    stepSeconds,
    agents: 0,
    hasMoreAgents: false,
    points: requests.map((count, place) => ({
      at: new Date(begin + place * stepSeconds * 1000).toISOString(),
      requests: count,
      refusals: 0,
      errors: 0,
      p50Ms: null,
      p95Ms: null,
      p99Ms: null,
    })),
  });
  const after = (seconds: number) => begin + seconds * 1000;

  it('divides the newest interval by its duration so far', () => {
    assert.deepEqual(ratesPerMinute(figuresOf(60, 120, 120, 60), after(150)), [120, 120, 120]);
    assert.deepEqual(ratesPerMinute(figuresOf(600, 1000, 200), after(720)), [100, 100]);
  });

  it('is unknown for an interval that has just started', () => {
    assert.deepEqual(ratesPerMinute(figuresOf(60, 120, 3), after(62)), [120, null]);
    assert.deepEqual(ratesPerMinute(figuresOf(60), after(0)), []);
  });

  it('treats the newest interval as complete if the clock of the browser is ahead', () => {
    assert.deepEqual(ratesPerMinute(figuresOf(60, 120, 120), after(900)), [120, 120]);
  });
});
