import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LocalAccount, LocalCarrierHost } from '../../../../src/areas/phone/local-carrier.ts';
import type { Call } from '../../../../src/contract/calls/call.ts';
import { type LocalCarrier, startLocalCarrier } from '../../../../src/voice/carriers/local/server.ts';
import { twilioSignature } from '../../../../src/voice/carriers/twilio/signature.ts';
import { CallTime } from '../../../support/call-time.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Service, startService } from '../../../support/service.ts';
import { phoneAgent } from '../../calls/phone/support.ts';
import { on, quickSweep } from '../../calls/support.ts';
import { phoneClient } from '../resources.ts';

const ourNumber = '+99910000001';
const isOver = ({ status }: Call): boolean => ['ended', 'not_connected', 'error'].includes(status);

/** The whole service with the carrier of provider `test`, whose phones behave by their last two digits. */
onEachEngine('a phone call of the service', (engine) => {
  let service: Service;
  let local: LocalCarrier;
  /** The account of the last carrier that was used. */
  let newest: LocalAccount = { accountSid: '', authToken: '' };
  /** The clock of the service is ahead by this much. */
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  before(async () => {
    const clock = new CallTime({ speed: 4 });
    local = await startLocalCarrier({ now, clock });
    const accounts = new Set<string>();
    const localCarrier: LocalCarrierHost = {
      open: async (account) => {
        newest = account;
        if (!accounts.has(account.accountSid)) local.addAccount({ ...account, numbersOnDemand: true });
        accounts.add(account.accountSid);
        return local.address;
      },
      close: () => local.close(),
    };
    service = await startService(engine, { now, localCarrier, calls: { clock, ...quickSweep } });
  });
  after(() => service.close());

  const start = async (agent: object = {}) => {
    const { key } = await service.newKey();
    const client = phoneClient(service, key);
    const carrier = await client.testCarrier();
    await client.patch(`/carriers/${carrier.id}`, { limits: { maxCallsPerSecond: 50 } });
    const { id: agentId } = await phoneAgent(service, key, 'test-echo', { beginMessage: 'Hello there.', ...agent });
    await client.call(200, 'POST', `/agents/${agentId}/publish`);
    const inbound = { agentId };
    const number = await client.importNumber(carrier.id, ourNumber, { inbound, outbound: { enabled: true } });
    await client.checked(number.id);
    const dial = async (phone: string, more: object = {}) => {
      const to = `+999000000${phone}`;
      const body = { type: 'phone', agentId, fromPhoneNumberId: number.id, to, ...more };
      const { json } = await client.call(201, 'POST', '/calls', body);
      return { ...on(service, key, json.id), to };
    };
    /** What the carrier knows of the calls of this workspace. */
    const log = (sids: readonly (string | null)[]) => local.carrier.log().filter(({ sid }) => sids.includes(sid));
    return { key, client, carrier, number, dial, log };
  };
  type Dialed = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['dial']>>;
  const ended = (call: Pick<Dialed, 'call'>): Promise<Call> =>
    eventually(async () => {
      const found = await call.call();
      return isOver(found) && found;
    }, 'the end of the call');
  const ongoing = (call: Pick<Dialed, 'call'>): Promise<Call> =>
    eventually(async () => {
      const found = await call.call();
      assert.ok(!isOver(found), `the call has ended: ${found.endReason} ${found.endDetail}`);
      return found.status === 'ongoing' && found;
    }, 'the start of the call');
  const isOverAtCarrier = (sid: string | null) =>
    eventually(
      () => local.carrier.log().some((each) => each.sid === sid && each.endedAt !== null),
      'the end of the leg',
    );

  it('is dialed, talks, and ends with its leg at the carrier', async () => {
    const { dial } = await start();
    const call = await dial('01');
    const { providerCallId, from, to, direction } = await ongoing(call);
    assert.deepEqual([from, to, direction], [ourNumber, call.to, 'outbound']);
    await eventually(async () => (await call.turns()).length > 0);
    // Carriers bill whole seconds.
    aheadMs += 2000;
    await call.end();
    const { endReason } = await ended(call);
    assert.equal(endReason, 'api_end');
    await isOverAtCarrier(providerCallId);
    const { durationSeconds } = local.carrier.log().find(({ sid }) => sid === providerCallId) ?? {};
    assert.ok(durationSeconds !== undefined && durationSeconds > 0);
    const { usage } = await eventually(async () => {
      const found = await call.call();
      return found.usage.carrier.billedMs === durationSeconds * 1000 && found;
    }, 'the bill');
    assert.equal(usage.carrier.provider, 'test');
  });

  const ends: readonly (readonly [phone: string, status: string, endReason: string])[] = [
    ['02', 'not_connected', 'dial_busy'],
    ['03', 'not_connected', 'dial_no_answer'],
    ['05', 'not_connected', 'dial_busy'],
    ['06', 'not_connected', 'invalid_destination'],
    ['07', 'not_connected', 'dial_failed'],
    ['08', 'ended', 'caller_hangup'],
  ];
  for (const [phone, status, endReason] of ends) {
    it(`to the phone …${phone} ends as ${endReason}`, async () => {
      const { dial } = await start();
      const call = await ended(await dial(phone, { ringTimeoutMs: 5000 }));
      assert.deepEqual([call.status, call.endReason], [status, endReason]);
      const wasAnswered = status === 'ended';
      assert.deepEqual([call.startedAt !== null, call.durationMs !== null], [wasAnswered, wasAnswered]);
      assert.equal(call.analysis.reason, wasAnswered ? 'no_caller_speech' : 'not_connected');
    });
  }

  it('whose response is lost after it was dialed is one call, and connected', async () => {
    const { dial } = await start();
    const call = await dial('09');
    const { workspaceId } = await ongoing(call);
    const { attempts } = (await service.database.get<{ attempts: number }>(
      'SELECT attempts FROM phone_dials WHERE workspace_id = $1',
      [workspaceId],
    )) ?? { attempts: 0 };
    assert.equal(attempts, 1);
    assert.equal(local.carrier.log().filter(({ to }) => to === call.to).length, 1);
    await call.end();
  });

  it('whose response is lost before it was dialed is no call, and carrier_failed, which its number shows', async () => {
    const { client, number, dial } = await start();
    const call = await dial('10');
    await eventually(async () => {
      const row = await service.database.get('SELECT sent_at FROM phone_dials WHERE call_id = $1', [call.id]);
      return row?.sent_at !== null;
    });
    aheadMs += 61_000;
    const { status, endReason, endDetail } = await ended(call);
    assert.deepEqual([status, endReason], ['error', 'carrier_failed']);
    assert.equal(endDetail, 'The carrier did not confirm the call. It was not dialed again.');
    assert.equal(local.carrier.log().filter(({ to }) => to === call.to).length, 0);
    const { items } = await client.get(`/calls?phoneNumberId=${number.id}`);
    assert.deepEqual(
      items.map((each: Call) => [each.id, each.endReason, each.endDetail]),
      [[call.id, endReason, endDetail]],
    );
  });

  it('from a phone is answered, and ends with it', async () => {
    const { key, client, number } = await start();
    const { callId } = (await client.call(201, 'POST', `/phone-numbers/${number.id}/test`, { phone: '08' })).json;
    const call = await ended(on(service, key, callId));
    assert.deepEqual([call.direction, call.to], ['inbound', ourNumber]);
    assert.ok(['caller_hangup', 'canceled'].includes(String(call.endReason)), String(call.endReason));
  });

  it('without a free slot takes the fallback', async () => {
    const { key, client, number } = await start();
    await client.patch(`/phone-numbers/${number.id}`, { inbound: { agentId: null } });
    const { callId } = (await client.call(201, 'POST', `/phone-numbers/${number.id}/test`, { phone: '01' })).json;
    const { status, endReason, agentId } = await ended(on(service, key, callId));
    assert.deepEqual([status, endReason, agentId], ['not_connected', 'rejected', null]);
  });

  it('that its fallback forwards counts for the minutes of the day, and nobody hangs it up', async () => {
    const { client, carrier, number } = await start();
    const fallback = { type: 'number', to: '+99900000111' };
    await client.patch(`/phone-numbers/${number.id}`, { inbound: { agentId: null, fallback } });
    await client.call(201, 'POST', `/phone-numbers/${number.id}/test`, { phone: '11' });
    const forwarded = await eventually(
      () => local.carrier.legs().find(({ to, isAnswered }) => to === fallback.to && isAnswered),
      'the forwarded leg',
    );
    const used = async (): Promise<number> => {
      const sql = 'SELECT used_ms FROM carriers WHERE id = $1';
      return (await service.database.get<{ used_ms: number }>(sql, [carrier.id]))?.used_ms ?? 0;
    };
    assert.equal(await used(), 0);
    // Carriers bill whole seconds.
    aheadMs += 61_000;
    assert.equal(forwarded.isOver, false);
    forwarded.hangUp();
    await eventually(async () => (await used()) === forwarded.durationSeconds * 1000, 'the minutes');
    assert.ok(forwarded.durationSeconds >= 61);
  });

  it('is announced by signed requests only', async () => {
    const { carrier } = await start();
    const path = `/carrier/v1/${carrier.id}/voice`;
    const { authToken } = newest;
    const form = { CallSid: `CA${'7'.repeat(32)}`, From: '+99900000001', To: ourNumber, CallStatus: 'ringing' };
    const post = (to: string, headers: Record<string, string>, body: string = new URLSearchParams(form).toString()) =>
      fetch(service.url + to, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });
    const sign = (to: string) => ({
      'x-twilio-signature': twilioSignature(authToken, service.url + to, Object.entries(form)),
    });
    const statusOf = async (response: Promise<Response>) => (await response).status;
    assert.equal(await statusOf(post(path, {})), 401);
    assert.equal(await statusOf(post(path, sign(`${path}/other`))), 401);
    assert.equal(await statusOf(post('/carrier/v1/car_unknown/voice', sign(path))), 404);
    assert.equal(await statusOf(post('/carrier/v1/%00/voice', sign(path))), 404);
    assert.equal(await statusOf(post(path, sign(path), 'x'.repeat(64 * 1024 + 1))), 400);
    assert.equal(await statusOf(post(path, { ...sign(path), 'content-type': 'application/json' }, '{}')), 400);
    const unknown = `/carrier/v1/${carrier.id}/calls/call_unknown/status`;
    assert.equal(await statusOf(post(unknown, sign(unknown))), 404);
    const accepted = await post(path, sign(path));
    assert.deepEqual([accepted.status, accepted.headers.get('content-type')], [200, 'text/xml; charset=utf-8']);
    assert.match(await accepted.text(), /<Connect>/);
    const lines = JSON.stringify(service.log);
    assert.ok(lines.includes('carrier.voice') && !lines.includes('99900000001'), 'numbers are not logged');
  });

  describe('that is transferred', () => {
    for (const mode of ['cold', 'warm'] as const) {
      it(`(${mode}) to somebody who accepts ends as transferred, and the people talk on`, async () => {
        const { dial } = await start();
        const call = await dial('11');
        const { providerCallId } = await ongoing(call);
        const reply = await call.control({ action: 'transfer', to: '+99900000020', mode });
        assert.equal(reply.status, 200, reply.text);
        const { status, endReason } = await ended(call);
        assert.deepEqual([status, endReason], ['ended', 'transferred']);
        const leg = local.carrier.log().find(({ sid }) => sid === providerCallId);
        assert.equal(leg?.endedAt, null);
        await isOverAtCarrier(providerCallId);
      });

      it(`(${mode}) to somebody who refuses goes on`, async () => {
        const { dial } = await start();
        const call = await dial('11');
        await ongoing(call);
        await call.control({ action: 'transfer', to: '+99900000021', mode });
        const failed = await eventually(async () => {
          const events = await call.events();
          return events.map(({ data }) => data as { status?: string }).find(({ status }) => status === 'failed');
        }, 'the end of the transfer');
        const { reason } = failed as { reason?: string };
        assert.equal(reason, mode === 'cold' ? 'busy' : 'declined');
        await ongoing(call);
        await call.end();
      });
    }
  });
});
