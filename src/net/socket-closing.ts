import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Closes a socket whose peer has violated the protocol or a limit: nothing more is read from it. */
export type RejectPeer = (code: number, reason?: string) => void;

/** For the close frame to arrive. The connection is cut then, whether the peer has closed its side or not. */
const rejectMs = 500;
/** How long a peer that has violated nothing may take to close its side. */
const closeMs = 2000;
/** What such a peer may still have sent when it learns that the socket is closed: 10 seconds of audio. */
const maxBytesAfterClose = 1024 * 1024;
/** Pongs that a peer has not read; further pings are not answered. */
const maxUnsentBytes = 1024 * 1024;

/**
 * Options of `ws` for every socket: otherwise it waits 30 seconds for the peer to close, and answers pings even after
 * the close, with an Error for each.
 */
export const socketLimits = { closeTimeout: closeMs, autoPong: false } as const;

/**
 * Answers pings while the socket is open, and limits what is read from the peer after either side has closed it.
 * `connection` is the one under the socket, which must be open.
 */
export function limitPeer(socket: WebSocket, connection: Duplex): RejectPeer {
  let bytesLeft = maxBytesAfterClose;
  let isRejected = false;
  const stopReading = (): void => {
    if (isRejected) return;
    isRejected = true;
    connection.pause();
    // `ws` resumes it after an invalid frame, and after a close frame in the chunk that is being parsed.
    connection.on('resume', () => connection.pause());
    connection.end();
    const timer = setTimeout(() => {
      // `ws` would parse what is buffered when the connection is closed.
      connection.read();
      connection.destroy();
    }, rejectMs);
    connection.once('close', () => clearTimeout(timer));
  };

  connection.on('data', (chunk: Buffer) => {
    if (socket.readyState === socket.OPEN) return;
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) connection.destroy();
  });
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= maxUnsentBytes) socket.pong(data);
  });
  // After an invalid frame, `ws` has sent the close frame by itself. Without a listener the process would exit.
  socket.on('error', stopReading);
  return (code, reason) => {
    socket.close(code, reason);
    stopReading();
  };
}
