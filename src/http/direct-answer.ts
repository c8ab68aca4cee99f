import type { Socket } from 'node:net';
import { bufferOf } from '../pieces.ts';
import { STATUS_CODES } from './node-http.ts';
import type { AnswerBody } from './transport.ts';

export interface DirectAnswer {
  readonly status: number;
  /** Names and values in turn: all of our own making, and free of line ends. */
  readonly headers: readonly string[];
  /** What ends the head. */
  readonly lastLines: string;
  readonly body: AnswerBody | null;
}

const deskBytes = 512 * 1024;
const roomForHead = 4096;
/** Leaves room for the lines about length, date and connection. */
const longestHeaders = roomForHead - 256;
const mostBytesOfCharacter = 3;
const roomForBody = deskBytes - roomForHead;
const longestText = Math.floor(roomForBody / mostBytesOfCharacter);
/** Where answers are put together. It is free again as soon as the kernel has taken one, which is nearly always at once. */
let desk = Buffer.allocUnsafeSlow(deskBytes);

/** Writes a whole answer to the socket, in one call to the kernel. */
export function writeAnswer(socket: Socket, { status, headers, lastLines, body }: DirectAnswer): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let place = 0; place < headers.length; place += 2) head += `${headers[place]}: ${headers[place + 1]}\r\n`;

  const lengthOnDesk = head.length <= longestHeaders ? putOnDesk(body) : -1;
  if (lengthOnDesk >= 0) {
    // First the body, whose length the head has to tell, and then the head right before it.
    if (body !== null) head += `content-length: ${lengthOnDesk}\r\n`;
    head += `Date: ${dateText()}\r\n${lastLines}`;
    const start = roomForHead - head.length;
    desk.write(head, start, 'latin1');
    socket.write(desk.subarray(start, roomForHead + lengthOnDesk));
    if (socket.writableLength > 0) desk = Buffer.allocUnsafeSlow(deskBytes);
    return;
  }

  const bytes = typeof body === 'string' ? Buffer.from(body) : bufferOf(body ?? []);
  if (body !== null) head += `content-length: ${bytes.length}\r\n`;
  socket.cork();
  socket.write(`${head}Date: ${dateText()}\r\n${lastLines}`, 'latin1');
  socket.write(bytes);
  socket.uncork();
}

/** The number of bytes; below zero where there is no room. */
function putOnDesk(body: AnswerBody | null): number {
  if (body === null) return 0;
  if (typeof body === 'string') return body.length <= longestText ? desk.write(body, roomForHead, 'utf8') : -1;
  let length = 0;
  for (const piece of body) length += piece.length;
  if (length > roomForBody) return -1;
  let place = roomForHead;
  for (const piece of body) {
    piece.copy(desk, place);
    place += piece.length;
  }
  return length;
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
