import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IpcRequests, type Send } from '../../src/process/ipc.ts';

interface Requests {
  readonly double: { readonly input: number; readonly output: number };
  readonly name: { readonly input: null; readonly output: string };
}

/** Two processes connected by a channel. */
function createPair() {
  const [one, two] = [new IpcRequests<Requests>(), new IpcRequests<Requests>()];
  const toOne: Send = (message) => setImmediate(() => one.receive(structuredClone(message) as never, toTwo));
  const toTwo: Send = (message) => setImmediate(() => two.receive(structuredClone(message) as never, toOne));
  return { one, two, toOne, toTwo };
}

describe('requests between processes', () => {
  it('work in both directions concurrently, each with its own response', async () => {
    const { one, two, toOne, toTwo } = createPair();
    two.handle('double', async (input) => input * 2);
    one.handle('name', () => 'one');
    const doubled = [1, 2, 3].map((input) => one.request(toTwo, { name: 'double', input, timeoutMs: 1000 }));
    const name = two.request(toOne, { name: 'name', input: null, timeoutMs: 1000 });
    assert.deepEqual(await Promise.all(doubled), [2, 4, 6]);
    assert.equal(await name, 'one');
  });

  it('fail if the handler throws, if there is none, and if they cannot be sent', async () => {
    const { one, two, toTwo } = createPair();
    two.handle('double', () => {
      throw new Error('too large');
    });
    await assert.rejects(one.request(toTwo, { name: 'double', input: 1, timeoutMs: 1000 }), /too large/);
    await assert.rejects(one.request(toTwo, { name: 'name', input: null, timeoutMs: 1000 }), /no handler for name/);
    const closed: Send = (_message, done) => setImmediate(() => done(new Error('channel closed')));
    await assert.rejects(one.request(closed, { name: 'double', input: 1, timeoutMs: 1000 }), /channel closed/);
  });

  it('fail if there is no response in time', async () => {
    const { one, two, toTwo } = createPair();
    two.handle('double', () => new Promise<number>(() => {}));
    await assert.rejects(one.request(toTwo, { name: 'double', input: 1, timeoutMs: 20 }), /within 20 ms/);
  });
});
