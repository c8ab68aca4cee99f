import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import twilio from 'twilio';
import { type WebSocket, WebSocketServer } from 'ws';
import { type LocalCarrier, startLocalCarrier } from '../../../../src/voice/carriers/local/server.ts';
import { wordsHeard } from '../../../../src/voice/carriers/local/test-words.ts';
import { accountSid, authToken, number } from './world.ts';

const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

describe('the local carrier over a network', () => {
  let local: LocalCarrier;
  let server: Server;
  let sockets: WebSocketServer;
  let address: string;
  let signatures: boolean[];
  /** The document of a path. */
  let documents: Record<string, string>;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const parameters = Object.fromEntries(new URLSearchParams(body));
    signatures.push(isSigned(request, 'http', parameters));
    response.setHeader('content-type', 'text/xml');
    response.end(documents[request.url ?? ''] ?? '');
  }

  function isSigned(request: IncomingMessage, scheme: string, parameters: Record<string, string>): boolean {
    const signature = String(request.headers['x-twilio-signature']);
    const url = `${scheme}://${request.headers.host}${request.url}`;
    return twilio.validateRequest(authToken, signature, url, parameters);
  }

  function postCall(call: Record<string, unknown>): Promise<Response> {
    return fetch(`${local.address}/local/calls`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(call),
    });
  }

  beforeEach(async () => {
    signatures = [];
    documents = {};
    local = await startLocalCarrier({
      now: Date.now,
      phones: { '77': { steps: [{ do: 'wait_for_media' }, { do: 'say', text: 'over the network' }] } },
    });
    local.addAccount({ accountSid, authToken, numbersOnDemand: true });
    server = createServer((request, response) => void respond(request, response));
    sockets = new WebSocketServer({ server });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await local.close();
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('requests documents and speaks on media sockets, all signed', async () => {
    documents['/voice'] =
      `<Response><Connect><Stream url="ws://${address}/media"/></Connect><Redirect>/rejoin</Redirect></Response>`;
    documents['/rejoin'] = '<Response><Hangup/></Response>';
    const connected = once(sockets, 'connection') as Promise<[WebSocket, IncomingMessage]>;
    const response = await postCall({ to: number, phone: '77', voiceUrl: `http://${address}/voice` });
    const { callSid } = (await response.json()) as { callSid: string };
    const [socket, upgrade] = await connected;
    assert.ok(isSigned(upgrade, 'ws', {}));
    const heard: Buffer[] = [];
    const leg = local.carrier.leg(callSid);
    await new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.event === 'media') heard.push(Buffer.from(message.media.payload, 'base64'));
        if (wordsHeard(Buffer.concat(heard)).at(-1)?.text === 'network') resolve();
      });
    });
    socket.close();
    while (leg?.isOver === false) await once(leg.over, 'abort');
    assert.deepEqual(signatures, [true, true]);
    const log = await fetch(`${local.address}/local/calls`, { headers: { authorization } });
    const { calls } = (await log.json()) as { calls: { sid: string; status: string; endedBy: string }[] };
    assert.deepEqual(
      calls.map(({ sid, status, endedBy }) => [sid, status, endedBy]),
      [[callSid, 'completed', 'document']],
    );
  });

  it('reports a server that is not there', async () => {
    const gone = createServer();
    gone.listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    const leg = local.callNumber({ to: number, phone: '08', voiceUrl: `http://127.0.0.1:${port}/voice` });
    while (!leg.isOver) await once(leg.over, 'abort');
    assert.equal(local.carrier.notifications[0]?.code, 11_205);
  });

  it('cuts the connection of a lost response, which another process can ask for', async () => {
    const fault = { of: 'request', fault: { kind: 'lost_before' }, path: '/Calls.json' };
    const armed = await fetch(`${local.address}/local/faults`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(fault),
    });
    assert.equal(armed.status, 201);
    const calls = `${local.address}/2010-04-01/Accounts/${accountSid}/Calls.json`;
    await assert.rejects(fetch(calls, { headers: { authorization } }));
    assert.equal((await fetch(calls, { headers: { authorization } })).status, 200);
  });

  it('refuses a body of more than 64 KB', async () => {
    const calls = `${local.address}/2010-04-01/Accounts/${accountSid}/Calls.json`;
    const response = await fetch(calls, { method: 'POST', headers: { authorization }, body: 'a'.repeat(70_000) });
    assert.equal(response.status, 413);
  });

  it('controls nothing without credentials, and says what is wrong', async () => {
    assert.equal((await fetch(`${local.address}/local/calls`)).status, 401);
    assert.equal((await postCall({ to: '+15005550006' })).status, 400);
    const violations = await fetch(`${local.address}/local/violations`, { headers: { authorization } });
    assert.deepEqual(await violations.json(), { violations: [], notifications: [] });
  });
});
