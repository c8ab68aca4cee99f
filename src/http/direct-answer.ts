import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerBody } from './transport.ts';

export interface DirectAnswer {
  readonly status: number;
  /** Names and values in turn: all of our own making, and free of line ends. */
  readonly headers: readonly string[];
  /** What ends the head. */
  readonly lastLines: string;
  readonly body: AnswerBody | null;
}

const deskBytes = 64 * 1024;
const roomForHead = 4096;
/** Leaves room for the lines about length, date and connection. */
const longestHeaders = roomForHead - 256;
const mostBytesOfCharacter = 3;
const longestText = Math.floor((deskBytes - roomForHead) / mostBytesOfCharacter);
/** Where answers are put together. It is free again as soon as the kernel has taken one, which is nearly always at once. */
let desk = Buffer.allocUnsafeSlow(deskBytes);

/** Writes a whole answer to the socket, in one call to the kernel. */
export function writeAnswer(socket: Socket, { status, headers, lastLines, body }: DirectAnswer): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let place = 0; place < headers.length; place += 2) head += `${headers[place]}: ${headers[place + 1]}\r\n`;

  if (typeof body === 'string' && body.length <= longestText && head.length <= longestHeaders) {
    // First the body, whose length the head has to tell, and then the head right before it.
    const length = desk.write(body, roomForHead, 'utf8');
    head += `content-length: ${length}\r\nDate: ${dateText()}\r\n${lastLines}`;
    const start = roomForHead - head.length;
    desk.write(head, start, 'latin1');
    socket.write(desk.subarray(start, roomForHead + length));
    if (socket.writableLength > 0) desk = Buffer.allocUnsafeSlow(deskBytes);
    return;
  }

  const pieces = typeof body === 'string' ? [Buffer.from(body)] : body;
  if (pieces !== null) head += `content-length: ${pieces.reduce((sum, piece) => sum + piece.length, 0)}\r\n`;
  socket.cork();
  socket.write(`${head}Date: ${dateText()}\r\n${lastLines}`, 'latin1');
  for (const piece of pieces ?? []) socket.write(piece);
  socket.uncork();
}

let dateSecond = 0;
let date = '';

/** The time for the header Date, put into words once a second. */
function dateText(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
