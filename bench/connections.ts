/**
 * Opens connections, sends one request on each, and keeps all of them open until it is stopped. A separate process,
 * because each connection also takes a file descriptor on this side.
 */
import { connect } from 'node:net';
import { type RequestPlan, requestsOf } from './requests.ts';

export interface ConnectionsOrder {
  readonly port: number;
  readonly connections: number;
  readonly plan: RequestPlan;
}

/** Few enough that the service does not refuse requests as overload. */
const batchSize = 100;

async function openAll({ port, connections, plan }: ConnectionsOrder): Promise<void> {
  const source = requestsOf(plan);
  for (let first = 0; first < connections; first += batchSize) {
    const count = Math.min(batchSize, connections - first);
    await Promise.all(Array.from({ length: count }, (_, index) => open(port, source.forConnection(first + index))));
  }
}

/** Resolves when the response is complete. If the server closes a connection, then or later, this process exits. */
function open(port: number, request: (head: undefined) => Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let response = '';
    socket.on('connect', () => socket.write(request(undefined)));
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString('latin1');
      if (!isComplete(response)) return;
      if (!response.startsWith('HTTP/1.1 200 ')) fail(response.slice(0, 2000));
      resolve();
    });
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('the server closed a connection'));
  });
}

function isComplete(response: string): boolean {
  const headEnd = response.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(response.slice(0, headEnd + 2))?.[1];
  return headEnd !== -1 && response.length === headEnd + 4 + Number(length);
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

process.on('disconnect', () => process.exit());
process.on('message', (order: ConnectionsOrder) => {
  openAll(order).then(
    () => process.send?.('open'),
    (error: Error) => fail(error.message),
  );
});
