/** Requests that were not answered as their caller wanted, and what came of them. */
export interface Refusal {
  readonly atMs: number;
  /** 0 if the connection was lost. */
  readonly status: number;
  readonly code: string;
}

/** A `fetch` for a client of the SDK that sees what the client retries. */
export class Refusals {
  readonly all: Refusal[] = [];
  /** The keys of all requests that were refused, and may have been repeated. */
  readonly keys = new Set<string>();
  /** What no client should retry. */
  readonly final: string[] = [];

  readonly fetch: typeof fetch = async (url, options) => {
    const response = await fetch(url, options).catch((error: Error) => {
      this.#note(options, 0, error.name);
      throw error;
    });
    if (response.ok) return response;
    const { status, headers } = response;
    const body = (await response
      .clone()
      .json()
      .catch(() => null)) as { error?: { code?: string } } | null;
    const code = body?.error?.code ?? 'without a code';
    this.#note(options, status, code);
    if (status === 503 && headers.get('retry-after') === null) this.final.push(`503 ${code} without Retry-After`);
    return response;
  };

  /** How often each was seen. */
  counts(): Readonly<Record<string, number>> {
    const kinds = Map.groupBy(this.all, ({ status, code }) => `${status} ${code}`);
    return Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]));
  }

  #note(options: RequestInit | undefined, status: number, code: string): void {
    const key = new Headers(options?.headers).get('idempotency-key');
    if (key !== null) this.keys.add(key);
    this.all.push({ atMs: performance.now(), status, code });
  }
}
