import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import type { PhoneNumber } from '../../../../src/contract/phone/phone-number.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { httpReceiver } from '../../../support/receiver.ts';
import { bodyOf, ourNumber, theirNumber, useWorlds, type World } from './support.ts';

type Inbound = PhoneNumber['inbound'];
const agentId = 'agt_own';
const inbound: Inbound = {
  ...{ enabled: true, agentId, agentVersion: 'published', requestUrl: null, fallback: null },
  ...{ allowedCountries: [], blockedNumbers: [] },
};
const rejected = '<Reject reason="busy"/>';

onEachEngine('an inbound call', (engine) => {
  const worlds = useWorlds(engine);
  let count = 0;
  const newSid = (): string => {
    count += 1;
    return `CB${String(count).padStart(32, '0')}`;
  };
  const start = async (change: Partial<Inbound> = {}, options: Parameters<typeof worlds.start>[0] = {}) => {
    const world = await worlds.start(options);
    await world.addNumber({ inbound: { ...inbound, ...change } });
    return world;
  };
  const onlyCall = (world: World) => {
    const [call, ...others] = world.calls.calls.values();
    assert.ok(call !== undefined && others.length === 0);
    return call;
  };

  it('rings, and its media is connected with our addresses', async () => {
    const world = await start();
    const document = bodyOf(await world.inbound(newSid()));
    const { id, status } = onlyCall(world);
    const root = `https://phone.example.com/carrier/v1/${world.carrier.id}/calls/${id}`;
    assert.equal(status, 'ringing');
    assert.match(document, /<Connect><Stream url="wss:\/\/phone\.example\.com\/carrier\/v1\/car_\w+\/media\/[\w.-]+"/);
    assert.ok(document.includes(`<Redirect method="POST">${root}/rejoin</Redirect>`));
  });

  it('is one call, however often the carrier asks', async () => {
    const world = await start();
    const sid = newSid();
    const [first, second] = await Promise.all([world.inbound(sid), world.inbound(sid)]);
    const third = await world.inbound(sid);
    onlyCall(world);
    for (const reply of [first, second, third]) assert.match(bodyOf(reply), /<Connect>/);
  });

  for (const to of [ourNumber, ourNumber.slice(1), `00${ourNumber.slice(1)}`, '0312345678']) {
    it(`finds the number that the carrier writes as ${to}`, async () => {
      const world = await start();
      assert.match(bodyOf(await world.inbound(newSid(), { To: to })), /<Connect>/);
    });
  }

  it('to an unknown number is rejected, and no call', async () => {
    const world = await start();
    assert.ok(bodyOf(await world.inbound(newSid(), { To: '+81399999999' })).includes(rejected));
    assert.equal(world.calls.calls.size, 0);
  });

  const refusals: readonly (readonly [name: string, change: Partial<Inbound>, detail: string])[] = [
    ['to a disabled number', { enabled: false }, 'Inbound calls to this number are disabled.'],
    ['from a blocked number', { blockedNumbers: [theirNumber] }, 'The number of the caller is blocked.'],
    ['from another country', { allowedCountries: ['US'] }, 'Calls from this country are not allowed.'],
  ];
  for (const [name, change, detail] of refusals) {
    it(`${name} is rejected without the fallback, also the second time`, async () => {
      const world = await start({ ...change, fallback: { type: 'message', text: 'Sorry.' } });
      const sid = newSid();
      for (let time = 0; time < 2; time += 1) assert.ok(bodyOf(await world.inbound(sid)).includes(rejected));
      const { id } = onlyCall(world);
      const end = { status: 'not_connected', endReason: 'rejected', endedBy: 'system', endDetail: detail };
      assert.deepEqual(world.calls.endOf(id), end);
    });
  }

  for (const from of ['anonymous', '+266696687', '']) {
    it(`from a withheld number (${from || 'nothing'}) passes allowedCountries`, async () => {
      const world = await start({ allowedCountries: ['US'] });
      assert.match(bodyOf(await world.inbound(newSid(), { From: from })), /<Connect>/);
    });
  }

  describe('that the agent cannot take', () => {
    const refusal = { reason: 'concurrency_limit', detail: 'All slots are in use.' } as const;

    it('is rejected without a fallback', async () => {
      const world = await start();
      world.calls.inboundRefusal = refusal;
      assert.ok(bodyOf(await world.inbound(newSid())).includes(rejected));
      assert.equal(world.calls.get(onlyCall(world).id).endReason, 'concurrency_limit');
    });

    it('hears the message of the number, in its language, also the second time', async () => {
      const world = await start({ fallback: { type: 'message', text: 'ただいま<満席>です。' } });
      world.calls.inboundRefusal = refusal;
      const sid = newSid();
      for (let time = 0; time < 2; time += 1) {
        const document = bodyOf(await world.inbound(sid));
        assert.ok(document.includes('<Say language="ja-JP">ただいま&lt;満席&gt;です。</Say><Hangup/>'));
      }
    });

    it('is forwarded with our number as caller ID', async () => {
      const world = await start({ fallback: { type: 'number', to: '+81366666666' } });
      world.calls.inboundRefusal = refusal;
      const document = bodyOf(await world.inbound(newSid()));
      assert.match(
        document,
        /<Dial timeout="30" callerId="\+81312345678"><Number [^>]*>\+81366666666<\/Number><\/Dial>/,
      );
    });

    it('counts for the minutes of the day while it is forwarded, and as the carrier reports it then', async () => {
      const world = await start({ fallback: { type: 'number', to: '+81366666666' } });
      world.calls.inboundRefusal = refusal;
      const sid = newSid();
      for (let time = 0; time < 2; time += 1) await world.inbound(sid);
      const used = () => world.carriers.usedMs(world.database, world.carrier, world.clock.time);
      const statusUrl = /statusCallback="([^"]+)"/.exec(bodyOf(await world.inbound(sid)))?.[1] ?? '';
      const path = new URL(statusUrl).pathname.slice(`/carrier/v1/${world.carrier.id}`.length);
      const leg = { CallSid: newSid(), ParentCallSid: sid };
      const report = (CallStatus: string, more = {}) => world.request(path, { ...leg, CallStatus, ...more });
      await report('initiated');
      assert.equal(await used(), 0);
      await report('in-progress');
      world.clock.time += 60_000;
      assert.equal(await used(), 60_000);
      for (let time = 0; time < 2; time += 1) await report('completed', { CallDuration: '61' });
      world.clock.time += 60_000;
      assert.equal(await used(), 61_000);
      await world.runJobs();
      assert.deepEqual([world.calls.calls.size, worlds.carrier.hangUps], [1, []]);
    });

    it('counts no longer than a leg can last if the report of its end is lost', async () => {
      const world = await start({ fallback: { type: 'number', to: '+81366666666' } });
      world.calls.inboundRefusal = refusal;
      await world.inbound(newSid());
      const path = `/calls/${onlyCall(world).id}/brief/fallback/status`;
      await world.request(path, { CallSid: newSid(), CallStatus: 'in-progress' });
      const hourMs = 3_600_000;
      const used = () => world.carriers.usedMs(world.database, world.carrier, world.clock.time);
      world.clock.time += 4 * hourMs - 1;
      assert.ok((await used()) > 0);
      world.clock.time += 1;
      assert.equal(await used(), 0);
    });

    it('is not forwarded to a number that may not be dialed', async () => {
      const world = await start({ fallback: { type: 'number', to: '+12025550123' } });
      world.calls.inboundRefusal = refusal;
      assert.ok(bodyOf(await world.inbound(newSid())).includes(rejected));
    });

    it('because the number has no agent takes the fallback', async () => {
      const world = await start({ agentId: null, fallback: { type: 'message', text: 'Sorry.' } });
      assert.ok(bodyOf(await world.inbound(newSid())).includes('<Say language="en-US">Sorry.</Say>'));
      assert.equal(world.calls.get(onlyCall(world).id).agentId, null);
    });
  });

  describe('that lasts too long', () => {
    const ring = async () => {
      const world = await start();
      const call = worlds.carrier.add({ From: theirNumber, To: ourNumber }, 'ringing');
      await world.inbound(call.sid);
      return { world, call, own: onlyCall(world) };
    };

    it('is ended by the carrier, also without us: it gets the time limit of its agent and 30 seconds', async () => {
      const { world, call, own } = await ring();
      call.status = 'in-progress';
      own.status = 'ongoing';
      worlds.carrier.failing = 500;
      await world.pass(20_000);
      worlds.carrier.failing = null;
      assert.equal(call.timeLimit, null);
      await world.pass(15_000);
      assert.equal(call.timeLimit, '630');
      assert.deepEqual([call.moves, worlds.carrier.hangUps], [[], []]);
    });

    it('gets no time limit if it ended before', async () => {
      const { world, call, own } = await ring();
      call.status = 'in-progress';
      const ending = { reason: 'agent_hangup', by: 'agent', detail: null } as const;
      worlds.carrier.hangsUpAtOnce = false;
      await world.database.transaction((queries) => world.calls.end(queries, world.workspaceId, own.id, ending));
      await world.pass(30_000);
      assert.equal(call.timeLimit, null);
    });
  });

  it('is refused with 503 by a process that is about to exit', async () => {
    const world = await start({}, { isServing: () => false });
    await assert.rejects(world.inbound(newSid()), { code: 'SERVICE_UNAVAILABLE' });
    assert.equal(world.calls.calls.size, 0);
  });

  it('that the caller gives up before it is answered is canceled', async () => {
    const world = await start();
    const sid = newSid();
    await world.inbound(sid);
    await world.request('/status', { CallSid: sid, CallStatus: 'completed', CallDuration: '0' });
    const end = { status: 'not_connected', endReason: 'canceled', endedBy: 'caller', endDetail: null };
    assert.deepEqual(world.calls.endOf(onlyCall(world).id), end);
  });

  describe('whose number asks before it is answered', () => {
    interface Asked {
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
    }
    const ask = async (answer: (response: ServerResponse) => void, change: Partial<Inbound> = {}) => {
      const asked: Asked[] = [];
      const { port } = await httpReceiver(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        asked.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        answer(response);
      });
      const options = { requestTimeoutMs: 500 };
      const world = await start({ requestUrl: `http://127.0.0.1:${port}/inbound`, ...change }, options);
      const document = bodyOf(await world.inbound(newSid()));
      return { world, document, asked, call: onlyCall(world) };
    };
    const json = (body: unknown) => (response: ServerResponse) => response.end(JSON.stringify(body));

    it('is told about the call, signed like a webhook, with the id of the new call', async () => {
      const { world, asked, call } = await ask(json({}));
      const [{ headers, body } = { headers: {}, body: '' }] = asked;
      const number = await world.numbers.findByNumber(world.database, world.workspaceId, ourNumber);
      const phoneNumberId = number?.phoneNumber.id;
      assert.deepEqual(JSON.parse(body), {
        ...{ callId: call.id, phoneNumberId, from: theirNumber, to: ourNumber, sipHeaders: {} },
      });
      assert.equal(headers['webhook-id'], call.id);
      const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
      const signed = `${call.id}.${headers['webhook-timestamp']}.${body}`;
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      assert.equal(headers['webhook-signature'], `v1,${signature}`);
    });

    it('can be given another agent and variables', async () => {
      const { document, call } = await ask(json({ agentId: 'agt_other', variables: { name: 'Ai' }, more: 1 }));
      assert.match(document, /<Connect>/);
      assert.deepEqual([call.agentId, call.variables, call.warnings], ['agt_other', { name: 'Ai' }, []]);
    });

    it('can be rejected, without the fallback', async () => {
      const { document, call } = await ask(json({ reject: true }), { fallback: { type: 'message', text: 'Sorry.' } });
      assert.ok(document.includes(rejected));
      assert.deepEqual([call.status, call.endReason], ['not_connected', 'rejected']);
    });

    const broken: readonly (readonly [name: string, answer: (response: ServerResponse) => void])[] = [
      ['an error', (response) => response.writeHead(500).end('{}')],
      ['a redirect', (response) => response.writeHead(302, { location: '/' }).end('{}')],
      ['no JSON', (response) => response.end('no')],
      ['a list', json([])],
      ['an invalid field', json({ variables: { 'not a key': 1 } })],
      ['an agent that does not exist', json({ agentId: 'unknown', variables: { name: 'Ai' } })],
      ['characters that cannot be stored', json({ variables: { name: '\0' } })],
      ['a broken connection', (response) => response.destroy()],
    ];
    for (const [name, answer] of broken) {
      it(`is answered by the agent of the number after ${name}, with a warning`, async () => {
        const { document, call } = await ask(answer);
        assert.match(document, /<Connect>/);
        assert.deepEqual([call.agentId, call.variables, call.warnings], [agentId, {}, ['inbound_request_failed']]);
      });
    }

    it('does not wait for a late answer', async () => {
      const { document, call } = await ask(() => {});
      assert.match(document, /<Connect>/);
      assert.deepEqual(call.warnings, ['inbound_request_failed']);
    });
  });
});
