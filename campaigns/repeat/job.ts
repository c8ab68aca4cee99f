import { type Reply, type RequestOptions, requestBytes } from '../connection.ts';

export interface JobParts {
  readonly number: number;
  readonly routeId: string;
  readonly path: string;
  readonly body?: unknown;
  readonly key: string;
  readonly status: number;
  /** The source resource, if it differs from the created one. */
  readonly sourceId?: string;
}

/** One POST with its Idempotency-Key, and all responses to it. */
export class Job {
  readonly parts: JobParts;
  readonly repeatKey: string;
  readonly #found: (what: string) => void;
  #sends = 0;
  #answer: { readonly body: string; readonly etag: string | undefined; readonly id: string } | null = null;
  #fresh = 0;
  #isRefused = false;

  constructor(parts: JobParts, seed: number, found: (what: string) => void) {
    this.parts = parts;
    this.repeatKey = `job-${seed}-${parts.number}`;
    this.#found = found;
  }

  get sends(): number {
    return this.#sends;
  }

  /** The job has its final response or was refused for good, which is reported. */
  get isSettled(): boolean {
    return this.#answer !== null || this.#isRefused;
  }

  get answer(): { readonly id: string } | null {
    return this.#answer;
  }

  /** The next attempt. Each has its own request id, by which the audit log shows which one took effect. */
  nextBytes(): Buffer {
    this.#sends += 1;
    return requestBytes('POST', this.parts.path, this.#options(`job.${this.parts.number}.${this.#sends}`));
  }

  /** The same Idempotency-Key with a different request: another body, or another operation if there is no body. */
  otherBytes(): Buffer {
    const { number, path, body } = this.parts;
    const options = this.#options(`other.${number}`);
    const other = { ...(body as object | undefined), name: 'nobody asked for this', voiceId: 'v', graceSeconds: 77 };
    const changed = { ...other, versionDescription: 'nobody asked for this' };
    return requestBytes('POST', body === undefined ? '/api/v1/agents' : path, { ...options, body: changed });
  }

  /**
   * Handles a response and returns what to do next. `isRepeat`: a response had been received before this request was
   * sent.
   */
  take(reply: Reply, isRepeat: boolean): 'settled' | 'in progress' | 'unavailable' {
    const { routeId, status } = this.parts;
    const body = reply.body.toString();
    if (reply.status !== status) {
      const code = /"code":"(\w+)"/.exec(body)?.[1];
      if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'in progress';
      if (code === 'SERVICE_UNAVAILABLE') return 'unavailable';
      this.#found(`${routeId} was answered with ${reply.status} ${code}`);
      this.#isRefused = true;
      return 'settled';
    }
    const etag = reply.headers.get('etag');
    const isFresh = reply.headers.get('idempotent-replayed') !== 'true';
    if (isFresh) this.#fresh += 1;
    if (this.#fresh > 1) this.#found(`${routeId}: two answers under one key say that it was done just now`);
    if (isFresh && isRepeat) this.#found(`${routeId}: a replayed response has no Idempotent-Replayed header`);
    const id = /^\{"id":"(\w+)"/.exec(body)?.[1];
    if (id === undefined) this.#found(`${routeId}: an answer without an id`);
    if (this.#answer === null) this.#answer = { body, etag, id: id ?? '' };
    else if (this.#answer.body !== body || this.#answer.etag !== etag)
      this.#found(`${routeId}: two answers under one key differ`);
    return 'settled';
  }

  #options(requestId: string): RequestOptions {
    const { key, body } = this.parts;
    const headers = { 'idempotency-key': this.repeatKey, 'x-request-id': requestId };
    return { key, headers, ...(body === undefined ? {} : { body }) };
  }
}
