import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCarrierStore } from '../../../src/areas/phone/carriers/store.ts';
import { createAgent } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { testSealer } from '../../support/sealer.ts';
import { accountSid, apiKey, phoneClient, twilioCarrier, usePhoneWorld } from './resources.ts';

const unset = { set: false, updatedAt: null };

onEachEngine('carriers', (engine) => {
  const world = usePhoneWorld(engine);
  const newClient = async () => phoneClient(world.service, (await world.service.newKey()).key);

  it('are unverified at first, and never show their credentials', async () => {
    const client = await newClient();
    const { id, workspaceId, createdAt, updatedAt, credentials, ...rest } = await client.carrier();
    assert.deepEqual(rest, {
      name: 'Shop',
      provider: 'twilio',
      settings: { accountSid },
      limits: { allowedCountries: null, maxMinutesPerDay: 600, maxCallsPerSecond: 1, maxConcurrent: null },
      status: 'unverified',
      checks: [],
      verifiedAt: null,
    });
    const set = { set: true, updatedAt: createdAt };
    assert.deepEqual(credentials, { authToken: set, apiKeySid: unset, apiKeySecret: unset });
    assert.equal(updatedAt, createdAt);
    assert.equal((await client.get(`/carriers/${id}`)).workspaceId, workspaceId);
    assert.deepEqual((await client.testCarrier()).credentials, {});
    assert.equal(world.twilio.carrier.log().length, 0);
  });

  it('refuse credentials of another provider with 422, and missing or malformed ones with 400', async () => {
    const client = await newClient();
    const create = (status: number, body: object) => client.refused(status, 'POST', '/carriers', body);
    const test = { name: 'Test', provider: 'test' };
    assert.deepEqual(Object.keys(await create(422, { ...test, credentials: { authToken: 'x' } })), ['credentials']);
    assert.deepEqual(Object.keys(await create(422, { ...test, settings: { accountSid } })), ['settings']);
    assert.deepEqual(Object.keys(await create(400, { name: 'Shop', provider: 'twilio' })), ['settings', 'credentials']);
    const half = { authToken: 'x', apiKeySid: apiKey.sid };
    assert.deepEqual(Object.keys(await create(400, twilioCarrier({ credentials: half }))), ['credentials']);
    const wrong: [string, object][] = [
      ['name', { name: '' }],
      ['provider', { provider: 'sip' }],
      ['settings', { settings: { accountSid: 'AC1' } }],
      ['credentials', { credentials: { authToken: 'two words' } }],
      ['limits', { limits: { maxCallsPerSecond: 51 } }],
      ['limits', { limits: { maxMinutesPerDay: -1 } }],
      ['limits', { limits: { maxConcurrent: 0 } }],
      ['limits', { limits: { allowedCountries: ['Japan'] } }],
    ];
    for (const [field, changes] of wrong) {
      assert.deepEqual(Object.keys(await create(400, twilioCarrier(changes))), [field]);
    }
  });

  it('merge changes; null removes a credential, and a changed credential has to be verified again', async () => {
    const client = await newClient();
    const { id } = await client.carrier();
    const path = `/carriers/${id}`;
    assert.equal((await client.call(200, 'POST', `${path}/verify`)).json.status, 'active');
    const limited = await client.patch(path, { name: 'Desk', limits: { allowedCountries: ['JP', 'US'] } });
    assert.deepEqual(
      [limited.name, limited.limits.allowedCountries, limited.limits.maxMinutesPerDay, limited.status],
      ['Desk', ['JP', 'US'], 600, 'active'],
    );
    const { sid, secret } = apiKey;
    const keyed = await client.patch(path, { credentials: { apiKeySid: sid, apiKeySecret: secret } });
    assert.deepEqual([keyed.status, keyed.checks, keyed.verifiedAt], ['unverified', [], null]);
    assert.deepEqual([keyed.credentials.authToken.set, keyed.credentials.apiKeySecret.set], [true, true]);
    assert.equal((await client.call(200, 'POST', `${path}/verify`)).json.status, 'active');
    const removed = await client.patch(path, { credentials: { apiKeySid: null, apiKeySecret: null } });
    assert.deepEqual([removed.credentials.apiKeySid, removed.credentials.apiKeySecret], [unset, unset]);
    assert.deepEqual(Object.keys(await client.refused(422, 'PATCH', path, { credentials: { authToken: null } })), [
      'credentials',
    ]);
    assert.equal((await client.patch(path, { limits: { allowedCountries: null } })).limits.allowedCountries, null);
  });

  it('have an ETag that checks do not change', async () => {
    const client = await newClient();
    const { id } = await client.carrier();
    const path = `/carriers/${id}`;
    const etag = (await client.call(200, 'GET', path)).headers.get('etag') as string;
    const verified = await client.call(200, 'POST', `${path}/verify`);
    assert.deepEqual([verified.headers.get('etag'), verified.json.status], [etag, 'active']);
    const changed = await client.call(200, 'PATCH', path, { name: 'Desk' }, { 'if-match': etag });
    assert.notEqual(changed.headers.get('etag'), etag);
    await client.call(409, 'PATCH', path, { name: 'Late' }, { 'if-match': etag });
    await client.call(409, 'DELETE', path, undefined, { 'if-match': etag });
    await client.call(200, 'DELETE', path, undefined, { 'if-match': changed.headers.get('etag') as string });
    await client.call(404, 'GET', path);
  });

  it('are listed newest first, by provider, status, name and id', async () => {
    const client = await newClient();
    const [one, two] = [await client.carrier(twilioCarrier({ name: 'Ｔｏｋｙｏ' })), await client.testCarrier()];
    await client.call(200, 'POST', `/carriers/${two.id}/verify`);
    const list = async (query: string) =>
      (await client.get(`/carriers?${query}`)).items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await list(''), [two.id, one.id]);
    for (const query of ['provider=twilio', 'status=unverified', 'q=tOKYO', `q=${one.id}`]) {
      assert.deepEqual(await list(query), [one.id], query);
    }
    assert.deepEqual(await list('status=failing'), []);
    const { items, pagination } = await client.get('/carriers?limit=1');
    assert.equal(items[0].id, two.id);
    assert.deepEqual(await list(`limit=1&cursor=${pagination.nextCursor}`), [one.id]);
  });

  it('cannot be deleted while they have numbers', async () => {
    const client = await newClient();
    const { id } = await client.testCarrier();
    const number = await client.importNumber(id, '+99910000001');
    const refused = (await client.call(409, 'DELETE', `/carriers/${id}`)).json.error;
    assert.deepEqual([refused.code, refused.details], ['RESOURCE_IN_USE', { usedBy: [number.id] }]);
    await client.call(200, 'DELETE', `/phone-numbers/${number.id}`);
    assert.deepEqual((await client.call(200, 'DELETE', `/carriers/${id}`)).json, { id, deleted: true });
  });

  it('are at most 20 in a workspace', async () => {
    const client = await newClient();
    for (let count = 0; count < 20; count += 1) await client.testCarrier();
    const { error } = (await client.call(422, 'POST', '/carriers', { name: 'Test', provider: 'test' })).json;
    assert.deepEqual([error.code, error.details], ['LIMIT_REACHED', { limit: 20 }]);
  });

  it('list the numbers of the account with their imports, and fail with 502 if the provider does', async () => {
    const client = await newClient();
    const { id } = await client.carrier();
    world.addNumber('+81312340001', { friendlyName: 'Shop' });
    world.addNumber('+81312340002', { voice: false });
    const imported = await client.importNumber(id, '+81312340001');
    const { items } = await client.get(`/carriers/${id}/numbers`);
    const own = items.filter(({ number }: { number: string }) => number.startsWith('+8131234000'));
    assert.deepEqual(own, [
      { number: '+81312340001', name: 'Shop', voice: true, importedAs: imported.id },
      { number: '+81312340002', name: '+81312340002', voice: false, importedAs: null },
    ]);
    const wrong = await client.carrier(twilioCarrier({ credentials: { authToken: 'wrong' } }));
    const { error } = (await client.call(502, 'GET', `/carriers/${wrong.id}/numbers`)).json;
    assert.deepEqual([error.code, error.details.provider], ['UPSTREAM_ERROR', 'twilio']);
    assert.ok(!JSON.stringify(error).includes('wrong'));
  });

  it('tell webhooks about every change of their status', async () => {
    const { key } = await world.service.newKey();
    const client = phoneClient(world.service, key);
    await createAgent(world.service, key);
    const { id } = await client.carrier();
    await client.call(200, 'POST', `/carriers/${id}/verify`);
    await client.call(200, 'POST', `/carriers/${id}/verify`);
    await client.patch(`/carriers/${id}`, { credentials: { authToken: 'another' } });
    const { items } = await client.get('/events?types=carrier_status_changed');
    const changes = items
      .filter(({ type }: { type: string }) => type === 'carrier_status_changed')
      .map(({ subject, body }: { subject: object; body: { data: { from: string; to: string } } }) => [
        subject,
        body.data.from,
        body.data.to,
      ]);
    const subject = { type: 'carrier', id };
    assert.deepEqual(changes, [
      [subject, 'active', 'unverified'],
      [subject, 'unverified', 'active'],
    ]);
  });

  it('are failing after three calls in a row that failed at the carrier, and active after the next that did not', async () => {
    const client = await newClient();
    const carrier = await client.testCarrier();
    await client.call(200, 'POST', `/carriers/${carrier.id}/verify`);
    const { database } = world.service;
    const changes: string[] = [];
    const unused = async (): Promise<never> => {
      throw new Error('not used');
    };
    const store = createCarrierStore({
      ...{ database, sealer: testSealer, now: Date.now, clientOf: unused, publicUrl: null, ownAddress: () => '' },
      onStatusChange: async (_, { from, to, reason }) => void changes.push(`${from} ${to}: ${reason}`),
    });
    const note = (outcome: 'failed' | 'succeeded') =>
      database.transaction((queries) => store.noteOutcome(queries, carrier, outcome));
    const status = async () => (await client.get(`/carriers/${carrier.id}`)).status;
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) await note(outcome);
    assert.equal(await status(), 'active');
    await note('failed');
    assert.equal(await status(), 'failing');
    await note('failed');
    await note('succeeded');
    assert.equal(await status(), 'active');
    assert.deepEqual(changes, [
      'active failing: Three calls in a row failed at the carrier.',
      'failing active: A call succeeded.',
    ]);
  });

  it('dial at most as often as their limit says, across instances', async () => {
    const client = await newClient();
    const body = { name: 'Test', provider: 'test', limits: { maxCallsPerSecond: 4 } };
    const { id, workspaceId } = await client.carrier(body);
    const { database } = world.service;
    const unused = async (): Promise<never> => {
      throw new Error('not used');
    };
    const store = createCarrierStore({
      ...{ database, sealer: testSealer, now: Date.now, clientOf: unused, publicUrl: null, ownAddress: () => '' },
      onStatusChange: unused,
    });
    const row = await store.read(database, workspaceId, id);
    assert.ok(row !== undefined);
    const reserve = (at: number) => database.transaction((queries) => store.reserveDialTime(queries, row, at));
    const times = await Promise.all([1000, 1000, 1000].map(reserve));
    assert.deepEqual(times.sort(), [1000, 1250, 1500]);
    assert.equal(await reserve(5000), 5000);
    assert.equal(await reserve(5001), 5250);
  });
});
