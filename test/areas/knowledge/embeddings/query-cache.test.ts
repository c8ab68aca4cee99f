import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QueryCache } from '../../../../src/areas/knowledge/embeddings/query-cache.ts';

const { signal } = new AbortController();

/** Requests that are answered by hand. */
function manualRequests() {
  const requests: { text: string; signal: AbortSignal; resolve: (vector: Int8Array) => void }[] = [];
  const embed = (text: string, signal: AbortSignal): Promise<Int8Array> =>
    new Promise((resolve, reject) => {
      requests.push({ text, signal, resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { requests, embed };
}

describe('the cache of queries', () => {
  it('forgets the least recently used one', async () => {
    const asked: string[] = [];
    const cache = new QueryCache(async (text) => {
      asked.push(text);
      return Int8Array.of(text.length);
    }, 2);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(text, signal);
    assert.deepEqual(asked, ['a', 'b', 'c', 'b']);
  });

  it('shares a request that is in progress, as long as somebody waits for it', async () => {
    const { requests, embed } = manualRequests();
    const cache = new QueryCache(embed);
    const first = new AbortController();
    const leaving = cache.get('a', first.signal);
    const staying = cache.get('a', signal);
    first.abort(new Error('too late'));
    await assert.rejects(leaving, /too late/);
    requests[0]?.resolve(Int8Array.of(1));
    assert.deepEqual(await staying, Int8Array.of(1));
    assert.equal(requests.length, 1);
  });

  it('cancels a request that nobody waits for, and asks again the next time', async () => {
    const { requests, embed } = manualRequests();
    const cache = new QueryCache(embed);
    const stop = new AbortController();
    const leaving = cache.get('a', stop.signal);
    stop.abort();
    await assert.rejects(leaving);
    assert.equal(requests[0]?.signal.aborted, true);
    const again = cache.get('a', signal);
    requests[1]?.resolve(Int8Array.of(2));
    assert.deepEqual(await again, Int8Array.of(2));
  });

  it('asks nothing for a caller that has left already', async () => {
    const { requests, embed } = manualRequests();
    await assert.rejects(new QueryCache(embed).get('a', AbortSignal.abort()));
    assert.equal(requests.length, 0);
  });
});
