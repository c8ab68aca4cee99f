import { connect } from 'node:net';
import type { Random } from '../random.ts';

/** How a client loses its connection: with a part of the request sent, with all of it, or with the answer before its eyes. */
export const ways = ['after a part', 'after sending', 'at the first byte'] as const;
export type Way = (typeof ways)[number];

/** An answer that does not come at all is no cut. */
const maxWaitMs = 30_000;

/** Sends a request over a connection of its own and ends it in one of the ways; resolves once it is closed. */
export function sendAndCut(port: number, bytes: Buffer, way: Way, random: Random): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const cut = () => (random.chance(0.5) ? socket.destroy() : socket.resetAndDestroy());
    socket.setNoDelay(true);
    socket.on('close', () => resolve());
    socket.setTimeout(maxWaitMs, () => reject(new Error(`no answer in ${maxWaitMs} ms`)));
    // Refused while an instance is away, or reset by its end: to this client it is all the same.
    socket.on('error', () => {});
    if (way === 'at the first byte') {
      socket.on('data', cut);
      socket.on('end', cut);
      socket.write(bytes);
    } else {
      const part = way === 'after a part' ? bytes.subarray(0, random.int(1, bytes.length - 1)) : bytes;
      socket.write(part, () => setTimeout(cut, random.int(0, 3)));
    }
  });
}
