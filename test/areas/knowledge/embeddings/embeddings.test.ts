import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import type { EmbeddingsError } from '../../../../src/areas/knowledge/embeddings/embeddings.ts';
import { quantize } from '../../../../src/areas/knowledge/embeddings/quantize.ts';
import { connect, type SentRequest, sendVectors, startProvider, vectorOf } from './support.ts';

const { signal } = new AbortController();

const fails = (work: Promise<unknown>, code: string, retryable: boolean): Promise<void> =>
  assert.rejects(work, (error: EmbeddingsError) => {
    assert.equal(error.name, 'EmbeddingsError');
    assert.deepEqual({ code: error.code, retryable: error.retryable }, { code, retryable });
    return true;
  });

const answerJson = (body: unknown) => (_: SentRequest, response: ServerResponse) => response.end(JSON.stringify(body));

describe('embeddings', () => {
  it('are those of the provider, in the order of the texts, with 8 bits per dimension', async () => {
    const provider = await startProvider();
    provider.answer = ({ body }, response) => {
      const data = body.input.map((text, index) => ({ index, embedding: vectorOf(text, 8) }));
      response.end(JSON.stringify({ data: data.reverse() }));
    };
    const embeddings = connect(provider, { apiKey: 'emb-1' });
    const vectors = await embeddings.embed(['返品', '配送'], signal);
    assert.deepEqual(vectors, [quantize(vectorOf('返品', 8)), quantize(vectorOf('配送', 8))]);
    assert.deepEqual(provider.requests, [
      { path: '/v1/embeddings', authorization: 'Bearer emb-1', body: { model: 'test-model', input: ['返品', '配送'] } },
    ]);
    assert.equal(embeddings.dimensions, 8);
  });

  it('are requested in batches', async () => {
    const provider = await startProvider();
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const vectors = await connect(provider).embed(texts, signal);
    assert.deepEqual(
      vectors,
      texts.map((text) => quantize(vectorOf(text, 8))),
    );
    assert.deepEqual(provider.requests.map(({ body }) => body.input.length).sort(), [16, 16, 8]);
  });

  it('are requested in smaller batches, and for a shorter text, if the provider refuses the request', async () => {
    const provider = await startProvider();
    provider.answer = (request, response) => {
      const { input } = request.body;
      if (input.length > 2 || input.some((text) => text.length > 300)) response.writeHead(413).end();
      else sendVectors(request, response, 8);
    };
    const long = 'あ'.repeat(1000);
    const texts = ['a', 'b', 'c', long, 'd'];
    const vectors = await connect(provider).embed(texts, signal);
    assert.deepEqual(
      vectors,
      ['a', 'b', 'c', long.slice(0, 250), 'd'].map((text) => quantize(vectorOf(text, 8))),
    );
  });

  it('fail if the provider refuses everything', async () => {
    const provider = await startProvider();
    provider.answer = (_, response) => void response.writeHead(400).end('{"error":{"message":"no such model"}}');
    await fails(connect(provider).embed(['a'.repeat(2000), 'b'], signal), 'http_400', false);
    assert.ok(provider.requests.length < 10);
  });

  it('are null for a text that the provider refuses although it takes others', async () => {
    const provider = await startProvider();
    provider.answer = (request, response) => {
      if (request.body.input.some((text) => text.includes('毒'))) response.writeHead(400).end();
      else sendVectors(request, response, 8);
    };
    const texts = Array.from({ length: 40 }, (_, index) => (index % 20 === 0 ? `毒${index}` : `text ${index}`));
    const embeddings = connect(provider);
    assert.deepEqual(
      await embeddings.embed(texts, signal),
      texts.map((text) => (text.includes('毒') ? null : quantize(vectorOf(text, 8)))),
    );
    await fails(embeddings.embedQueries(['a', '毒'], signal), 'http_400', false);
  });

  it('have the configured dimensions, or fail', async () => {
    const provider = await startProvider(16);
    const embeddings = connect(provider, { dimensions: 8 });
    await fails(embeddings.embed(['a'], signal), 'other_dimensions', false);
    assert.equal(provider.requests[0]?.body.dimensions, 8);
    assert.equal(embeddings.dimensions, 8);
  });

  it('are cut to the first 1,024 dimensions if none are configured', async () => {
    const provider = await startProvider(1536);
    const embeddings = connect(provider);
    const [vector] = await embeddings.embed(['a'], signal);
    assert.deepEqual(vector, quantize(vectorOf('a', 1536).slice(0, 1024)));
    assert.equal(embeddings.dimensions, 1024);
  });

  it('fail if the provider is down, and say whether another attempt may help', async () => {
    const provider = await startProvider();
    const embeddings = connect(provider);
    const answers: [number, boolean][] = [
      [500, true],
      [503, true],
      [429, true],
      [408, true],
      [401, false],
      [404, false],
      [302, false],
    ];
    for (const [status, retryable] of answers) {
      provider.answer = (_, response) =>
        void response.writeHead(status, { location: '/elsewhere' }).end('secret words');
      await fails(embeddings.embed(['a'], signal), `http_${status}`, retryable);
    }
    await fails(connect({ baseUrl: 'http://127.0.0.1:1025/v1' }).embed(['a'], signal), 'connection_failed', true);
    provider.answer = (_, response) => void response.destroy();
    await fails(embeddings.embed(['a'], signal), 'connection_failed', true);
    provider.answer = undefined;
    assert.equal((await embeddings.embed(['a'], signal)).length, 1);
  });

  it('fail if the response is not one of embeddings', async () => {
    const provider = await startProvider();
    const embeddings = connect(provider);
    const one = { index: 0, embedding: [1, 2] };
    const bodies = [
      null,
      [],
      { data: null },
      { data: [one] },
      { data: [one, one] },
      { data: [one, { index: 2, embedding: [1, 2] }] },
      { data: [one, { index: 1, embedding: [] }] },
      { data: [one, { index: 1, embedding: [1, '2'] }] },
      { data: [one, { index: 1, embedding: [0, 0] }] },
      { data: [one, { index: 1, embedding: [1, 2, 3] }] },
      { data: [one, null] },
    ];
    for (const body of bodies) {
      provider.answer = answerJson(body);
      await fails(embeddings.embed(['a', 'b'], signal), 'malformed_response', true);
    }
    provider.answer = (_, response) => void response.end('<html>');
    await fails(embeddings.embed(['a', 'b'], signal), 'malformed_response', true);
    provider.answer = answerJson({ data: [{ embedding: [1, 2] }, { embedding: [2, 1] }] });
    assert.deepEqual(await embeddings.embed(['a', 'b'], signal), [Int8Array.of(64, 127), Int8Array.of(127, 64)]);
  });

  it('stop waiting for a slow provider when they are canceled', async () => {
    const provider = await startProvider();
    provider.answer = () => undefined;
    const stop = new AbortController();
    const embeddings = connect(provider);
    const waiting = [
      embeddings.embed(['a'], stop.signal),
      embeddings.embedQuery('b', stop.signal),
      embeddings.embedQueries(['c'], stop.signal),
    ];
    setTimeout(() => stop.abort(new Error('waited long enough')), 50);
    for (const each of await Promise.allSettled(waiting)) {
      assert.equal(each.status === 'rejected' && each.reason.message, 'waited long enough');
    }
  });
});

