import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createPublicAddress } from '../../../src/areas/phone/public-address.ts';
import { certificate } from '../../support/certificate.ts';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { httpsReceiver, rawReceiver } from '../../support/receiver.ts';
import { startService } from '../../support/service.ts';
import { accountSid, phoneClient, usePhoneWorld } from './resources.ts';

onEachEngine('the checks of a number', (engine) => {
  const world = usePhoneWorld(engine);
  const newClient = async () => {
    const { key } = await world.service.newKey();
    return { key, ...phoneClient(world.service, key) };
  };
  let numbers = 0;
  const newNumber = (settings: Parameters<typeof world.addNumber>[1] = {}): string => {
    numbers += 1;
    const number = `+8131234${String(1000 + numbers)}`;
    world.addNumber(number, settings);
    return number;
  };
  const atCarrier = (number: string) => world.twilio.carrier.account(accountSid)?.number(number);
  const publishedAgent = async (key: string): Promise<string> => {
    const { id } = await createAgent(world.service, key);
    await send(world.service, 'POST', `/api/v1/agents/${id}/publish`, { key });
    return id;
  };
  type Named = { name: string; status: string; message: string; remedy: string | null };
  const failed = ({ checks }: { checks: Named[] }) =>
    checks.filter(({ status }) => status === 'failed').map(({ name }) => name);

  it('pass after the import, which has routed the number here, and never its fallback URL', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const number = newNumber({ voiceUrl: 'https://old.example.com/', voiceFallbackUrl: 'https://own.example.com/' });
    const { id } = await client.importNumber(carrierId, number, {
      inbound: { agentId: await publishedAgent(client.key) },
    });
    const checked = await client.checked(id);
    assert.deepEqual([checked.status, failed(checked)], ['active', []]);
    assert.deepEqual(
      checked.checks.map(({ name, status, remedy }: Named) => [name, status, remedy]),
      ['credentials', 'public_address', 'number_owned', 'inbound_route', 'agent'].map((name) => [name, 'passed', null]),
    );
    const { voiceUrl, statusCallback, voiceFallbackUrl } = atCarrier(number) ?? {};
    assert.deepEqual(
      [voiceUrl, statusCallback, voiceFallbackUrl],
      [
        `${world.door.url}/carrier/v1/${carrierId}/voice`,
        `${world.door.url}/carrier/v1/${carrierId}/status`,
        'https://own.example.com/',
      ],
    );
    assert.deepEqual(world.twilio.carrier.violations, []);
  });

  it('each fail with what was found and what to do', async () => {
    const client = await newClient();
    const agentId = await publishedAgent(client.key);
    const { id: carrierId } = await client.carrier();
    const number = newNumber();
    const { id } = await client.importNumber(carrierId, number, { inbound: { agentId } });
    await client.checked(id);
    const path = `/phone-numbers/${id}`;
    const expectFailure = async (name: string, message: RegExp, remedy: RegExp): Promise<void> => {
      const check = await client.check(path, name);
      assert.deepEqual([check.status, name], ['failed', name]);
      assert.match(check.message, message);
      assert.match(check.remedy, remedy);
    };

    await client.patch(`/carriers/${carrierId}`, { credentials: { authToken: 'wrong' } });
    await expectFailure('credentials', /./, /^Copy the account SID/);
    assert.equal((await client.get(path)).status, 'failed');
    await client.patch(`/carriers/${carrierId}`, { credentials: { authToken: 'planted-auth-token' } });

    world.door.mode = 'wrong service';
    await expectFailure('public_address', /answered with status 200, and not by this service/, /PUBLIC_URL/);
    world.door.mode = 'silent';
    await expectFailure('public_address', /got no response/, /DNS entry/);
    world.door.mode = 'open';

    const owned = atCarrier(number);
    assert.ok(owned);
    owned.voiceUrl = 'https://other.example.com/';
    await expectFailure('inbound_route', /go to another address/, new RegExp(`/carrier/v1/${carrierId}/voice`));
    assert.equal((await client.get(path)).status, 'partial');
    owned.trunkSid = `TK${'0'.repeat(32)}`;
    await expectFailure('inbound_route', /overrides its voice URL/, /^Remove the trunk/);
    owned.trunkSid = '';
    owned.voice = false;
    await expectFailure('number_owned', /cannot make or receive calls/, /voice-capable/);

    await client.patch(path, { inbound: { agentVersion: 7 } });
    await expectFailure('agent', /has no version 7/, /^Publish the agent/);
    await client.patch(path, { inbound: { agentId: null } });
    await expectFailure('agent', /No agent answers/, /^Choose an agent/);
    await client.patch(path, { inbound: { enabled: false } });
    assert.equal((await client.check(path, 'agent')).status, 'passed');

    const absent = await client.importNumber(carrierId, '+81398765432', { inbound: { agentId } });
    assert.deepEqual(failed(await client.checked(absent.id)), ['number_owned', 'inbound_route']);
    const check = await client.check(`/phone-numbers/${absent.id}`, 'number_owned');
    assert.match(check.message, /not in this account/);
    assert.match(check.remedy, /Active numbers/);
  });

  it('of the public address fail without PUBLIC_URL, and without https unless the carrier is on this machine', async () => {
    const rows: [string | null, string, RegExp][] = [
      [null, 'https://api.twilio.com', /^PUBLIC_URL is not set/],
      ['http://voice.example.com', 'http://127.0.0.1:1', /^PUBLIC_URL is not an https address/],
      ['http://127.0.0.1:1', 'https://api.twilio.com', /^PUBLIC_URL is not an https address/],
      ['http://127.0.0.1:1', 'http://localhost:2', /got no response/],
    ];
    for (const [publicUrl, carrierUrl, message] of rows) {
      const { problem } = createPublicAddress({ publicUrl, carrierUrl, proxy: null, key: Buffer.alloc(32) });
      const found = await problem(new AbortController().signal);
      assert.match(found?.message ?? '', message);
      assert.match(found?.remedy ?? '', /PUBLIC_URL/);
    }
    const own = await startService(engine, { twilioUrl: world.twilio.address });
    const client = phoneClient(own, (await own.newKey()).key);
    const { id } = await client.carrier();
    assert.match((await client.check(`/carriers/${id}`, 'public_address')).message, /^PUBLIC_URL is not set/);
    assert.equal((await client.get(`/carriers/${id}`)).status, 'unverified');
    await own.close();
  });

  it('all pass for a test carrier, without an account, a network or PUBLIC_URL', async () => {
    const own = await startService(engine);
    const client = phoneClient(own, (await own.newKey()).key);
    const { id: carrierId } = await client.testCarrier();
    const { json } = await client.call(200, 'POST', `/carriers/${carrierId}/verify`);
    assert.deepEqual([json.status, failed(json), json.checks.length], ['active', [], 2]);
    const { id } = await client.importNumber(carrierId, '+99910000001');
    const checked = await client.checked(id);
    assert.deepEqual([checked.status, failed(checked), checked.checks.length], ['active', [], 5]);
    await own.close();
  });

  it('leave a number as it is at the carrier if configureCarrier is false', async () => {
    const client = await newClient();
    const number = newNumber({ voiceUrl: 'https://old.example.com/' });
    const inbound = { agentId: await publishedAgent(client.key) };
    const more = { inbound, configureCarrier: false };
    const { id } = await client.importNumber((await client.carrier()).id, number, more);
    assert.deepEqual(failed(await client.checked(id)), ['inbound_route']);
    assert.equal(atCarrier(number)?.voiceUrl, 'https://old.example.com/');
    await client.call(200, 'DELETE', `/phone-numbers/${id}`);
    assert.equal(atCarrier(number)?.voiceUrl, 'https://old.example.com/');
  });

  it('deleting a number restores the voice URL of before the import, also if its carrier is deleted at once', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const number = newNumber({ voiceUrl: 'https://old.example.com/', statusCallback: 'https://old.example.com/s' });
    const { id } = await client.importNumber(carrierId, number);
    await client.checked(id);
    await client.call(200, 'DELETE', `/phone-numbers/${id}`);
    await client.call(200, 'DELETE', `/carriers/${carrierId}`);
    await eventually(() => atCarrier(number)?.voiceUrl === 'https://old.example.com/');
    assert.equal(atCarrier(number)?.statusCallback, 'https://old.example.com/s');
  });

  it('deleting a number changes nothing at the carrier if somebody else has routed it meanwhile', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const [moved, other] = [newNumber({ voiceUrl: 'https://old.example.com/' }), newNumber()];
    const { id } = await client.importNumber(carrierId, moved);
    await client.checked(id);
    const owned = atCarrier(moved);
    assert.ok(owned);
    owned.voiceUrl = 'https://new.example.com/';
    await client.call(200, 'DELETE', `/phone-numbers/${id}`);
    // Jobs of a workspace run in order, so that this one is after the other.
    const later = await client.importNumber(carrierId, other);
    await client.checked(later.id);
    await client.call(200, 'DELETE', `/phone-numbers/${later.id}`);
    await eventually(() => atCarrier(other)?.voiceUrl === '');
    assert.equal(owned.voiceUrl, 'https://new.example.com/');
  });

  it('are repeated until a carrier that failed has routed the number', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const number = newNumber();
    const fault = { kind: 'error_500' } as const;
    world.twilio.carrier.faults.add({ of: 'request', method: 'POST', path: '/IncomingPhoneNumbers/', fault });
    const inbound = { agentId: await publishedAgent(client.key) };
    const { id } = await client.importNumber(carrierId, number, { inbound });
    assert.deepEqual(failed(await client.checked(id)), ['inbound_route']);
    await eventually(async () => (await client.get(`/phone-numbers/${id}`)).status === 'active', 'the second attempt');
  });

  it('can be asked for ten times a minute', async () => {
    const own = await startService(engine, { rateLimits: { calls: null } });
    const client = phoneClient(own, (await own.newKey()).key);
    const { id: carrierId } = await client.testCarrier();
    const { id } = await client.importNumber(carrierId, '+99910000001');
    for (let count = 0; count < 5; count += 1) {
      await client.call(200, 'POST', `/carriers/${carrierId}/verify`);
      await client.call(200, 'POST', `/phone-numbers/${id}/verify`);
    }
    await client.call(429, 'POST', `/carriers/${carrierId}/verify`);
    await client.call(429, 'POST', `/phone-numbers/${id}/verify`);
    await own.close();
  });
});

