import { ApiError, ConnectionError } from './errors.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 8000;
/** Who is asked to wait for longer learns of it, instead of hanging. */
const maxRetryAfterMs = 60_000;

/** How long to wait before the next try; null where there is none to make. `random` is from 0 to 1. */
export function retryDelay(error: unknown, retriesMade: number, random: number): number | null {
  if (!mayHelp(error)) return null;
  // Half of it by chance, so that clients that failed together do not come back together.
  const backoffMs = Math.min(firstBackoffMs * 2 ** retriesMade, maxBackoffMs) * (0.5 + random / 2);
  const askedMs = error instanceof ApiError ? error.retryAfterMs : null;
  if (askedMs === null) return backoffMs;
  return askedMs > maxRetryAfterMs ? null : Math.max(askedMs * (1 + random / 10), backoffMs);
}

/** Whether the same request may fare better: every one that this client sends may be repeated. */
function mayHelp(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  return error.status === 429 || error.status >= 500 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
}

/** Whether the request may have been carried out although it failed. */
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

/** Waits, unless the signal comes first. */
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
