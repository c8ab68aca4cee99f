/**
 * The load generator, in a separate process: bare keep-alive sockets, each sending its next request when the previous
 * response is complete. It parses only what it needs to verify a response: the status and the length.
 */
import { connect, type Socket } from 'node:net';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { cpuMsOf, cpuMsUntilIdle } from './processes.ts';
import { type NextRequest, type RequestPlan, type RequestSource, requestsOf } from './requests.ts';

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  /** Responses during this time are not counted. */
  readonly warmupMs: number;
  readonly durationMs: number;
  /**
   * Continues beyond the duration, up to ten times as long, until this many responses have arrived. For slow requests.
   */
  readonly minRequests: number;
  /** The server processes whose processor time is measured. */
  readonly pids: readonly number[];
  /** Also counts the processor time that the server uses afterwards, until it is idle. */
  readonly isUntilIdle: boolean;
  readonly plan: RequestPlan;
  /** All connections together send no faster than this. */
  readonly maxRequestsPerSecond?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Processor time of the server per request, in microseconds. */
  readonly cpuUsPerRequest: number;
  readonly meanBodyBytes: number;
  /** How busy the server was; 1 is a whole core. */
  readonly serverLoad: number;
  /** How busy the generator was: near 1 it is the bottleneck. */
  readonly generatorLoad: number;
}

export type LoadReply = { result: LoadResult } | { error: string };

const maxFactor = 10;
/**
 * A busy server accepts new connections one by one between responses, and the last ones would wait longer than the
 * warm-up. So all are opened before the first request is sent.
 */
const acceptanceMs = 30;
const maxIdleWaitMs = 60_000;
const maxLastAnswerMs = 10_000;

/** Runs one measurement. Throws on anything but a complete 2xx response. */
export async function runLoad(order: LoadOrder, source: RequestSource): Promise<LoadResult> {
  const tally = new Tally();
  const connections: Connection[] = [];
  const pacer = order.maxRequestsPerSecond === undefined ? null : new Pacer(order.maxRequestsPerSecond);
  let isOver = false;
  let result: LoadResult;
  try {
    result = await new Promise<LoadResult>((resolve, reject) => {
      const finish = () => {
        if (isOver) return;
        isOver = true;
        try {
          resolve(tally.end(order.pids));
        } catch (error) {
          reject(error);
        }
      };
      const begin = () => {
        if (isOver) return;
        tally.begin(order.pids);
        setTimeout(() => {
          if (tally.requests >= order.minRequests) finish();
          else tally.onEnough(order.minRequests, finish);
        }, order.durationMs);
        setTimeout(finish, order.durationMs * maxFactor);
      };
      let connected = 0;
      const onConnect = () => {
        connected += 1;
        if (connected < order.connections) return;
        setTimeout(() => {
          for (const connection of connections) connection.start();
          setTimeout(begin, order.warmupMs);
        }, acceptanceMs);
      };
      for (let number = 0; number < order.connections; number += 1) {
        connections.push(new Connection(order.port, source, number, { tally, pacer, fail: reject, onConnect }));
      }
    });
  } finally {
    isOver = true;
    pacer?.end();
    // Otherwise requests in flight would count against the next measurement.
    await Promise.all(connections.map((connection) => connection.finish()));
  }
  if (!order.isUntilIdle) return result;
  const laterCpuUs = (await cpuMsUntilIdle(order.pids, maxIdleWaitMs)) * 1000;
  return { ...result, cpuUsPerRequest: result.cpuUsPerRequest + laterCpuUs / result.requests };
}

/** Totals over all connections. */
class Tally {
  requests = 0;
  private bodyBytes = 0;
  private readonly histogram: RecordableHistogram = createHistogram({
    lowest: 1,
    highest: 120_000_000_000,
    figures: 3,
  });
  private beginMs = 0;
  private serverCpuMs = 0;
  private ownCpu = process.cpuUsage();
  private enough = Number.POSITIVE_INFINITY;
  private enoughReached: () => void = () => {};

  record(durationMs: number, bodyBytes: number): void {
    this.requests += 1;
    this.bodyBytes += bodyBytes;
    this.histogram.record(Math.max(1, Math.round(durationMs * 1e6)));
    if (this.requests >= this.enough) this.enoughReached();
  }

  onEnough(requests: number, reached: () => void): void {
    this.enough = requests;
    this.enoughReached = reached;
  }

  begin(pids: readonly number[]): void {
    this.requests = 0;
    this.bodyBytes = 0;
    this.histogram.reset();
    this.ownCpu = process.cpuUsage();
    this.serverCpuMs = cpuMsOf(pids);
    this.beginMs = performance.now();
  }

  end(pids: readonly number[]): LoadResult {
    const elapsedMs = performance.now() - this.beginMs;
    const serverCpuMs = cpuMsOf(pids) - this.serverCpuMs;
    const own = process.cpuUsage(this.ownCpu);
    const { requests, histogram } = this;
    if (requests === 0) throw new Error('not one answer in the time given');
    return {
      requests,
      requestsPerSecond: (requests * 1000) / elapsedMs,
      medianMs: histogram.percentile(50) / 1e6,
      p99Ms: histogram.percentile(99) / 1e6,
      cpuUsPerRequest: (serverCpuMs * 1000) / requests,
      meanBodyBytes: this.bodyBytes / requests,
      serverLoad: serverCpuMs / elapsedMs,
      generatorLoad: (own.user + own.system) / 1000 / elapsedMs,
    };
  }
}