describe('the check of the public address', () => {
  const publicUrl = 'https://receiver.example';
  const check = (port: number) =>
    createPublicAddress({
      ...{ publicUrl, carrierUrl: 'https://api.twilio.com', key: Buffer.alloc(32) },
      proxy: `http://127.0.0.1:${port}`,
    });

  it('goes through OUTBOUND_PROXY, like every other request of this service', async () => {
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, certificate]);
    try {
      const lines: string[] = [];
      const service = await httpsReceiver(async ({ url = '' }, response) => {
        const nonce = url.split('/').at(-1) ?? '';
        const { body } = await address.route.serve({ params: { nonce } } as never);
        response.end(body);
      });
      const proxy = await rawReceiver((socket) => {
        socket.once('data', (data) => {
          lines.push(String(data).split('\r\n')[0] ?? '');
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          const target = connect(service.port, '127.0.0.1').on('error', () => socket.destroy());
          socket.pipe(target).pipe(socket);
          socket.once('close', () => target.destroy());
        });
      });
      const address = check(proxy.port);
      assert.equal(await address.problem(new AbortController().signal), null);
      assert.deepEqual(lines, ['CONNECT receiver.example:443 HTTP/1.1']);
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it('fails with its remedy if the proxy does not connect', async () => {
    const { port } = await rawReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
    });
    const found = await check(port).problem(new AbortController().signal);
    assert.equal(found?.message, 'A request to receiver.example got no response.');
    assert.match(found?.remedy ?? '', /OUTBOUND_PROXY/);
  });
});
