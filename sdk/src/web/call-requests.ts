import { WebCallError, type WebCallErrorCode } from './errors.ts';

const timeoutMs = 5_000;
const pageSize = 100;

interface HttpError {
  readonly status: number;
  readonly code: string | null;
  readonly message: string | undefined;
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string };
}

interface Events {
  readonly items: readonly { readonly type: string; readonly data: { readonly endReason?: string | null } }[];
  readonly pagination: { readonly nextCursor: string | null };
}

/**
 * A page cannot see why a WebSocket was refused. The token may also read the events of its call, and what the service
 * responds to that is usually the same.
 */
export class CallRequests {
  readonly #url: string;
  readonly #token: string;
  /** Where the events go on that were not read yet. */
  #cursor: string | null = null;

  constructor(liveUrl: string, token: string) {
    this.#url = liveUrl.replace(/^ws/, 'http').replace(/\/live\/v1\/(calls\/[^/?]+).*$/, '/api/v1/$1');
    this.#token = token;
  }

  /** Why the token cannot be used to join; null if it can, or if the service cannot be reached. */
  async refusal(): Promise<HttpError | null> {
    const response = await this.#send('/events?limit=1');
    if (response === null) return null;
    if (!response.ok) return errorOf(response);
    const end = await this.end();
    if (typeof end !== 'string') return null;
    return { status: 409, code: end, message: `The call is over: ${end}.` };
  }

  /** Why the call is over; an error if the token is not accepted any more; null if it may still be resumed. */
  async end(): Promise<string | WebCallError | null> {
    for (;;) {
      const cursor = this.#cursor === null ? '' : `&cursor=${encodeURIComponent(this.#cursor)}`;
      const response = await this.#send(`/events?limit=${pageSize}${cursor}`);
      if (response?.status === 401 || response?.status === 404)
        return refused('connection_lost', await errorOf(response));
      const page = response?.ok ? ((await response.json().catch(() => null)) as Events | null) : null;
      if (page === null) return null;
      const reason = page.items.find(({ type, data }) => type === 'state_changed' && data.endReason)?.data.endReason;
      if (reason) return reason;
      const { nextCursor } = page.pagination;
      if (nextCursor === null) return null;
      this.#cursor = nextCursor;
      if (page.items.length === 0) return null;
    }
  }

  /** Hangs up without a connection. If the service cannot be reached, it does so itself after a while. */
  hangUp(): void {
    void this.#send('/end', { method: 'POST', keepalive: true });
  }

  async #send(path: string, options: RequestInit = {}): Promise<Response | null> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await fetch(`${this.#url}${path}`, { ...options, headers, credentials: 'omit', signal });
    } catch {
      // The service cannot be reached at all, or the policy of the page does not allow the request.
      return null;
    }
  }
}

/** `error` is null if the service has not said why. */
export function refused(code: WebCallErrorCode, error: HttpError | null, closeCode = 1006): WebCallError {
  const message = error?.message ?? 'The service did not accept the connection.';
  const detail = error?.code ?? (closeCode === 1006 ? null : String(closeCode));
  return new WebCallError(code, message, { status: error?.status ?? null, detail });
}

async function errorOf(response: Response): Promise<HttpError> {
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  return { status: response.status, code: body?.error?.code ?? null, message: body?.error?.message };
}
