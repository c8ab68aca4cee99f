import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { connectCollector } from '../../src/tracing/collector.ts';
import { SpanQueue } from '../../src/tracing/span-queue.ts';
import { VirtualClock } from '../../src/voice/clock.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { httpReceiver, rawReceiver } from '../support/receiver.ts';

interface Seen {
  readonly request: IncomingMessage;
  readonly body: string;
}

type Answer = (response: ServerResponse, place: number) => void;

const ok: Answer = (response) => void response.end();
const status =
  (code: number, headers = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end('an answer');

/** A queue, and a collector that answers like this. */
async function queueTo(answer: Answer, { timeoutMs = 60_000, headers = {} } = {}) {
  const seen: Seen[] = [];
  const { port } = await httpReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({ request, body: Buffer.concat(chunks).toString() });
    answer(response, seen.length);
  });
  return { seen, ...(await queueAt(`http://127.0.0.1:${port}/v1/traces`, { timeoutMs, headers })) };
}

async function queueAt(url: string, { timeoutMs = 60_000, headers = {} } = {}) {
  const clock = new VirtualClock();
  const log: [string, object, string][] = [];
  const queue = new SpanQueue({
    collector: await connectCollector({ url, headers, timeoutMs }),
    clock,
    batch: (spans) => Buffer.concat(spans),
    log: (...line) => void log.push(line),
  });
  const figures = () =>
    Object.fromEntries(
      queue.metrics.flatMap(({ name, values }) =>
        values().map(({ labels, value }) => [
          [name.replace('trace_spans_', ''), ...Object.values(labels)].join(' '),
          value,
        ]),
      ),
    );
  const add = (...spans: string[]) => {
    for (const span of spans) queue.add(Buffer.from(span));
  };
  return { queue, clock, log, figures, add };
}

const many = (count: number) => Array.from({ length: count }, () => 'x');

