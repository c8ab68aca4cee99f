import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCarrierStore } from '../../../src/areas/phone/carriers/store.ts';
import { createDestinations, type DialMoment } from '../../../src/areas/phone/destinations.ts';
import { createDialStore } from '../../../src/areas/phone/dials/store.ts';
import { createDoNotCallStore } from '../../../src/areas/phone/do-not-call/store.ts';
import { createNumberStore } from '../../../src/areas/phone/numbers/store.ts';
import type { Carrier } from '../../../src/contract/phone/carrier.ts';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { testSealer } from '../../support/sealer.ts';
import { phoneClient, twilioCarrier, usePhoneWorld } from './resources.ts';

const moments: readonly DialMoment[] = ['create', 'dial', 'transfer'];
const dayMs = 24 * 3_600_000;
/** Noon, so that an hour ago is the same day. */
const noon = 20_000 * dayMs + dayMs / 2;

onEachEngine('what may be dialed', (engine) => {
  const world = usePhoneWorld(engine);
  const newClient = async () => {
    const { key } = await world.service.newKey();
    return { key, ...phoneClient(world.service, key) };
  };
  let time = noon;
  const now = () => time;
  /** The rules on the same database as the service, at a time that the test sets. */
  const parts = () => {
    const { database } = world.service;
    const unused = async (): Promise<never> => {
      throw new Error('not used');
    };
    const ownAddress = () => '';
    const carriers = createCarrierStore({
      ...{ database, sealer: testSealer, now, clientOf: unused, publicUrl: null, ownAddress, onStatusChange: unused },
    });
    const numbers = createNumberStore(database);
    const doNotCall = createDoNotCallStore(database, now);
    const destinations = createDestinations({ carriers, numbers, doNotCall, sealer: testSealer, now });
    return { database, carriers, destinations, dials: createDialStore(database, testSealer) };
  };
  /** The rule that forbids a number at each moment. */
  const rules = async (carrier: Carrier, to: string, of = moments): Promise<(string | null)[]> => {
    const { destinations, database } = parts();
    const found = [];
    for (const moment of of) {
      found.push((await destinations.forbiddenBy(database, { carrier, to, moment }))?.rule ?? null);
    }
    return found;
  };
  const always = (rule: string | null) => moments.map(() => rule);
  /** A rule for calls that does not apply to transfers and fallbacks. */
  const ofCalls = (rule: string) => [rule, rule, null];
  /** A call to the number, as the service has dialed it. */
  const dialed = async (carrier: Carrier, to: string, count: number, fields: { sentAt?: number | null } = {}) => {
    const { dials, destinations, database } = parts();
    for (let index = 0; index < count; index += 1) {
      const callId = `call_${Math.random().toString(36).slice(2)}${index}`;
      const key = { callId, leg: 'call', workspaceId: carrier.workspaceId, carrierId: carrier.id };
      const destination = destinations.digestOf(carrier.workspaceId, to);
      const state = { direction: 'outbound', state: 'intended', providerCallId: null, mode: null } as const;
      await dials.insert(database, { ...key, ...state, destination, createdAt: now(), plan: null });
      if (fields.sentAt !== null) await dials.markSent(database, key, fields.sentAt ?? now());
    }
  };

  it('is a number of a country that the carrier has numbers in, or that its limits name', async () => {
    const client = await newClient();
    const carrier = await client.carrier();
    assert.deepEqual(await rules(carrier, '+819012345678'), always('country'));
    await client.importNumber(carrier.id, '+81312345678');
    assert.deepEqual(await rules(carrier, '+819012345678'), always(null));
    assert.deepEqual(await rules(carrier, '+12025550123'), always('country'));
    const american = await client.carrier(twilioCarrier({ limits: { allowedCountries: ['US'] } }));
    assert.deepEqual(await rules(american, '+12025550123'), always(null));
    assert.deepEqual(await rules(american, '+819012345678'), always('country'));
    // The country code +1 does not open the Caribbean.
    assert.deepEqual(await rules(american, '+18765551234'), always('country'));
    const none = await client.carrier(twilioCarrier({ limits: { allowedCountries: [] } }));
    assert.deepEqual(await rules(none, '+12025550123'), always('country'));
  });

  it('is never a premium-rate or shared-cost number, or one without a country, whatever the limits say', async () => {
    const client = await newClient();
    const allowedCountries = ['JP', 'GB', 'US', 'ZZ'];
    const carrier = await client.carrier(twilioCarrier({ limits: { allowedCountries } }));
    for (const to of ['+81990123456', '+19002345678', '+449012345678', '+448431234567']) {
      assert.deepEqual(await rules(carrier, to), always('type'), to);
    }
    for (const to of ['+80012345678', '+870773111632', '+979123456789']) {
      assert.deepEqual(await rules(carrier, to), always('type'), to);
    }
  });

  it('is not one of our own numbers', async () => {
    const client = await newClient();
    const carrier = await client.carrier();
    await client.importNumber(carrier.id, '+81312345678');
    assert.deepEqual(await rules(carrier, '+81312345678'), always('own_number'));
    const other = await newClient();
    const others = await other.carrier(twilioCarrier({ limits: { allowedCountries: ['JP'] } }));
    assert.deepEqual(await rules(others, '+81312345678'), always(null));
  });

  it('is +999 for a test carrier, which dials nothing else, and for nobody else', async () => {
    const client = await newClient();
    const [test, carrier] = [await client.testCarrier(), await client.carrier()];
    await client.importNumber(carrier.id, '+81312345678');
    assert.deepEqual(await rules(test, '+99900000001'), always(null));
    assert.deepEqual(await rules(test, '+819012345678'), always('provider'));
    assert.deepEqual(await rules(carrier, '+99900000001'), always('provider'));
  });

  it('is not on the do-not-call list, which is about calls, not transfers', async () => {
    const client = await newClient();
    const test = await client.testCarrier();
    await client.call(201, 'POST', '/do-not-call', { numbers: ['+99900000001'] });
    assert.deepEqual(await rules(test, '+99900000001'), ofCalls('do_not_call'));
    assert.deepEqual(await rules(test, '+99900000002'), always(null));
    const other = await newClient();
    assert.deepEqual(await rules(await other.testCarrier(), '+99900000001'), always(null));
  });

  it('is a number that was not called ten times within an hour; waiting calls do not block each other', async () => {
    const client = await newClient();
    const test = await client.testCarrier();
    const to = '+99900000001';
    await dialed(test, to, 9);
    assert.deepEqual(await rules(test, to), always(null));
    await dialed(test, to, 1, { sentAt: null });
    assert.deepEqual(await rules(test, to), ['same_destination', null, null]);
    await dialed(test, to, 1);
    assert.deepEqual(await rules(test, to), ofCalls('same_destination'));
    assert.deepEqual(await rules(test, '+99900000002'), always(null));
    time += 3_600_000;
    assert.deepEqual(await rules(test, to), always(null));
    time = noon;
  });

  it('is nothing once the minutes of the day are used up, including those of calls in progress', async () => {
    const client = await newClient();
    const body = { name: 'Test', provider: 'test', limits: { maxMinutesPerDay: 10 } };
    const test = await client.carrier(body);
    const to = '+99900000001';
    const { carriers, dials, database } = parts();
    await carriers.addUsage(database, test, 5 * 60_000);
    assert.deepEqual(await rules(test, to), always(null));
    const key = { callId: `call_${test.id}`, leg: 'call', workspaceId: test.workspaceId, carrierId: test.id };
    const state = { direction: 'outbound', state: 'intended', providerCallId: null, mode: null } as const;
    await dials.insert(database, { ...key, ...state, destination: null, createdAt: now(), plan: null });
    await dials.raiseRank(database, key, 2, now());
    time += 5 * 60_000 - 1;
    assert.deepEqual(await rules(test, to), always(null));
    time += 1;
    assert.deepEqual(await rules(test, to), ofCalls('max_minutes_per_day'));
    await dials.raiseRank(database, key, 3, now());
    assert.deepEqual(await rules(test, to), always(null));
    // A call from yesterday counts from midnight on.
    time = noon + dayMs / 2 + 60_000;
    await carriers.addUsage(database, test, 60 * 60_000);
    assert.equal(await carriers.usedMs(database, test), 60_000);
    time = noon;
    const none = await client.carrier({ ...body, limits: { maxMinutesPerDay: 0 } });
    assert.deepEqual(await rules(none, to), ofCalls('max_minutes_per_day'));
  });

  it('decides about a new call, about one that waited, and about a fallback, and names the rule', async () => {
    const client = await newClient();
    const fields = { llmModel: 'test-echo', sttProvider: 'test', ttsProvider: 'test', voiceId: 'test' };
    const { id: agentId } = await createAgent(world.service, client.key, fields);
    const carrier = await client.testCarrier();
    const number = await client.importNumber(carrier.id, '+99910000001', { outbound: { enabled: true } });
    await client.checked(number.id);
    const call = { type: 'phone', agentId, agentVersion: 'latest', fromPhoneNumberId: number.id };
    const create = (to: string, more: object = {}) =>
      send(world.service, 'POST', '/api/v1/calls', { key: client.key, body: { ...call, to, ...more } });
    await client.call(201, 'POST', '/do-not-call', { numbers: ['+99900000001'] });
    const refused = await create('+99900000001');
    assert.equal(refused.status, 422);
    assert.deepEqual(refused.json.error.details.fieldErrors, { to: ['is on the do-not-call list'] });

    // Paced, so that it waits: meanwhile the person asks not to be called.
    await client.patch(`/carriers/${carrier.id}`, { limits: { maxCallsPerSecond: 0.5 } });
    assert.equal((await create('+99900000102')).status, 201);
    const waiting = await create('+99900000202');
    assert.equal(waiting.status, 201, waiting.text);
    await client.call(201, 'POST', '/do-not-call', { numbers: ['+99900000202'] });
    const ended = await eventually(async () => {
      const found = await client.get(`/calls/${waiting.json.id}`);
      return found.status === 'not_connected' && found;
    });
    assert.deepEqual([ended.endReason, /do-not-call/.test(ended.endDetail)], ['destination_not_allowed', true]);

    const fallback = { type: 'number', to: '+99910000001' };
    const issues = await client.refused(422, 'PATCH', `/phone-numbers/${number.id}`, { inbound: { fallback } });
    assert.deepEqual(issues, { inbound: ['fallback.to: is the number itself'] });

    await client.patch(`/carriers/${carrier.id}`, { limits: { maxMinutesPerDay: 0 } });
    const { error } = (await create('+99900000302')).json;
    assert.deepEqual([error.code, error.details], ['LIMIT_REACHED', { limit: 0 }]);
  });

  it('is nothing for a number that nobody has allowed to make calls', async () => {
    const client = await newClient();
    const { id: agentId } = await createAgent(world.service, client.key, { llmModel: 'test-echo' });
    const number = await client.importNumber((await client.testCarrier()).id, '+99910000001');
    await client.checked(number.id);
    const call = { type: 'phone', agentId, agentVersion: 'latest', fromPhoneNumberId: number.id, to: '+99900000001' };
    const issues = await client.refused(422, 'POST', '/calls', call);
    assert.match(issues.fromPhoneNumberId[0], /outbound\.enabled/);
  });
});
