import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { SeededRandom } from '../../../../src/voice/simulation/random.ts';

export interface DelayingProxy {
  readonly port: number;
  /** From now on, nothing arrives in either direction for so long; what was sent meanwhile arrives at once. */
  stall(ms: number): void;
  close(): Promise<void>;
}

const maxDelayMs = 200;

/** A slow network: delays what is sent by up to 200 ms in each direction, in order. */
export async function startDelayingProxy(targetPort: number, seed: number): Promise<DelayingProxy> {
  const random = new SeededRandom(seed);
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let stalledUntil = 0;

  const forward = (from: Socket, to: Socket): void => {
    const waiting: { readonly at: number; readonly act: () => void }[] = [];
    // One timer for all: two of them may fire in another order than they were set in.
    const next = (): void => {
      const first = waiting[0];
      if (first === undefined) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        const now = performance.now();
        while (waiting[0] !== undefined && waiting[0].at <= now) waiting.shift()?.act();
        next();
      }, first.at - performance.now());
      timers.add(timer);
    };
    const later = (act: () => void): void => {
      const at = performance.now() + random.next() * maxDelayMs;
      waiting.push({ at: Math.max(waiting.at(-1)?.at ?? 0, stalledUntil, at), act });
      if (waiting.length === 1) next();
    };
    from.on('data', (chunk) => later(() => void to.write(chunk)));
    from.on('close', () => later(() => to.destroy()));
    from.on('error', () => {});
    sockets.add(from);
  };

  const server = createServer((client) => {
    const service = connect(targetPort, '127.0.0.1');
    forward(client, service);
    forward(service, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stall: (ms) => {
      stalledUntil = performance.now() + ms;
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
