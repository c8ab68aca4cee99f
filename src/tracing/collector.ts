import type { Agent, IncomingMessage } from 'node:http';
import { readFirstBytes } from '../core/first-bytes.ts';

export interface CollectorOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For a whole request. */
  readonly timeoutMs: number;
}

/** What the collector said to a batch. `reason`: in words for the log, without anything that it or a header contains. */
export type Delivery =
  /** `rejected`: how many spans it has not kept. */
  | { readonly kind: 'accepted'; readonly rejected: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number };

export interface Collector {
  send(body: Buffer, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** A collector has nothing to say that is longer. */
const maxResponseBytes = 64 * 1024;
/** As OTLP names them. Whatever else is not a success would be refused again. */
const retriedStatuses: readonly number[] = [429, 502, 503, 504];

/** Sends batches to a collector over HTTP, one connection at a time. Rejects never. */
export async function connectCollector({ url, headers, timeoutMs }: CollectorOptions): Promise<Collector> {
  const isSecure = url.startsWith('https:');
  const { request, Agent: HttpAgent } = isSecure ? await import('node:https') : await import('node:http');
  const agent: Agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });

  const send = (body: Buffer, signal: AbortSignal): Promise<Delivery> =>
    new Promise((resolve) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const failed = (reason: string): void => resolve({ kind: 'failed', reason, retryAfterMs: 0 });
      const sending = request(
        url,
        {
          agent,
          method: 'POST',
          signal: limit,
          headers: { ...headers, 'content-type': 'application/x-protobuf', 'content-length': body.length },
        },
        (response) => {
          readFirstBytes(response, maxResponseBytes).then(
            (answer) => resolve(deliveryOf(response, answer)),
            () => failed(limit.aborted ? 'timeout' : 'the response was cut off'),
          );
        },
      );
      sending.on('error', (error: NodeJS.ErrnoException) =>
        failed(limit.aborted ? 'timeout' : (error.code ?? 'error')),
      );
      sending.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function deliveryOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): Delivery {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'accepted', rejected: rejectedIn(body) };
  const reason = `HTTP ${statusCode}`;
  if (!retriedStatuses.includes(statusCode)) return { kind: 'refused', reason };
  const seconds = /^\d{1,6}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : 0;
  return { kind: 'failed', reason, retryAfterMs: seconds * 1000 };
}

/** `partial_success.rejected_spans` of the response: field 1 of field 1. Whatever else it is says nothing. */
function rejectedIn(body: Buffer): number {
  if (body.length < 4 || body[0] !== 0x0a || body[2] !== 0x08) return 0;
  let value = 0;
  for (let at = 3; at < Math.min(body.length, 10); at += 1) {
    const byte = body[at] as number;
    value += (byte % 128) * 128 ** (at - 3);
    if (byte < 128) return value;
  }
  return 0;
}