/** Sends requests at an even rate. Catches up on at most a second of delay caused by a slow server. */
class Pacer {
  private readonly waiting: (() => void)[] = [];
  private readonly timer: NodeJS.Timeout;
  private allowed = 0;
  private lastMs = performance.now();

  constructor(requestsPerSecond: number) {
    this.timer = setInterval(() => {
      const now = performance.now();
      this.allowed = Math.min(this.allowed + ((now - this.lastMs) * requestsPerSecond) / 1000, requestsPerSecond);
      this.lastMs = now;
      while (this.allowed >= 1 && this.waiting.length > 0) {
        this.allowed -= 1;
        this.waiting.shift()?.();
      }
    }, 1);
  }

  whenAllowed(send: () => void): void {
    this.waiting.push(send);
  }

  end(): void {
    clearInterval(this.timer);
  }
}

const readBytes = 64 * 1024;
const largestHead = 16 * 1024;

class Connection {
  private readonly socket: Socket;
  private readonly next: NextRequest;
  private readonly wantsHeads: boolean;
  private readonly tally: Tally;
  private readonly pacer: Pacer | null;
  private readonly fail: (error: Error) => void;
  private sentMs = 0;
  /** The start of a response with incomplete headers. */
  private pending: Buffer | null = null;
  /** The remaining bytes of the body; null between responses. */
  private missing: number | null = null;
  private bodyBytes = 0;
  private head: string | undefined;
  private isAwaiting = false;
  private isClosed = false;
  private finished: (() => void) | undefined;

  constructor(
    port: number,
    { forConnection, wantsHeads }: RequestSource,
    number: number,
    parts: { tally: Tally; pacer: Pacer | null; fail: (error: Error) => void; onConnect: () => void },
  ) {
    this.next = forConnection(number);
    this.wantsHeads = wantsHeads;
    this.tally = parts.tally;
    this.pacer = parts.pacer;
    this.fail = parts.fail;
    this.socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for all input: nothing is kept except incomplete headers.
      onread: {
        buffer: Buffer.allocUnsafe(readBytes),
        callback: (length, buffer) => this.guarded(() => this.read(buffer as Buffer, length)),
      },
    });
    this.socket.on('connect', parts.onConnect);
    this.socket.on('error', (error) => this.broken(error));
    this.socket.on('close', () => this.broken(new Error('the server closed the connection')));
  }

  start(): void {
    this.guarded(() => this.send());
  }

  /** Waits for the current response, then closes. */
  async finish(): Promise<void> {
    if (this.isAwaiting) {
      await new Promise<void>((resolve) => {
        this.finished = resolve;
        setTimeout(resolve, maxLastAnswerMs).unref();
      });
    }
    this.isClosed = true;
    this.socket.destroy();
  }

  private broken(error: Error): void {
    this.isAwaiting = false;
    if (this.isClosed) return;
    this.fail(error);
    this.finished?.();
  }

  private guarded(work: () => void): boolean {
    try {
      work();
    } catch (error) {
      this.broken(error as Error);
    }
    return true;
  }

  private send(): void {
    this.isAwaiting = true;
    const request = this.next(this.head);
    this.sentMs = performance.now();
    this.socket.write(request);
  }

  private read(buffer: Buffer, length: number): void {
    if (this.isClosed) return;
    if (this.missing !== null) {
      this.take(length);
      return;
    }
    const chunk = buffer.subarray(0, length);
    const bytes = this.pending === null ? chunk : Buffer.concat([this.pending, chunk]);
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd === -1) {
      if (bytes.length > largestHead) throw new Error('an answer without an end of its head');
      this.pending = Buffer.from(bytes);
      return;
    }
    this.pending = null;
    const head = bytes.toString('latin1', 0, headEnd + 2);
    if (!head.startsWith('HTTP/1.1 2')) throw new Error(`refused: ${bytes.toString('utf8', 0, 2000)}`);
    const contentLength = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    if (contentLength === undefined) throw new Error(`an answer without a length: ${head}`);
    this.bodyBytes = Number(contentLength);
    this.missing = this.bodyBytes;
    if (this.wantsHeads) this.head = head;
    this.take(bytes.length - headEnd - 4);
  }

  private take(length: number): void {
    const missing = (this.missing as number) - length;
    if (missing < 0) throw new Error('more came than the length of the answer');
    this.missing = missing;
    if (missing > 0) return;
    this.missing = null;
    this.isAwaiting = false;
    this.tally.record(performance.now() - this.sentMs, this.bodyBytes);
    if (this.finished !== undefined) this.finished();
    else if (this.pacer === null) this.send();
    else this.pacer.whenAllowed(() => this.guarded(() => this.send()));
  }
}

if (process.send !== undefined) {
  process.on('disconnect', () => process.exit());
  process.on('message', (order: LoadOrder) => {
    runLoad(order, requestsOf(order.plan)).then(
      (result) => process.send?.({ result } satisfies LoadReply),
      (error: Error) => process.send?.({ error: error.message } satisfies LoadReply),
    );
  });
}
