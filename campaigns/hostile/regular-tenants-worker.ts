import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../connection.ts';
import type { RegularOptions, RegularTimes } from './regular-tenants.ts';

const { port, keys, pauseMs } = workerData as RegularOptions;
const turnsPerCall = 12;
const flow = {
  skills: [
    {
      id: 'topic',
      type: 'choose',
      text: 'Would you like our hours or our address?',
      routes: [
        { when: ['hours', 'open'], next: 'hours' },
        { when: ['address', 'where'], next: 'place' },
      ],
      otherwise: 'topic_again',
    },
    { id: 'hours', type: 'say', text: 'We are open from nine to five.', next: 'topic' },
    { id: 'place', type: 'say', text: 'We are at 12 Quay Street.', next: 'topic' },
    { id: 'topic_again', type: 'say', text: 'Sorry.', next: 'topic' },
  ],
};

let times: RegularTimes = { requests: [], turns: [], deliveries: [], failures: [] };
/** When each call was ended. */
const endedAt = new Map<string, number>();

const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    response.writeHead(204).end();
    const id: string = JSON.parse(Buffer.concat(parts).toString()).data.call.id;
    const at = endedAt.get(id);
    if (at !== undefined) times.deliveries.push(performance.now() - at);
    endedAt.delete(id);
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

parentPort?.on('message', () => {
  parentPort?.postMessage(times);
  times = { requests: [], turns: [], deliveries: [], failures: [] };
});

class Tenant {
  readonly #key: string;
  readonly #connection = new Connection(port);

  constructor(key: string) {
    this.#key = key;
  }

  async run(): Promise<never> {
    const { id: agentId } = await this.#send('POST', '/api/v1/agents', 201, {
      name: 'Regular',
      voiceId: 'slt',
      language: 'en-US',
      agentSettings: { flow },
    });
    await this.#send('POST', '/api/v1/webhooks', 201, { url: receiverUrl, events: ['call_ended'] });
    for (;;) {
      const call = await this.#send('POST', '/api/v1/calls', 201, { type: 'chat', agentId, agentVersion: 'latest' });
      for (let turn = 0; turn < turnsPerCall; turn += 1) {
        const text = turn % 2 === 0 ? 'When are you open?' : 'Where are you?';
        await this.#send('POST', `/api/v1/calls/${call.id}/messages`, 200, { text });
        await this.#send('GET', `/api/v1/agents/${agentId}`, 200);
        await this.#send('GET', '/api/v1/calls?limit=10', 200);
        await this.#send('PATCH', `/api/v1/agents/${agentId}`, 200, { voiceSpeed: 1 + (turn % 5) / 10 });
      }
      endedAt.set(call.id, performance.now());
      await this.#send('POST', `/api/v1/calls/${call.id}/end`, 200, {});
    }
  }

  async #send(method: string, path: string, expected: number, body?: object): Promise<{ id: string }> {
    await delay(pauseMs);
    const start = performance.now();
    const { status, body: bytes } = await this.#connection.request(method, path, { key: this.#key, body });
    const isTurn = path.endsWith('/messages');
    if (status === expected) (isTurn ? times.turns : times.requests).push(performance.now() - start);
    else times.failures.push(`${method} ${path.replace(/\w+_\w{30}/g, '…')} is answered ${status}`);
    return JSON.parse(bytes.toString());
  }
}

for (const key of keys) {
  new Tenant(key).run().catch((error: Error) => times.failures.push(`no answer: ${error.message}`));
}
parentPort?.postMessage('started');
