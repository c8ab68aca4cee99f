import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newPhoneNumber } from '../../../src/areas/phone/numbers/phone-number.ts';
import { createNumberStore } from '../../../src/areas/phone/numbers/store.ts';
import { importNumberBody } from '../../../src/contract/phone/phone-number.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import { createAgent } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { phoneClient, usePhoneWorld } from './resources.ts';

onEachEngine('phone numbers', (engine) => {
  const world = usePhoneWorld(engine);
  const newClient = async () => {
    const { key } = await world.service.newKey();
    return { key, ...phoneClient(world.service, key) };
  };
  type Client = Awaited<ReturnType<typeof newClient>>;
  const issuesOf = (client: Client, status: number, body: object) =>
    client.refused(status, 'POST', '/phone-numbers', body);

  it('are imported with their defaults, and cannot call anyone until that is allowed', async () => {
    const client = await newClient();
    const carrier = await client.carrier();
    const made = await client.importNumber(carrier.id, '+81312345678');
    const { id, workspaceId, createdAt, updatedAt, ...rest } = made;
    assert.match(id, /^num_/);
    assert.deepEqual(rest, {
      carrierId: carrier.id,
      number: '+81312345678',
      name: '+81312345678',
      country: 'JP',
      status: 'verifying',
      inbound: {
        enabled: true,
        agentId: null,
        agentVersion: 'published',
        requestUrl: null,
        fallback: null,
        allowedCountries: [],
        blockedNumbers: [],
      },
      outbound: { enabled: false, agentIds: [], ringTimeoutMs: 30_000 },
      checks: [],
      verifiedAt: null,
      providerNumberId: null,
    });
    assert.deepEqual([workspaceId, updatedAt], [carrier.workspaceId, createdAt]);
    const test = await client.testCarrier();
    assert.equal((await client.importNumber(test.id, '+99910000001')).country, 'ZZ');
  });

  it('must be valid and in E.164 format: 400 proposes it where the country is plain', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const message = 'must be a valid phone number in E.164 format, such as +81312345678';
    const rows: [string, string][] = [
      ['03-1234-5678', message],
      ['+810312345678', `${message}; did you mean +81312345678?`],
      ['+81 3-1234-5678', `${message}; did you mean +81312345678?`],
      ['0081312345678', `${message}; did you mean +81312345678?`],
      ['81312345678', message],
      ['+1', message],
      ['+8190'.padEnd(1000, '1'), 'must be at most 40 characters long'],
      ['+8131234567', message],
      ['+99910000001', 'is a number of the provider test, which others cannot reach'],
    ];
    for (const [number, expected] of rows) {
      assert.deepEqual(await issuesOf(client, 400, { carrierId, number }), { number: [expected] }, number);
    }
    const { id: testId } = await client.testCarrier();
    for (const number of ['+81312345678', '+99900000001']) {
      assert.match((await issuesOf(client, 400, { carrierId: testId, number })).number[0], /^must be \+999/);
    }
  });

  it('are imported once: the second import names the first', async () => {
    const client = await newClient();
    const carrier = await client.carrier();
    const { id } = await client.importNumber(carrier.id, '+81312345678');
    const again = { carrierId: carrier.id, number: '+81312345678' };
    assert.deepEqual(await issuesOf(client, 422, again), { number: [`is already imported as ${id}`] });
    const other = await newClient();
    await other.importNumber((await other.carrier()).id, '+81312345678');
  });

  it('refuse carriers, agents, addresses and fallbacks that do not exist or are not allowed with 422', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const agentId = (await createAgent(world.service, client.key)).id;
    const number = '+81312345678';
    const unknown = `agt_${'0'.repeat(30)}`;
    const foreign = (await createAgent(world.service, (await newClient()).key)).id;
    const rows: [object, object][] = [
      [{ carrierId: 'car_x' }, { carrierId: ['is not a carrier of this workspace'] }],
      [{ inbound: { agentId: unknown } }, { inbound: [`agentId: there is no agent ${unknown}`] }],
      [{ outbound: { agentIds: [foreign] } }, { outbound: [`agentIds: there is no agent ${foreign}`] }],
      [
        { inbound: { requestUrl: 'https://shop.example.com/' } },
        { inbound: ['requestUrl: needs an inbound.agentId, whose secret signs the requests'] },
      ],
      [
        { inbound: { agentId, requestUrl: 'https://10.0.0.1/' } },
        { inbound: ['requestUrl: must not be an address in a local, private or reserved network'] },
      ],
      [
        { inbound: { fallback: { type: 'number', to: '+12025550123' } } },
        { inbound: ['fallback.to: is in US, which is not in limits.allowedCountries of the carrier'] },
      ],
      [
        { inbound: { fallback: { type: 'number', to: '+81990123456' } } },
        { inbound: ['fallback.to: is a premium-rate or shared-cost number'] },
      ],
      [{ inbound: { fallback: { type: 'number', to: number } } }, { inbound: ['fallback.to: is the number itself'] }],
    ];
    for (const [changes, expected] of rows) {
      assert.deepEqual(await issuesOf(client, 422, { carrierId, number, ...changes }), expected);
    }
    for (const inbound of [
      { agentVersion: 'latest' },
      { agentVersion: 0 },
      { fallback: { type: 'number', to: '03-1234-5678' } },
      { fallback: { type: 'message', text: 'x'.repeat(501) } },
      { blockedNumbers: ['+1'] },
      { allowedCountries: ['jp'] },
    ]) {
      assert.deepEqual(Object.keys(await issuesOf(client, 400, { carrierId, number, inbound })), ['inbound']);
    }
  });

  it('merge inbound and outbound when they are changed; lists and the fallback are replaced', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    const agentId = (await createAgent(world.service, client.key)).id;
    const inbound = { agentId, agentVersion: 1, blockedNumbers: ['+81312340000'], fallback: { type: 'reject' } };
    const { id } = await client.importNumber(carrierId, '+81312345678', { name: 'Shop', inbound });
    const path = `/phone-numbers/${id}`;
    const changed = await client.patch(path, {
      inbound: { fallback: { type: 'message', text: 'また後で' }, blockedNumbers: [] },
      outbound: { enabled: true },
    });
    assert.deepEqual([changed.name, changed.inbound.agentId, changed.inbound.agentVersion], ['Shop', agentId, 1]);
    assert.deepEqual(changed.inbound.fallback, { type: 'message', text: 'また後で' });
    assert.deepEqual(changed.inbound.blockedNumbers, []);
    assert.deepEqual(changed.outbound, { enabled: true, agentIds: [], ringTimeoutMs: 30_000 });
    const removed = await client.patch(path, { inbound: { agentId: null, fallback: null } });
    assert.deepEqual([removed.inbound.agentId, removed.inbound.fallback], [null, null]);
    assert.deepEqual(Object.keys(await client.refused(422, 'PATCH', path, { inbound: { agentId: 'agt_x' } })), [
      'inbound',
    ]);
  });

  it('have an ETag that checks do not change', async () => {
    const client = await newClient();
    world.addNumber('+81312340099');
    const { id } = await client.importNumber((await client.carrier()).id, '+81312340099');
    const path = `/phone-numbers/${id}`;
    const etag = (await client.call(200, 'GET', path)).headers.get('etag') as string;
    assert.match((await client.checked(id)).providerNumberId, /^PN/);
    assert.equal((await client.call(200, 'POST', `${path}/verify`)).headers.get('etag'), etag);
    await client.call(200, 'PATCH', path, { name: 'Shop' }, { 'if-match': etag });
    await client.call(409, 'PATCH', path, { name: 'Late' }, { 'if-match': etag });
    await client.call(409, 'DELETE', path, undefined, { 'if-match': etag });
    await client.call(200, 'DELETE', path);
    await client.call(404, 'GET', path);
  });

  it('are listed newest first, by carrier, provider, status, agent, name and digits', async () => {
    const client = await newClient();
    const agentId = (await createAgent(world.service, client.key)).id;
    const [twilio, test] = [await client.carrier(), await client.testCarrier()];
    const one = await client.importNumber(twilio.id, '+81312345678', { name: 'Tokyo', inbound: { agentId } });
    const two = await client.importNumber(test.id, '+99910000001');
    await Promise.all([client.checked(one.id), client.checked(two.id)]);
    const list = async (query: string) =>
      (await client.get(`/phone-numbers?${query}`)).items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await list(''), [two.id, one.id]);
    const ofOne = [
      `carrierId=${twilio.id}`,
      'provider=twilio',
      `agentId=${agentId}`,
      'q=TOKYO',
      'q=5678',
      `q=${one.id}`,
    ];
    for (const query of [...ofOne, 'status=failed']) assert.deepEqual(await list(query), [one.id], query);
    assert.deepEqual(await list('status=active'), [two.id]);
  });

  it('give the agent of a request before answering a secret to sign it with', async () => {
    const client = await newClient();
    const agentId = (await createAgent(world.service, client.key)).id;
    assert.deepEqual((await client.get(`/webhooks?agentId=${agentId}`)).items, []);
    const inbound = { agentId, requestUrl: 'https://shop.example.com/inbound' };
    await client.importNumber((await client.carrier()).id, '+81312345678', { inbound });
    assert.equal((await client.get(`/webhooks?agentId=${agentId}`)).items.length, 1);
  });

  it('are at most 1,000 in a workspace', async () => {
    const client = await newClient();
    const carrier = await client.testCarrier();
    const { database } = world.service;
    const numbers = createNumberStore(database);
    const newId = createIdGenerator();
    await database.transaction(async (queries) => {
      for (let count = 0; count < 1000; count += 1) {
        const number = `+9991${String(count).padStart(7, '0')}`;
        const fields = importNumberBody.parse({ carrierId: carrier.id, number: '+99910000000' });
        const made = newPhoneNumber(newId('num'), carrier, { ...fields, number }, new Date().toISOString());
        await numbers.insert(queries, made, { provider: 'test', isRouted: true });
      }
    });
    const body = { carrierId: carrier.id, number: '+99919999999' };
    const { error } = (await client.call(422, 'POST', '/phone-numbers', body)).json;
    assert.deepEqual([error.code, error.details], ['LIMIT_REACHED', { limit: 1000 }]);
  });

  it('cannot be deleted while one of their calls is open', async () => {
    const client = await newClient();
    const fields = { llmModel: 'test-echo', sttProvider: 'test', ttsProvider: 'test', voiceId: 'test' };
    const { id: agentId } = await createAgent(world.service, client.key, fields);
    await client.call(200, 'POST', `/agents/${agentId}/publish`);
    const inbound = { agentId };
    const { id } = await client.importNumber((await client.testCarrier()).id, '+99910000001', { inbound });
    const { callId } = (await client.call(201, 'POST', `/phone-numbers/${id}/test`, { phone: '11' })).json;
    const { error } = (await client.call(409, 'DELETE', `/phone-numbers/${id}`)).json;
    assert.deepEqual([error.code, error.details], ['RESOURCE_IN_USE', { usedBy: [callId] }]);
    await client.call(200, 'POST', `/calls/${callId}/end`);
    await client.call(200, 'DELETE', `/phone-numbers/${id}`);
  });

  it('are found as carriers write them: without the plus sign, with 00, or with the national 0', async () => {
    const client = await newClient();
    const { id: carrierId } = await client.carrier();
    for (const number of ['+81312345678', '+390612345678']) await client.importNumber(carrierId, number);
    const { findByCarrierAndTo } = createNumberStore(world.service.database);
    const find = async (to: string) =>
      (await findByCarrierAndTo(world.service.database, carrierId, to))?.phoneNumber.number ?? null;
    for (const to of ['+81312345678', '81312345678', '0081312345678', '0312345678']) {
      assert.equal(await find(to), '+81312345678', to);
    }
    // Italian numbers keep their 0.
    for (const to of ['+390612345678', '0612345678']) assert.equal(await find(to), '+390612345678', to);
    for (const to of ['+81312345679', '312345678', 'anonymous', '', '%']) assert.equal(await find(to), null, to);
  });

  it('can be called by a test phone, but only those of a test carrier', async () => {
    const client = await newClient();
    const test = await client.importNumber((await client.testCarrier()).id, '+99910000001');
    const { callId } = (await client.call(201, 'POST', `/phone-numbers/${test.id}/test`, { phone: '08' })).json;
    const call = await client.get(`/calls/${callId}`);
    assert.deepEqual(
      [call.type, call.direction, call.phoneNumberId, call.from, call.to],
      ['phone', 'inbound', test.id, '+999******08', '+999******01'],
    );
    const twilio = await client.importNumber((await client.carrier()).id, '+81312345678');
    await client.call(422, 'POST', `/phone-numbers/${twilio.id}/test`);
    assert.deepEqual(await client.refused(400, 'POST', `/phone-numbers/${test.id}/test`, { phone: '02' }), {
      phone: ['must be one of: 01, 08, 11, 12'],
    });
  });
});
