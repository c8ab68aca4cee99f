import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import twilio from 'twilio';
import { type LocalCarrier, startLocalCarrier } from '../../../../src/voice/carriers/local/server.ts';
import { accountSid, apiKey, authToken, number, World } from './world.ts';

/** Twilio's own client, with another address. */
class LocalClient extends twilio.RequestClient {
  readonly #address: string;

  constructor(address: string) {
    super();
    this.#address = address;
  }

  override request<Data>(options: Parameters<typeof twilio.RequestClient.prototype.request<Data>>[0]) {
    const uri = options.uri.replace('https://api.twilio.com', this.#address);
    return super.request<Data>({ ...options, uri });
  }
}

interface TwilioError {
  readonly status: number;
  readonly code: number;
  readonly moreInfo: string;
}

function isRefusal(status: number, code: number): (error: TwilioError) => boolean {
  return (error) => {
    assert.deepEqual([error.status, error.code], [status, code]);
    assert.equal(error.moreInfo, `https://www.twilio.com/docs/errors/${code}`);
    return true;
  };
}

/** Every field that Twilio's package reads is there. */
function assertComplete(resource: { toJSON(): object } | undefined): void {
  const missing = Object.entries(resource?.toJSON() ?? { resource }).filter(([, value]) => value === undefined);
  assert.deepEqual(missing, []);
}

describe("the local carrier, driven by Twilio's package", () => {
  let local: LocalCarrier;
  let client: twilio.Twilio;
  const call = { to: '+99900000003', from: number, url: 'http://127.0.0.1:9/answer' };

  before(async () => {
    local = await startLocalCarrier({ now: Date.now });
    local.addAccount({ accountSid, authToken, apiKeys: [apiKey], numbersOnDemand: true });
    client = twilio(accountSid, authToken, { httpClient: new LocalClient(local.address) });
  });

  after(() => local.close());

  it('creates, fetches, cancels and lists calls', async () => {
    const created = await client.calls.create({ ...call, statusCallbackEvent: ['ringing', 'completed'], timeout: 30 });
    assert.match(created.sid, /^CA[0-9a-f]{32}$/);
    assert.deepEqual(
      [created.status, created.direction, created.to, created.from, created.duration, created.answeredBy],
      ['queued', 'outbound-api', call.to, number, null, null],
    );
    assertComplete(created);
    assert.ok(Math.abs(created.dateCreated.getTime() - Date.now()) < 60_000);
    assert.equal((await client.calls(created.sid).fetch()).sid, created.sid);
    const canceled = await client.calls(created.sid).update({ status: 'canceled' });
    assert.equal(canceled.status, 'canceled');
    const [listed] = await client.calls.list({ to: call.to, from: number, status: 'canceled' });
    assert.equal(listed?.sid, created.sid);
    assert.deepEqual(await client.calls.list({ to: '+99900000099' }), []);
    await assert.rejects(client.calls(created.sid).update({ status: 'completed' }), isRefusal(400, 21_220));
    await assert.rejects(client.calls(created.sid).update({ twiml: '<Response/>' }), isRefusal(400, 21_220));
  });

  it('lists page by page, newest first', async () => {
    const sids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      sids.push((await client.calls.create({ ...call, to: '+99900001103' })).sid);
    }
    const listed = await client.calls.list({ to: '+99900001103', pageSize: 2 });
    assert.deepEqual(
      listed.map(({ sid }) => sid),
      sids.reverse(),
    );
    const day = new Date(Date.now() - 3_600_000);
    const started = await client.calls.list({ to: '+99900001103', startTimeAfter: day });
    assert.ok(started.every(({ startTime }) => startTime.getTime() >= day.getTime()));
    for (const sid of sids) await client.calls(sid).update({ status: 'completed' });
  });

  it('finds, routes and restores a number on demand', async () => {
    const [found] = await client.incomingPhoneNumbers.list({ phoneNumber: '+99917654321' });
    assert.match(found?.sid ?? '', /^PN[0-9a-f]{32}$/);
    assertComplete(found);
    assert.deepEqual([found?.voiceUrl, found?.capabilities.voice], ['', true]);
    const routed = await client
      .incomingPhoneNumbers(found?.sid ?? '')
      .update({ voiceUrl: 'https://example.com/voice', voiceMethod: 'POST', statusCallback: 'https://example.com/s' });
    assert.deepEqual(
      [routed.voiceUrl, routed.voiceMethod, routed.statusCallback],
      ['https://example.com/voice', 'POST', 'https://example.com/s'],
    );
    assert.equal((await client.incomingPhoneNumbers(routed.sid).update({ voiceUrl: '' })).voiceUrl, '');
    assert.deepEqual(await client.incomingPhoneNumbers.list({ phoneNumber: '+15005550006' }), []);
    // The id of a number on demand is the same after a restart.
    const again = new World();
    assert.equal(again.carrier.account(accountSid)?.numberOfSid(routed.sid)?.number, '+99917654321');
  });

  it('reads the account with the token; a key cannot, and may list calls', async () => {
    const account = await client.api.v2010.accounts(accountSid).fetch();
    assertComplete(account);
    assert.equal(account.status, 'active');
    const keyed = twilio(apiKey.sid, apiKey.secret, { accountSid, httpClient: new LocalClient(local.address) });
    await assert.rejects(keyed.api.v2010.accounts(accountSid).fetch(), isRefusal(401, 20_003));
    assert.ok(Array.isArray(await keyed.calls.list({ limit: 1 })));
  });

  it("refuses with Twilio's codes", async () => {
    const wrong = twilio(accountSid, 'wrong', { httpClient: new LocalClient(local.address) });
    await assert.rejects(wrong.calls.list(), isRefusal(401, 20_003));
    await assert.rejects(client.calls(`CA${'0'.repeat(32)}`).fetch(), isRefusal(404, 20_404));
    await assert.rejects(client.calls.create({ ...call, to: '12' }), isRefusal(400, 21_211));
    await assert.rejects(client.calls.create({ ...call, to: '+81312345678' }), isRefusal(400, 21_215));
    await assert.rejects(client.calls.create({ ...call, to: '+99900000006' }), isRefusal(400, 21_217));
    await assert.rejects(client.calls.create({ ...call, from: '+15005550006' }), isRefusal(400, 21_210));
    await assert.rejects(client.calls.create({ ...call, url: 'nowhere' }), isRefusal(400, 21_205));
    const { url: _, ...without } = call;
    await assert.rejects(client.calls.create(without), isRefusal(400, 21_205));
    assert.deepEqual(local.carrier.violations, []);
  });

  it('buys, ports, moves and releases nothing, and reports such requests', async () => {
    const count = local.carrier.violations.length;
    const [owned] = await client.incomingPhoneNumbers.list({ phoneNumber: number });
    const sid = owned?.sid ?? '';
    await assert.rejects(client.incomingPhoneNumbers.create({ phoneNumber: '+99917777777' }), isRefusal(403, 20_403));
    await assert.rejects(client.incomingPhoneNumbers(sid).remove(), isRefusal(403, 20_403));
    await assert.rejects(
      client.incomingPhoneNumbers(sid).update({ accountSid: `AC${'9'.repeat(32)}` }),
      isRefusal(403, 20_403),
    );
    await assert.rejects(client.availablePhoneNumbers('US').local.list(), isRefusal(403, 20_403));
    assert.equal(local.carrier.violations.length - count, 4);
  });
});

