import { connect } from 'node:net';
import type { Random } from '../random.ts';

/**
 * When a client loses its connection: after a part of the request, after all of it, or at the first byte of the
 * response.
 */
export const cutPoints = ['after a part', 'after sending', 'at the first byte'] as const;
export type CutPoint = (typeof cutPoints)[number];

/** A missing response on an open connection is an error. */
const maxWaitMs = 30_000;

/** Sends a request over a new connection and destroys it at the given point. Resolves once it is closed. */
export function sendAndCut(port: number, bytes: Buffer, cutPoint: CutPoint, random: Random): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const cut = () => (random.chance(0.5) ? socket.destroy() : socket.resetAndDestroy());
    socket.setNoDelay(true);
    socket.on('close', () => resolve());
    socket.setTimeout(maxWaitMs, () => reject(new Error(`no answer in ${maxWaitMs} ms`)));
    // Refused while an instance is down, or reset by its exit: both are expected.
    socket.on('error', () => {});
    if (cutPoint === 'at the first byte') {
      socket.on('data', cut);
      socket.on('end', cut);
      socket.write(bytes);
    } else {
      const part = cutPoint === 'after a part' ? bytes.subarray(0, random.int(1, bytes.length - 1)) : bytes;
      socket.write(part, () => setTimeout(cut, random.int(0, 3)));
    }
  });
}