describe('spans on their way to a collector', () => {
  it('wait a second for others, and are sent together', async () => {
    const { seen, add, clock, figures, queue } = await queueTo(ok, { headers: { authorization: 'Bearer k' } });
    add('a', 'b');
    clock.advance(999);
    add('c');
    assert.equal(seen.length, 0);
    clock.advance(1);
    await eventually(() => figures().sent_total === 3);
    const [{ request, body } = assert.fail('nothing was sent')] = seen;
    assert.deepEqual([request.method, request.url, body], ['POST', '/v1/traces', 'abc']);
    assert.equal(request.headers['content-type'], 'application/x-protobuf');
    assert.equal(request.headers.authorization, 'Bearer k');
    assert.equal(figures().waiting, 0);
    await queue.close();
  });

  it('are sent at once if there are enough of them, at most 512 at a time, in order', async () => {
    const { seen, add, figures, queue } = await queueTo(ok);
    add(...many(1024), 'y');
    await eventually(() => figures().sent_total === 1024);
    assert.deepEqual(
      seen.map(({ body }) => body.length),
      [512, 512],
    );
    await queue.close();
    assert.deepEqual([seen[2]?.body, figures().sent_total], ['y', 1025]);
  });

  for (const code of [429, 502, 503, 504]) {
    it(`stay until the collector takes them after HTTP ${code}, and are asked for again ever less often`, async () => {
      const { seen, add, clock, figures, log, queue } = await queueTo((response, place) =>
        (place <= 7 ? status(code) : ok)(response, place),
      );
      add('a');
      const sentAt: number[] = [];
      while (sentAt.length < 8) {
        await eventually(() => clock.runNext());
        sentAt.push(clock.now());
        await eventually(() => seen.length === sentAt.length);
      }
      assert.deepEqual(sentAt, [1000, 2000, 4000, 8000, 16_000, 32_000, 62_000, 92_000]);
      await eventually(() => figures().sent_total === 1);
      assert.deepEqual(
        log.map(([level, , message]) => [level, message]),
        [
          ['warn', 'traces cannot be sent'],
          // A minute later.
          ['warn', 'traces cannot be sent'],
          ['info', 'traces are sent again'],
        ],
      );
      assert.deepEqual(log[0]?.[1], { reason: `HTTP ${code}`, waiting: 1 });
      await queue.close();
    });
  }

  it('wait as long as the collector asks for, up to half a minute', async () => {
    const { seen, add, clock, queue } = await queueTo(status(429, { 'retry-after': '86400' }));
    add('a');
    clock.advance(1000);
    await eventually(() => clock.runNext());
    assert.equal(clock.now(), 31_000);
    await eventually(() => seen.length === 2);
    await queue.close();
  });

  it('that the collector refuses are counted and not sent again, and no later ones are held up', async () => {
    for (const code of [301, 400, 401, 404, 500]) {
      const { seen, add, clock, figures, log, queue } = await queueTo((response, place) =>
        (place === 1 ? status(code, { location: '/elsewhere' }) : ok)(response, place),
      );
      add('a', 'b');
      clock.advance(1000);
      await eventually(() => figures()['dropped_total refused'] === 2);
      add('c');
      clock.advance(1000);
      await eventually(() => figures().sent_total === 1);
      assert.deepEqual(
        seen.map(({ body }) => body),
        ['ab', 'c'],
      );
      assert.deepEqual(log, [['warn', { reason: `HTTP ${code}`, lost: 2 }, 'spans are lost']]);
      await queue.close();
    }
  });

  it('that the collector accepts and drops are counted', async () => {
    const rejected = Buffer.from([0x0a, 0x02, 0x08, 0x02]);
    const { add, clock, figures, queue } = await queueTo((response) => void response.end(rejected));
    add('a', 'b', 'c');
    clock.advance(1000);
    await eventually(() => figures().sent_total === 1);
    assert.equal(figures()['dropped_total rejected'], 2);
    await queue.close();
  });

  it('are dropped and counted beyond 20,000, the newest first, while the collector is down', async () => {
    const { add, clock, figures, log, queue } = await queueAt(`http://127.0.0.1:${await freePort()}/v1/traces`);
    add('a');
    clock.advance(1000);
    await eventually(() => log.length === 1);
    add(...many(20_500));
    assert.deepEqual([figures().waiting, figures()['dropped_total queue_full']], [20_000, 501]);
    assert.deepEqual(log[0]?.[1], { reason: 'ECONNREFUSED', waiting: 1 });
    assert.equal(log.length, 1, 'there is a line a minute');
    await queue.close();
  });

  it('are dropped beyond 32 MiB, so that long content of one tenant takes no more', async () => {
    const { add, figures, queue } = await queueAt(`http://127.0.0.1:${await freePort()}/v1/traces`);
    const megabyte = 'x'.repeat(1024 * 1024);
    add(...Array.from({ length: 40 }, () => megabyte));
    assert.deepEqual([figures().waiting, figures()['dropped_total queue_full']], [32, 8]);
    await queue.close();
  });

  it('are not waited for longer than the timeout, whatever the collector does with the connection', async () => {
    const ways: Answer[] = [
      () => {},
      (response) => void response.writeHead(200, { 'content-length': 100 }).write('x'),
      (response) => void response.socket?.destroy(),
    ];
    for (const way of ways) {
      const { add, clock, figures, log, queue } = await queueTo(way, { timeoutMs: 20 });
      add('a');
      clock.advance(1000);
      await eventually(() => log.length === 1);
      assert.deepEqual([figures().waiting, figures().sent_total], [1, 0]);
      await queue.close();
    }
    const { port } = await rawReceiver((socket) => void socket.end('this is not HTTP\r\n\r\n'));
    const { add, clock, log, queue } = await queueAt(`http://127.0.0.1:${port}/v1/traces`);
    add('a');
    clock.advance(1000);
    await eventually(() => log.length === 1);
    await queue.close();
  });

  it('are sent although the answer is endless: it is read up to 64 KiB', async () => {
    const { add, clock, figures, queue } = await queueTo((response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) {}
      };
      response.on('drain', write);
      write();
    });
    add('a');
    clock.advance(1000);
    await eventually(() => figures().sent_total === 1);
    await queue.close();
  });

  it('are sent when the service ends, and a collector that does not answer delays that by five seconds', async () => {
    const quick = await queueTo(ok);
    quick.add('a', 'b');
    await quick.queue.close();
    assert.deepEqual(
      quick.seen.map(({ body }) => body),
      ['ab'],
    );
    quick.add('c');
    assert.equal(quick.figures()['dropped_total queue_full'], 1, 'nothing is kept after the end');

    const { seen, add, clock, log, queue } = await queueTo(() => {});
    add('a');
    const closing = queue.close();
    await eventually(() => seen.length === 1);
    clock.advance(5000);
    await closing;
    assert.deepEqual(log.at(-1), [
      'warn',
      { spans: 1 },
      'spans were lost, because the collector did not take them in time',
    ]);
  });
});
