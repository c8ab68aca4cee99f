import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { createProbes } from './probes/area.ts';

const path = '/api/v1/probes/prb_1/stream';

/** Chunks that a test sends one by one. */
function createSource() {
  let next = Promise.withResolvers<string | null>();
  const state = { isReturned: false, wasFinished: false };
  async function* chunks() {
    try {
      for (;;) {
        const chunk = await next.promise;
        next = Promise.withResolvers();
        if (chunk === null) break;
        yield chunk;
      }
      state.wasFinished = true;
    } finally {
      state.isReturned = true;
    }
  }
  return {
    state,
    chunks,
    push: (chunk: string | null) => next.resolve(chunk),
    fail: () => next.reject(new Error('the model failed')),
  };
}

describe('a stream', () => {
  const engine = sqliteEngine();
  let service: Service;
  let key: string;
  let source = createSource();
  let media: () => AsyncIterable<string> | Iterable<string> = () => source.chunks();

  before(async () => {
    service = await startService(engine, {
      timeouts: { writeMs: 1500 },
      otherAreas: () => [
        createProbes({
          'probes.stream': ({ params, accepts }) =>
            accepts('text/event-stream') ? { media: media() } : { body: params },
        }),
      ],
    });
    key = (await service.newKey()).key;
  });
  after(() => service.close());

  const open = (accept = 'text/event-stream'): Promise<IncomingMessage> => {
    source = createSource();
    media = () => source.chunks();
    return new Promise((resolve, reject) => {
      const headers = { 'x-api-key': key, accept, 'content-length': '0' };
      request(service.url + path, { method: 'POST', headers, agent: false }, resolve)
        .on('error', reject)
        .end();
    });
  };

  it('is sent to clients that ask for it, and JSON to all others', async () => {
    const json = await open('application/json, */*');
    let text = '';
    for await (const chunk of json) text += chunk;
    assert.deepEqual([json.headers['content-type'], JSON.parse(text)], ['application/json', { id: 'prb_1' }]);
  });

  it('has its headers before the first event, and is neither cached nor buffered', async () => {
    const response = await open();
    const { 'content-type': type, 'cache-control': cache, 'x-accel-buffering': buffering } = response.headers;
    assert.deepEqual([response.statusCode, type, cache, buffering], [200, 'text/event-stream', 'no-store', 'no']);
    source.push(null);
    response.resume();
    await eventually(() => source.state.wasFinished);
  });

  it('delivers each event before the next one exists', async () => {
    const response = await open();
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    let sent = '';
    for (const event of ['event: text\ndata: 1\n\n', 'event: text\ndata: 2\n\n', 'event: done\ndata: 3\n\n']) {
      sent += event;
      source.push(event);
      await eventually(() => text === sent);
    }
    source.push(null);
    await eventually(() => response.complete);
    assert.equal(text, sent);
  });

  it('stops its source when the client disconnects', async () => {
    const response = await open();
    source.push('data: 1\n\n');
    response.on('error', () => {});
    response.destroy();
    // The source notices when it has something to send.
    await eventually(() => {
      source.push('data: 2\n\n');
      return source.state.isReturned;
    });
    assert.equal(source.state.wasFinished, false);
  });

  it('closes the connection if it fails midway, so that it cannot be taken for complete', async () => {
    const response = await open();
    source.push('data: 1\n\n');
    let text = '';
    const broken = (async () => {
      for await (const chunk of response) {
        text += chunk;
        source.fail();
      }
    })();
    await assert.rejects(broken, { code: 'ECONNRESET' });
    assert.deepEqual([text, response.complete], ['data: 1\n\n', false]);
    await eventually(() => service.log.some(({ msg }) => msg === 'request failed'));
  });

  it('is cut off if the client does not read it, and its source is stopped', async () => {
    let isReturned = false;
    const socket = connect(service.port, '127.0.0.1');
    const event = `data: ${'x'.repeat(64 * 1024)}\n\n`;
    media = function* () {
      try {
        for (;;) yield event;
      } finally {
        isReturned = true;
      }
    };
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nAccept: text/event-stream\r\nContent-Length: 0\r\n\r\n`,
    );
    socket.pause();
    await eventually(() => isReturned);
    socket.destroy();
  });
});
