import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The results of one load. Times start when a request was due. */
export interface LoadResult {
  readonly seconds: number;
  readonly due: number;
  readonly sent: number;
  /** Successful responses within the client timeout. */
  readonly good: number;
  readonly late: number;
  readonly refused: number;
  /** Other responses, by status. */
  readonly others: ReadonlyMap<number, number>;
  readonly cut: number;
  /** Refusals without Retry-After. */
  readonly withoutRetryAfter: number;
  readonly connections: number;
  readonly refusalMs: readonly number[];
  readonly goodMs: readonly number[];
}

export interface LoadOptions {
  readonly port: number;
  /** Requests per second, independent of the responses. Infinity sends the next one as soon as a connection is free. */
  readonly rate: number;
  readonly seconds: number;
  readonly maxConnections: number;
  /** The client timeout: a later response counts as useless. */
  readonly clientTimeoutMs: number;
  readonly nextRequest: () => Buffer;
}

const endOfHead = Buffer.from('\r\n\r\n');
const lengthHeader = Buffer.from('content-length: ');
const retryHeader = Buffer.from('retry-after: ');
const zero = 48;

/**
 * One connection of the load. Parses as little of a response as possible, because the load runs on the same machine as
 * the service.
 */
class Lane {
  readonly #socket: Socket;
  readonly #onFree: (lane: Lane) => void;
  readonly #onResponse: (status: number, hasRetryAfter: boolean, ms: number) => void;
  #missing = 0;
  #head: Buffer | null = null;
  #dueAt = 0;
  #status = 0;
  #hasRetryAfter = false;
  isBusy = false;

  constructor(
    port: number,
    on: {
      free(lane: Lane): void;
      response: (status: number, hasRetryAfter: boolean, ms: number) => void;
      gone(lane: Lane): void;
    },
  ) {
    this.#onFree = on.free;
    this.#onResponse = on.response;
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('data', this.#take);
    socket.on('error', () => {});
    socket.on('close', () => on.gone(this));
    this.#socket = socket;
  }

  send(bytes: Buffer, dueAt: number): void {
    this.isBusy = true;
    this.#dueAt = dueAt;
    this.#socket.write(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
    } else {
      const bytes: Buffer = this.#head === null ? chunk : Buffer.concat([this.#head, chunk]);
      const end = bytes.indexOf(endOfHead);
      if (end === -1) {
        this.#head = bytes;
        return;
      }
      this.#head = null;
      this.#status = numberAt(bytes, 9);
      const retryAt = this.#status < 400 ? -1 : bytes.indexOf(retryHeader);
      this.#hasRetryAfter = retryAt !== -1 && retryAt < end;
      const lengthAt = bytes.indexOf(lengthHeader);
      const length = lengthAt === -1 || lengthAt > end ? 0 : numberAt(bytes, lengthAt + lengthHeader.length);
      this.#missing = length - (bytes.length - end - endOfHead.length);
    }
    if (this.#missing > 0) return;
    this.isBusy = false;
    this.#onResponse(this.#status, this.#hasRetryAfter, performance.now() - this.#dueAt);
    this.#onFree(this);
  };
}

function numberAt(bytes: Buffer, start: number): number {
  let value = 0;
  for (let place = start; ; place += 1) {
    const digit = (bytes[place] as number) - zero;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}

/** Sends requests at fixed times without waiting for responses, like many independent callers. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, rate, seconds, maxConnections, clientTimeoutMs, nextRequest } = options;
  const isClosed = rate === Number.POSITIVE_INFINITY;
  const others = new Map<number, number>();
  const refusalMs: number[] = [];
  const goodMs: number[] = [];
  const lanes = new Set<Lane>();
  const free: Lane[] = [];
  const counts = { due: 0, sent: 0, late: 0, refused: 0, cut: 0, withoutRetryAfter: 0 };
  let isOn = true;

  const send = (lane: Lane, dueAt: number): void => {
    counts.sent += 1;
    lane.send(nextRequest(), dueAt);
  };
  const on = {
    free: (lane: Lane) => {
      if (isClosed && isOn) send(lane, performance.now());
      else free.push(lane);
    },
    response: (status: number, hasRetryAfter: boolean, ms: number) => {
      if (status < 400) {
        if (ms <= clientTimeoutMs) goodMs.push(ms);
        else counts.late += 1;
      } else if (status === 503 || status === 429) {
        counts.refused += 1;
        refusalMs.push(ms);
        if (!hasRetryAfter) counts.withoutRetryAfter += 1;
      } else others.set(status, (others.get(status) ?? 0) + 1);
    },
    gone: (lane: Lane) => {
      lanes.delete(lane);
      const place = free.indexOf(lane);
      if (place !== -1) free.splice(place, 1);
      if (lane.isBusy && isOn) counts.cut += 1;
    },
  };
  const open = (): Lane => {
    const lane = new Lane(port, on);
    lanes.add(lane);
    return lane;
  };

  const start = performance.now();
  if (isClosed) for (let place = 0; place < maxConnections; place += 1) send(open(), performance.now());
  for (let now = start; now - start < seconds * 1000; now = performance.now()) {
    const dueByNow = isClosed ? 0 : Math.floor(((now - start) / 1000) * rate);
    for (; counts.due < dueByNow; counts.due += 1) {
      const lane = free.pop() ?? (lanes.size < maxConnections ? open() : undefined);
      if (lane !== undefined) send(lane, start + (counts.due / rate) * 1000);
    }
    await delay(1);
  }
  isOn = false;
  const took = (performance.now() - start) / 1000;
  const good = goodMs.length;
  const connections = lanes.size;
  // Waits for requests in flight, so that the next load starts on an idle service.
  for (let waited = 0; waited < 200 && [...lanes].some((lane) => lane.isBusy); waited += 1) await delay(50);
  for (const lane of lanes) lane.destroy();
  return { seconds: took, ...counts, good, others, connections, refusalMs, goodMs };
}
