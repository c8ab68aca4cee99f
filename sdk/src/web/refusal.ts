import { WebCallError } from './errors.ts';

/** A socket that was closed before it was ready. */
export class CloseError extends Error {
  readonly code: number;
  /** False if the service refused it with an HTTP response, which a page cannot see. */
  readonly hasOpened: boolean;

  constructor(code: number, hasOpened: boolean) {
    super(`closed with ${code}`);
    this.code = code;
    this.hasOpened = hasOpened;
  }
}

/**
 * A page cannot see why a WebSocket was refused. The token may also read the events of its call, and what the service
 * responds to that is usually the same.
 */
export async function refusal(liveUrl: string, token: string, close: CloseError): Promise<WebCallError> {
  const error = close.hasOpened ? null : await readError(liveUrl, token);
  const message = error?.message ?? 'The service did not accept the connection.';
  const detail = error?.code ?? (close.code === 1006 ? null : String(close.code));
  return new WebCallError('connection_refused', message, { status: error?.status ?? null, detail });
}

interface HttpError {
  readonly status: number;
  readonly code: string | null;
  readonly message: string | undefined;
}

async function readError(liveUrl: string, token: string): Promise<HttpError | null> {
  const url = liveUrl.replace(/^ws/, 'http').replace(/\/live\/v1\/(calls\/[^/?]+).*$/, '/api/v1/$1/events?limit=1');
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers, credentials: 'omit', signal: AbortSignal.timeout(5_000) });
    if (response.ok) return null;
    const body = await response.json().catch(() => null);
    return { status: response.status, code: body?.error?.code ?? null, message: body?.error?.message };
  } catch {
    // The service cannot be reached at all, or the policy of the page does not allow the request.
    return null;
  }
}
