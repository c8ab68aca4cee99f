import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { clientFrame, connectionsOf, flood, rawWebSocket, repeated } from '../../../support/flooding.ts';
import { useService } from '../../../support/service.ts';
import { audioStart, newWebCall } from './support.ts';

/** What the service may have read when it notices the flood, and what Node.js buffers of a paused connection. */
const maxUnpreventedBytes = 512 * 1024;
const text = (frame: object): Buffer => clientFrame(1, Buffer.from(JSON.stringify(frame)));

describe('a client that floods its socket', () => {
  const service = useService(sqliteEngine());

  /** A web call whose client has sent `start`, and the connection as the service sees it. */
  const joinRaw = async (test: TestContext): Promise<{ client: Socket; connection: Socket }> => {
    const accepted = connectionsOf(test, 'net.server.socket');
    const { key } = await service.newKey();
    const { id, accessToken } = await newWebCall(service, key);
    const client = await rawWebSocket(service.port, `/live/v1/calls/${id}`, `voice-agents.v1, token.${accessToken}`);
    const connection = accepted.find(({ remotePort }) => remotePort === client.localPort);
    assert.ok(connection);
    client.write(text(audioStart));
    await once(client, 'data');
    return { client, connection };
  };

  const floods: readonly [string, Buffer][] = [
    ['pings', repeated(clientFrame(9))],
    ['pongs', repeated(clientFrame(10))],
    ['text frames', repeated(text({ type: 'played', utterance: 9, samples: 1 }))],
    ['audio', repeated(clientFrame(2, Buffer.alloc(640)))],
    ['frames that are not valid', repeated(clientFrame(3))],
    ['fragments', Buffer.concat([Buffer.from([1, 0x80, 0, 0, 0, 0]), repeated(Buffer.from([0, 0x80, 0, 0, 0, 0]))])],
    ['bytes after a frame that is too large', repeated(Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]))],
  ];
  for (const [what, chunk] of floods) {
    it(`with ${what} is cut off, and nothing more is read`, async (test) => {
      const { client, connection } = await joinRaw(test);
      await flood(client, chunk);
      assert.ok(connection.destroyed);
      assert.ok(connection.bytesRead <= maxUnpreventedBytes, `${connection.bytesRead} bytes were read`);
    });
  }

  it('behind its own close frame is cut off after a megabyte', async (test) => {
    const { client, connection } = await joinRaw(test);
    client.write(clientFrame(8, Buffer.from([3, 232])));
    await flood(client, repeated(clientFrame(9)));
    assert.ok(connection.destroyed);
    assert.ok(connection.bytesRead <= 1024 * 1024 + maxUnpreventedBytes, `${connection.bytesRead} bytes were read`);
  });

  it('still gets the reason, in an error and a close frame', async (test) => {
    const { client } = await joinRaw(test);
    let received = '';
    client.on('data', (data) => {
      received += data.toString('latin1');
    });
    await flood(client, repeated(clientFrame(9)));
    assert.match(received, /"too_much"/);
    assert.match(received, /\x88.\x11\x4d/s, 'close frame with 4429');
  });
});
