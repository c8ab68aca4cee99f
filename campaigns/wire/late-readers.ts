import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseReply, requestBytes } from '../connection.ts';
import type { Target } from './attacks.ts';

/** More than the system buffers per connection, with responses of half a megabyte each. */
const requestsEach = 100;

export interface LateReaders {
  readonly sockets: readonly Socket[];
  /** The peak memory, in MiB. */
  readonly most: number;
}

/** Clients that send requests and do not read the responses yet: the buffers for them must be limited. */
export async function attackWithLateReaders(
  target: Target,
  longPath: string,
  memory: () => number,
): Promise<LateReaders> {
  const { run, port, key } = target;
  let most = memory();
  const sockets = await Promise.all(
    Array.from({ length: run.amount.lateReaders }, async (_, index) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.pause();
      const bytes = requestBytes('GET', longPath, { key });
      for (let count = 0; count < requestsEach; count += 1) {
        // Some clients send one by one, as far as the service reads them; others send all at once.
        if (index % 2 === 0) await delay(3);
        socket.write(bytes);
        if (count % 10 === 0) most = Math.max(most, memory());
      }
      return socket;
    }),
  );
  for (let wait = 0; wait < 10; wait += 1) {
    await delay(50);
    most = Math.max(most, memory());
  }
  return { sockets, most };
}

/** Every response must arrive once they read. */
export async function readLate({ run }: Target, { sockets }: LateReaders): Promise<number> {
  const received = await Promise.all(sockets.map((socket) => readWhole(socket, requestsEach)));
  for (const answers of received)
    if (answers !== requestsEach) run.found(`a client that reads late got ${answers} of ${requestsEach} answers`);
  return received.reduce((sum, answers) => sum + answers, 0);
}

async function readWhole(socket: Socket, wanted: number): Promise<number> {
  let received: Buffer[] = [];
  let length = 0;
  let answers = 0;
  let needed = 0;
  const timer = setTimeout(() => socket.destroy(), 60_000);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    let bytes = Buffer.concat(received);
    for (let parsed = parseReply(bytes); parsed !== null; parsed = bytes.length > 0 ? parseReply(bytes) : null) {
      if (parsed.reply.status === 200) answers += 1;
      bytes = bytes.subarray(parsed.length);
    }
    const announced = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, 2000))?.[1] ?? 0);
    needed = announced;
    received = [bytes];
    length = bytes.length;
    if (answers >= wanted) socket.destroy();
  });
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  clearTimeout(timer);
  return answers;
}
