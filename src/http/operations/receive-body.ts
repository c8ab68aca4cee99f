import type { IncomingMessage } from 'node:http';
import { serviceUnavailable } from '../../core/errors.ts';
import type { ByteBudget } from '../admission/byte-budget.ts';
import { BodyError } from './body.ts';

/**
 * Bodies up to this size do not count against the budget, so that ordinary requests are served no matter how many large
 * ones arrive.
 */
const freeBytes = 64 * 1024;

const noBytes = Buffer.alloc(0);

/**
 * Receives the whole body. `budget` limits the total of all bodies being received; otherwise many clients that send
 * large bodies slowly could exhaust the memory.
 */
export async function receiveBody(request: IncomingMessage, budget: ByteBudget, maxBytes: number): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  // Node has already closed the stream of such a request (optimizeEmptyRequests).
  if (length === undefined && encoding === undefined) return noBytes;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let counted = 0;
    const stop = (): void => {
      request.off('data', onData);
      budget.release(counted);
      counted = 0;
    };
    const refuse = (error: Error): void => {
      stop();
      // Reads and discards the rest, so that a client that reads only after sending everything gets the response.
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > maxBytes) {
        refuse(tooLarge(maxBytes));
        return;
      }
      const more = Math.max(0, received - freeBytes) - counted;
      if (!budget.hasRoomFor(more)) {
        refuse(serviceUnavailable('Too many large requests are being received at once.'));
        return;
      }
      budget.take(more);
      counted += more;
      chunks.push(chunk);
    };
    request.on('data', onData);
    request.once('end', () => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once('error', () => {
      stop();
      reject(new BodyError('the body is incomplete'));
    });
  });
}

function tooLarge(maxBytes: number): BodyError {
  const limit = maxBytes < 1024 * 1024 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1024 / 1024} MiB`;
  return new BodyError(`the body is larger than ${limit}`);
}
