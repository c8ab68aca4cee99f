import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorCode, errorCodes } from '../../src/contract/errors.ts';
import {
  type AppError,
  concurrencyLimitReached,
  contentNotFound,
  providerNotConfigured,
  stateConflict,
  upstreamError,
} from '../../src/core/errors.ts';

interface Expected {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: object;
  readonly retryAfter: string | undefined;
}

describe('the errors of calls', () => {
  const errors: readonly (readonly [AppError, Expected])[] = [
    [
      stateConflict('call', { status: 'ended', allowed: ['registered', 'ongoing'] }),
      {
        status: 409,
        code: 'STATE_CONFLICT',
        details: { status: 'ended', allowed: ['registered', 'ongoing'], reason: null },
        retryAfter: undefined,
      },
    ],
    [
      stateConflict('call', {
        status: 'ongoing',
        allowed: ['ongoing'],
        reason: 'reply_in_progress',
        retryAfterSeconds: 1,
      }),
      {
        status: 409,
        code: 'STATE_CONFLICT',
        details: { status: 'ongoing', allowed: ['ongoing'], reason: 'reply_in_progress' },
        retryAfter: '1',
      },
    ],
    [
      concurrencyLimitReached('chat', 200, 200),
      {
        status: 429,
        code: 'CONCURRENCY_LIMIT_REACHED',
        details: { pool: 'chat', limit: 200, active: 200, reservedInbound: 0 },
        retryAfter: '5',
      },
    ],
    [
      providerNotConfigured('carrier'),
      { status: 503, code: 'PROVIDER_NOT_CONFIGURED', details: { capability: 'carrier' }, retryAfter: undefined },
    ],
    [
      upstreamError('openai', 'HTTP 429', true),
      {
        status: 502,
        code: 'UPSTREAM_ERROR',
        details: { provider: 'openai', providerCode: 'HTTP 429', retryable: true },
        retryAfter: undefined,
      },
    ],
    [
      upstreamError('openai', null, false),
      {
        status: 502,
        code: 'UPSTREAM_ERROR',
        details: { provider: 'openai', providerCode: null, retryable: false },
        retryAfter: undefined,
      },
    ],
    [
      contentNotFound('recording', 'not_stored'),
      { status: 404, code: 'NOT_FOUND', details: { reason: 'not_stored' }, retryAfter: undefined },
    ],
  ];

  for (const [error, { status, code, details, retryAfter }] of errors) {
    it(`have their status, details and Retry-After: ${error.message}`, () => {
      assert.deepEqual([errorCodes[error.code].status, error.code, error.details], [status, code, details]);
      assert.equal(error.headers['retry-after'], retryAfter);
    });
  }
});
