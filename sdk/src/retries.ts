import { ApiError, ConnectionError, fieldOf, ProviderNotConfiguredError } from './errors.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 8000;
/** For longer waits the error is thrown instead, so that callers do not hang. */
const maxRetryAfterMs = 60_000;

/** The delay before the next attempt; null to give up. `random` is from 0 to 1. */
export function retryDelay(error: unknown, retriesMade: number, random: number): number | null {
  if (!mayHelp(error)) return null;
  // With jitter, so that clients that failed together do not retry together.
  const backoffMs = Math.min(firstBackoffMs * 2 ** retriesMade, maxBackoffMs) * (0.5 + random / 2);
  const askedMs = error instanceof ApiError ? error.retryAfterMs : null;
  if (askedMs === null) return backoffMs;
  return askedMs > maxRetryAfterMs ? null : Math.max(askedMs * (1 + random / 10), backoffMs);
}

/** Whether a retry may help. All requests of this client are safe to retry. */
function mayHelp(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError) || error instanceof ProviderNotConfiguredError) return false;
  // A failed provider says whether the same request may succeed later.
  if (fieldOf(error.details, 'retryable') === false) return false;
  return (
    error.status === 408 || error.status === 429 || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_PROGRESS'
  );
}

/** Whether the request may have been processed although it failed. */
export function mayHaveHappened(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);
}

/** `Retry-After`, in seconds or as a date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Waits, and rejects when the signal is aborted. */
export function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