describe('webhooks of the local carrier', () => {
  it("have signatures that Twilio's package accepts, with POST and GET", async () => {
    const world = new World();
    world.documents['/answer'] = () => '<Response><Redirect method="GET">/second?a=b%20c</Redirect></Response>';
    world.documents['/second'] = () => '<Response><Hangup/></Response>';
    await world.dial('+99900000011', { Url: 'http://service.test/answer?id=1' });
    await world.advance(5000);
    assert.deepEqual(world.statuses(), ['initiated', 'ringing', 'in-progress', 'completed']);
    assert.equal(world.webhooks.length, 6);
    for (const { request, parameters } of world.webhooks) {
      const signed = request.method === 'GET' ? {} : parameters;
      const signature = request.headers['x-twilio-signature'] ?? '';
      assert.ok(twilio.validateRequest(authToken, signature, request.url, signed), request.url);
      assert.ok(!twilio.validateRequest('another', signature, request.url, signed));
    }
    const reports = world.sent('/status');
    assert.deepEqual(
      reports.map(({ SequenceNumber }) => SequenceNumber),
      ['0', '1', '2', '3'],
    );
    assert.equal(reports[0]?.Timestamp, 'Wed, 18 Nov 2026 00:00:00 +0000');
  });

  it('report completed only, unless other events are asked for; unknown events report nothing', async () => {
    const world = new World();
    await world.dial('+99900000002', { StatusCallbackEvent: [] });
    await world.advance(1000);
    assert.deepEqual(world.statuses(), ['busy']);
    await world.dial('+99900000002', { StatusCallbackEvent: ['ringing,completed'] });
    await world.advance(1000);
    assert.deepEqual(world.statuses(), ['busy']);
    assert.match(world.carrier.violations[0]?.message ?? '', /21626/);
  });
});

describe('the local carrier', () => {
  it('queues calls above the calls per second of the account', async () => {
    const world = new World();
    const busy = world.carrier.addAccount({ accountSid, authToken, numbersOnDemand: true, callsPerSecond: 1 });
    assert.equal(world.carrier.account(accountSid), busy);
    const legs = [await world.dial('+99900000003'), await world.dial('+99900000003'), await world.dial('+99900000003')];
    await world.advance(1500);
    assert.deepEqual(
      legs.map(({ status }) => status),
      ['ringing', 'ringing', 'queued'],
    );
  });

  it('bounds calls at a time and remembered calls', async () => {
    const world = new World({ maxCalls: 2, maxLogged: 3 });
    const form = { To: '+99900000003', From: number, Url: 'http://service.test/answer', Timeout: '5' };
    assert.equal((await world.rest('POST', '/Calls.json', form))?.status, 201);
    assert.equal((await world.rest('POST', '/Calls.json', form))?.status, 201);
    assert.equal((await world.rest('POST', '/Calls.json', form))?.status, 429);
    for (let count = 0; count < 4; count += 1) {
      await world.advance(6000);
      await world.rest('POST', '/Calls.json', form);
    }
    await world.advance(6000);
    assert.equal(world.carrier.log().length, 3);
  });

  it('logs every change of every call', async () => {
    const lines: string[] = [];
    const world = new World({ log: ({ status, endedBy }) => lines.push(`${status} ${endedBy}`) });
    await world.dial('+99900000008');
    await world.advance(5000);
    assert.deepEqual(lines, ['queued null', 'initiated null', 'ringing null', 'in-progress null', 'completed phone']);
  });

  it('calls nothing but loopback addresses', async () => {
    const local = await startLocalCarrier({ now: Date.now });
    local.addAccount({ accountSid, authToken, numbersOnDemand: true });
    try {
      const leg = local.callNumber({ to: number, phone: '08', voiceUrl: 'http://192.0.2.1/voice' });
      await new Promise<void>((resolve) => {
        leg.over.addEventListener('abort', () => resolve());
      });
      assert.equal(local.carrier.notifications[0]?.code, 11_205);
    } finally {
      await local.close();
    }
  });
});
