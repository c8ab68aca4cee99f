import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly body: string;
}

/**
 * Sends raw bytes, possibly in chunks, and reads until the other side closes or the given number of responses has
 * arrived.
 */
export async function sendRaw(
  port: number,
  bytes: string | Buffer | readonly string[],
  { answers = Number.POSITIVE_INFINITY } = {},
): Promise<RawAnswer[]> {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const sendAll = async (): Promise<void> => {
      for (const [index, piece] of (Array.isArray(bytes) ? bytes : [bytes]).entries()) {
        if (index > 0) await nextTurn();
        socket.write(piece);
      }
    };
    const socket = connect(port, '127.0.0.1', () => void sendAll()).setNoDelay();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (parseAnswers(Buffer.concat(chunks)).length >= answers) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
  return parseAnswers(received);
}

export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Map(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers.get('content-length') ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) break;
    answers.push({ status: Number(line.split(' ')[1]), headers, body: body.toString() });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}