describe('embeddings of queries', () => {
  it('are kept', async () => {
    const provider = await startProvider();
    const embeddings = connect(provider);
    const first = await embeddings.embedQuery('返品', signal);
    assert.equal(await embeddings.embedQuery('返品', signal), first);
    assert.deepEqual(first, quantize(vectorOf('返品', 8)));
    assert.equal(provider.requests.length, 1);
  });

  it('are requested in batches if there are many', async () => {
    const provider = await startProvider();
    const texts = Array.from({ length: 100 }, (_, index) => `question ${index}`);
    const vectors = await connect(provider).embedQueries(texts, signal);
    assert.deepEqual(
      vectors,
      texts.map((text) => quantize(vectorOf(text, 8))),
    );
    assert.equal(provider.requests.length, 7);
  });

  it('are not kept if they fail', async () => {
    const provider = await startProvider();
    const embeddings = connect(provider);
    provider.answer = (_, response) => void response.writeHead(503).end();
    await fails(embeddings.embedQuery('返品', signal), 'http_503', true);
    provider.answer = undefined;
    assert.deepEqual(await embeddings.embedQuery('返品', signal), quantize(vectorOf('返品', 8)));
  });
});

describe('8-bit vectors', () => {
  it('are in proportion to the largest value, and the same for the same numbers', () => {
    assert.deepEqual(quantize([0.5, -1, 0.25, 0]), Int8Array.of(64, -127, 32, 0));
    assert.deepEqual(quantize([0.05, -0.1, 0.025, 0]), quantize([0.5, -1, 0.25, 0]));
  });

  it('keep cosines within one hundredth', () => {
    const texts = ['営業時間は何時からですか', '返品したい', '店は何時に開きますか', 'Wi-Fi'];
    const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
      const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
        Array.from(x).reduce((sum, value, index) => sum + value * (y[index] as number), 0);
      return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    };
    for (const one of texts) {
      for (const other of texts) {
        const [a, b] = [vectorOf(one, 512), vectorOf(other, 512)];
        const exact = cosine(a, b);
        const rounded = cosine(quantize(a) as Int8Array, quantize(b) as Int8Array);
        assert.ok(Math.abs(exact - rounded) < 0.01, `${one}, ${other}: ${exact}, ${rounded}`);
      }
    }
  });

  it('need a direction', () => {
    for (const vector of [[], [0, 0], [1, Number.NaN], [1, Number.POSITIVE_INFINITY]]) {
      assert.equal(quantize(vector), null);
    }
  });
});
