import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiError, ConnectionError, TimeoutError } from '../../sdk/src/errors.ts';
import { parseRetryAfter, retryDelay } from '../../sdk/src/retries.ts';

function refusal(status: number, retryAfterMs: number | null = null, code = 'X') {
  const headers = new Headers();
  return apiError({
    status,
    code,
    message: '',
    details: {},
    requestId: null,
    headers,
    retryAfterMs,
    isAfterLostAnswer: false,
  });
}

describe('the retry delay', () => {
  it('doubles from half a second to eight, with 50 % jitter', () => {
    const fault = new ConnectionError('cut');
    const span = (retries: number) => [retryDelay(fault, retries, 0), retryDelay(fault, retries, 1)];
    assert.deepEqual([0, 1, 2, 3, 4, 9].map(span), [
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [4000, 8000],
      [4000, 8000],
    ]);
  });

  it('is at least the Retry-After of the service, and there is none if that is too long', () => {
    assert.equal(retryDelay(refusal(503, 0), 0, 0), 250);
    assert.equal(retryDelay(refusal(429, 5000), 0, 0), 5000);
    assert.equal(retryDelay(refusal(429, 5000), 0, 1), 5500);
    assert.equal(retryDelay(refusal(429, 1000), 4, 0), 4000);
    assert.equal(retryDelay(refusal(429, 60_000), 0, 0), 60_000);
    assert.equal(retryDelay(refusal(503, 60_001), 0, 0), null);
  });

  it('applies to temporary failures only', () => {
    const passing = [
      new TimeoutError(1),
      refusal(408),
      refusal(429),
      refusal(500),
      refusal(502),
      refusal(503),
      refusal(504),
    ];
    for (const error of [...passing, refusal(409, null, 'IDEMPOTENCY_IN_PROGRESS')]) {
      assert.notEqual(retryDelay(error, 0, 0), null);
    }
    const lasting = [
      refusal(400),
      refusal(401),
      refusal(404),
      refusal(409),
      refusal(422),
      new TypeError('x'),
      'reason',
    ];
    for (const error of lasting) assert.equal(retryDelay(error, 0, 0), null);
  });

  it('is read from seconds and from dates', () => {
    const now = Date.parse('2026-11-15T09:30:00Z');
    assert.equal(parseRetryAfter('2', now), 2000);
    assert.equal(parseRetryAfter('0.5', now), 500);
    assert.equal(parseRetryAfter('Sun, 15 Nov 2026 09:30:30 GMT', now), 30_000);
    assert.equal(parseRetryAfter('Sun, 15 Nov 2026 09:29:30 GMT', now), 0);
    for (const nonsense of [null, '', 'soon', '-1x']) assert.equal(parseRetryAfter(nonsense, now), null);
  });
});
