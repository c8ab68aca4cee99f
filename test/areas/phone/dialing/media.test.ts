import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, afterEach, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { Call } from '../../../../src/contract/calls/call.ts';
import type { AcceptedSocket } from '../../../../src/http/sockets.ts';
import { twilioSignature } from '../../../../src/voice/carriers/twilio/signature.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { authToken, base, bodyOf, useWorlds, type World } from './support.ts';

onEachEngine('the media of a call', (engine) => {
  const worlds = useWorlds(engine);
  const { carrier } = worlds;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const started: World[] = [];
  afterEach(async () => {
    const closed = [...server.clients].map((socket) => once(socket, 'close'));
    for (const socket of server.clients) socket.terminate();
    await Promise.all(closed);
    for (const world of started.splice(0)) await world.dialing.onClose();
  });
  after(() => server.close());

  const start = async () => {
    const world = await worlds.start();
    started.push(world);
    await world.addNumber();
    const callId = await world.dial();
    await world.runJobs();
    const [call] = carrier.placed;
    assert.ok(call !== undefined);
    call.status = 'in-progress';
    const ask = async (path: 'answer' | 'rejoin') =>
      bodyOf(await world.request(`/calls/${callId}/${path}`, { CallSid: call.sid, CallStatus: 'in-progress' }));
    return { world, callId, call, ask };
  };
  const accept = (world: World, document: string): Promise<AcceptedSocket> => {
    const [, url = ''] = /<Stream url="([^"]+)"/.exec(document) ?? [];
    const params = { carrierId: world.carrier.id, token: url.split('/').at(-1) ?? '' };
    const headers = { 'x-twilio-signature': twilioSignature(authToken, url, []) };
    const [route] = world.dialing.sockets;
    assert.ok(route !== undefined);
    return route.accept({ requestId: 'req', protocols: [], params, headers });
  };
  /** Opens the socket that the document names, and sends the first frames. */
  const open = async (world: World, document: string, callSid: string): Promise<WebSocket> => {
    const accepted = await accept(world, document);
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket] = (await once(server, 'connection')) as [WebSocket];
    accepted.open(socket, (code, reason) => socket.close(code, reason));
    await once(client, 'open');
    client.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    const format = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    const details = { accountSid: 'AC1', callSid, streamSid: 'MZ1', tracks: ['inbound'], mediaFormat: format };
    client.send(JSON.stringify({ event: 'start', sequenceNumber: '1', streamSid: 'MZ1', start: details }));
    return client;
  };
  const isConnected = (world: World, count = 1) => eventually(() => world.calls.connected.length === count);
  /** The close of a socket is noted in the database. */
  const isNoted = (world: World) =>
    eventually(async () =>
      (await world.queue.due(['phone.rejoin'])).some((each) => each.workspaceId === world.workspaceId),
    );
  const codeOf = async (client: WebSocket): Promise<number> => ((await once(client, 'close')) as [number])[0];

  it('is connected with the token of the document, once', async () => {
    const { world, callId, call, ask } = await start();
    const document = await ask('answer');
    await open(world, document, call.sid);
    await isConnected(world);
    assert.equal(world.calls.get(callId).status, 'ongoing');
    const second = await open(world, document, call.sid);
    assert.equal(await codeOf(second), 1011);
    assert.equal(world.calls.connected.length, 1);
  });

  it('of another call is closed with 1008', async () => {
    const { world, ask } = await start();
    const client = await open(world, await ask('answer'), `CA${'9'.repeat(32)}`);
    assert.equal(await codeOf(client), 1008);
    assert.equal(world.calls.connected.length, 0);
  });

  it('is closed by us when the call goes on elsewhere', async () => {
    const { world, call, ask } = await start();
    const client = await open(world, await ask('answer'), call.sid);
    await isConnected(world);
    const closed = codeOf(client);
    world.calls.connected[0]?.close();
    assert.equal(await closed, 1000);
  });

  describe('that breaks off', () => {
    const lose = async () => {
      const call = await start();
      const client = await open(call.world, await call.ask('answer'), call.call.sid);
      await isConnected(call.world);
      call.world.clock.time += 1000;
      client.terminate();
      await isNoted(call.world);
      return call;
    };
    const rejoinUrl = ({ carrier: { id } }: World, callId: string): string =>
      `${base}/carrier/v1/${id}/calls/${callId}/rejoin`;

    it('is connected again with a new token when the carrier asks', async () => {
      const { world, call, ask } = await lose();
      world.clock.time += 1000;
      await open(world, await ask('rejoin'), call.sid);
      await isConnected(world, 2);
      await world.pass(10_000);
      assert.deepEqual(call.moves, []);
    });

    it('is pointed to the document by a request, once, if the carrier does not ask within 5 seconds', async () => {
      const { world, callId, call } = await lose();
      await world.pass(4000);
      assert.deepEqual(call.moves, []);
      await world.pass(60_000);
      assert.deepEqual(call.moves, [rejoinUrl(world, callId)]);
    });

    it('with its process is pointed to the document by a request, unless the carrier asks by itself', async () => {
      const { world, callId, call, ask } = await start();
      await open(world, await ask('answer'), call.sid);
      await isConnected(world);
      const reconnect = async (): Promise<void> => {
        const known = world.calls.get(callId) as unknown as Call;
        await world.database.transaction((queries) => world.dialing.lines.reconnect(queries, known));
        await world.runJobs();
      };
      world.clock.time += 15_000;
      await ask('rejoin');
      world.clock.time += 4000;
      await reconnect();
      assert.deepEqual(call.moves, []);
      world.clock.time += 15_000;
      await reconnect();
      assert.deepEqual(call.moves, [rejoinUrl(world, callId)]);
    });

    it('because the person hung up ends the call, although no report arrives', async () => {
      const { world, callId, call } = await lose();
      Object.assign(call, { status: 'completed', duration: '12' });
      await world.pass(15_000);
      const { endReason, billedMs } = world.calls.get(callId);
      assert.deepEqual([endReason, billedMs], ['caller_hangup', 12_000]);
    });

    it('during a transfer is left alone', async () => {
      const { world, callId, call } = await lose();
      const line = { phoneNumberId: 'num_1', carrierId: world.carrier.id, from: '+81312345678', to: '+81398765432' };
      const request = { to: '+81355555555', mode: 'warm', brief: null, extension: null } as const;
      const known = world.calls.get(callId) as never;
      await world.dialing.lines.transfer(known, line, { ...request, ringTimeoutMs: 25_000, showCaller: false });
      await world.pass(10_000);
      assert.deepEqual(call.moves, []);
    });
  });

  describe('when the carrier asks what comes next', () => {
    it('waits a second while the lease of a lost process runs', async () => {
      const { world, callId, ask } = await start();
      world.calls.isOwnedElsewhere = true;
      const document = await ask('rejoin');
      const url = `${base}/carrier/v1/${world.carrier.id}/calls/${callId}/rejoin`;
      assert.ok(document.includes(`<Pause length="1"/><Redirect method="POST">${url}</Redirect>`));
    });

    it('is over if its process was lost, and it may not be resumed', async () => {
      const { world, ask } = await start();
      world.calls.isLost = true;
      assert.ok((await ask('rejoin')).includes('<Hangup/>'));
    });

    it('is over with its call, also if it is answered too late', async () => {
      const { world, callId, call, ask } = await start();
      await world.database.transaction((queries) =>
        world.calls.end(queries, world.workspaceId, callId, { reason: 'dial_no_answer', by: 'system', detail: null }),
      );
      for (const path of ['answer', 'rejoin'] as const) assert.ok((await ask(path)).includes('<Hangup/>'));
      await world.runJobs();
      assert.deepEqual(carrier.hangUps, [call.sid]);
    });
  });
});
