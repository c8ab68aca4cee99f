import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  ServiceUnavailableError,
  TimeoutError,
} from '../../sdk/src/index.ts';
import { type Fault, type FaultProxy, faults } from './support/fault-proxy.ts';
import { collect, useStartedService } from './support/started-service.ts';

const draft = { name: 'Reception', voiceId: 'ja-JP-Nanami' };
/** Long enough for a response on a busy machine, short enough to wait for. */
const timeout = 1500;

function keysOf(proxy: FaultProxy): (string | undefined)[] {
  return proxy.seen.map(({ headers }) => headers['idempotency-key'] as string | undefined);
}

describe('the SDK behind a faulty proxy', { concurrency: 8 }, () => {
  const service = useStartedService();

  for (const fault of faults) {
    it(`creates exactly one agent if the first attempt fails: ${fault}`, async (context) => {
      const { client, proxy } = await service.newClientBehindProxy(context, { timeout });
      proxy.next(fault);
      const made = await client.agents.create(draft);
      assert.equal(proxy.seen.length, 2);
      assert.deepEqual((await client.agents.list()).items, [made]);
      const [first, second] = keysOf(proxy);
      assert.match(first ?? '', /^[0-9a-f]{32}$/);
      assert.equal(second, first);
    });

    it(`reads a page if the first attempt fails: ${fault}`, async (context) => {
      const { client, proxy } = await service.newClientBehindProxy(context, { timeout });
      const made = await client.agents.create(draft);
      proxy.next(fault);
      assert.deepEqual(await collect(client.agents.list()), [made]);
    });
  }

  it('uses a new idempotency key for each call', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    await Promise.all([client.agents.create(draft), client.agents.create(draft)]);
    assert.equal(new Set(keysOf(proxy)).size, 2);
    assert.equal((await client.agents.list()).items.length, 2);
  });

  it('retries twice, then throws the last error', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    proxy.next('unseen 429', 'unseen drop', 'unseen 503', null);
    await assert.rejects(client.agents.create(draft), ServiceUnavailableError);
    assert.equal(proxy.seen.length, 3);
    assert.equal(new Set(keysOf(proxy)).size, 1);
  });

  it('does not retry if retries are disabled', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context, { timeout });
    const expected: [Fault, new (...args: never[]) => Error][] = [
      ['unseen drop', ConnectionError],
      ['truncated', ConnectionError],
      ['truncated, framed as whole', ConnectionError],
      ['silence', TimeoutError],
      ['silence in the middle', TimeoutError],
      ['unseen 503', ServiceUnavailableError],
    ];
    for (const [fault, Class] of expected) {
      proxy.next(fault);
      await assert.rejects(client.agents.list({}, { maxRetries: 0 }), Class);
    }
    assert.equal(proxy.seen.length, expected.length);
  });

  it('fails immediately if asked to wait longer than a minute', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    proxy.retryAfter = '61';
    proxy.next('unseen 429');
    await assert.rejects(client.whoami(), { name: 'RateLimitError', retryAfterMs: 61_000, requestId: 'req_proxy' });
    assert.equal(proxy.seen.length, 1);
  });

  it('waits as long as Retry-After says', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    proxy.retryAfter = '1';
    proxy.next('unseen 429');
    const start = performance.now();
    await client.whoami();
    assert.ok(performance.now() - start >= 1000);
  });

  it('repeats a change whose response was lost, and marks a conflict that may be its own', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    const { data, response } = await client.agents.create(draft).withResponse();
    proxy.next('truncated');
    assert.equal((await client.agents.update(data.id, { name: 'Desk' })).name, 'Desk');
    const { response: read } = await client.agents.get(data.id).withResponse();
    assert.notEqual(read.etag, response.etag);
    proxy.next('drop before the answer');
    await assert.rejects(client.agents.update(data.id, { name: 'Front' }, { ifMatch: read.etag }), (error) => {
      assert.ok(error instanceof ConflictError);
      assert.equal(error.isAfterLostAnswer, true);
      return true;
    });
    assert.equal((await client.agents.get(data.id)).name, 'Front');
  });

  it('deletes, and marks a 404 that may be its own', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    const [one, other] = [await client.agents.create(draft), await client.agents.create(draft)];
    proxy.next('unseen drop');
    assert.deepEqual(await client.agents.delete(one.id), { id: one.id, deleted: true });
    proxy.next('drop before the answer');
    await assert.rejects(client.agents.delete(other.id), (error) => {
      assert.ok(error instanceof NotFoundError);
      assert.equal(error.isAfterLostAnswer, true);
      return true;
    });
    proxy.next('unseen 429');
    await assert.rejects(client.agents.delete(other.id), { name: 'NotFoundError', isAfterLostAnswer: false });
  });

  it('rejects with the reason of the signal: before, during and between attempts, and during pagination', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    await Promise.all([client.agents.create(draft), client.agents.create(draft)]);
    const reason = new Error('enough');
    const before = proxy.seen.length;
    await assert.rejects(client.whoami({ signal: AbortSignal.abort(reason) }), (error) => error === reason);
    assert.equal(proxy.seen.length, before);
    for (const fault of ['silence', 'unseen 503'] as const) {
      const controller = new AbortController();
      proxy.retryAfter = '30';
      proxy.decide = () => {
        // Once the request has arrived: without a response this is in the middle of it, after an error in the middle of
        // the delay.
        setTimeout(() => controller.abort(reason), 200);
        return fault;
      };
      const start = performance.now();
      await assert.rejects(client.agents.create(draft, { signal: controller.signal }), (error) => error === reason);
      assert.ok(performance.now() - start < 20_000);
    }
    proxy.next();
    const controller = new AbortController();
    const seen: string[] = [];
    const walk = async () => {
      for await (const { id } of client.agents.list({ limit: 1 }, { signal: controller.signal })) {
        seen.push(id);
        controller.abort(reason);
      }
    };
    await assert.rejects(walk, (error) => error === reason);
    assert.equal(seen.length, 1);
  });

  it('sends one request, however often and in whichever way the response is awaited', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    await client.agents.create(draft);
    proxy.seen.length = 0;
    const list = client.agents.list();
    const [page, again, { data }, items] = await Promise.all([list, list, list.withResponse(), collect(list)]);
    assert.equal(page, again);
    assert.equal(page, data);
    assert.deepEqual(items, page.items);
    assert.equal(proxy.seen.length, 1);
  });

  it('leaves no unhandled rejection, in whichever way the response is awaited', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context, { maxRetries: 0 });
    proxy.decide = () => 'unseen 503';
    // node:test fails a test with an unhandled rejection.
    await assert.rejects(collect(client.agents.list()), ServiceUnavailableError);
    await assert.rejects(client.agents.list().withResponse(), ServiceUnavailableError);
    await assert.rejects(client.whoami().withResponse(), ServiceUnavailableError);
    assert.equal(await client.whoami().catch(() => 'caught'), 'caught');
    await new Promise(setImmediate);
  });
});
