import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TransferRequest } from '../../../../src/areas/phone/transfers/transfers.ts';
import type { Call } from '../../../../src/contract/calls/call.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { bodyOf, ourNumber, theirNumber, useWorlds, type World } from './support.ts';

const target = '+81355555555';
const conference = /<Dial><Conference [^>]*>([^<]+)<\/Conference><\/Dial>/;

onEachEngine('a transfer', (engine) => {
  const worlds = useWorlds(engine);
  const { carrier } = worlds;

  /** An ongoing inbound call, which is then transferred. */
  const start = async (change: Partial<TransferRequest> = {}) => {
    const world = await worlds.start();
    const inbound = { enabled: true, agentId: 'agt_1', agentVersion: 'published' as const, requestUrl: null };
    await world.addNumber({ inbound: { ...inbound, fallback: null, allowedCountries: [], blockedNumbers: [] } });
    const own = carrier.add({ From: theirNumber, To: ourNumber }, 'in-progress');
    await world.inbound(own.sid);
    const [call] = world.calls.calls.values();
    assert.ok(call !== undefined);
    call.status = 'ongoing';
    const line = { phoneNumberId: 'num_1', carrierId: world.carrier.id, from: theirNumber, to: ourNumber };
    const request: TransferRequest = {
      ...{ to: target, mode: 'cold', brief: null, extension: null, ringTimeoutMs: 25_000, showCaller: false },
      ...change,
    };
    const transfer = () => world.dialing.lines.transfer(call as unknown as Call, line, request);
    return { world, callId: call.id, own, transfer };
  };
  const failedWith = (world: World, reason: string) =>
    assert.deepEqual(world.calls.told, [{ type: 'transfer', status: 'failed', reason }]);
  const isCompleted = async (world: World, callId: string): Promise<void> => {
    assert.deepEqual(world.calls.told, [{ type: 'transfer', status: 'completed', reason: null }]);
    await world.pass(6000);
    assert.deepEqual([world.calls.get(callId).status, world.calls.get(callId).endReason], ['ended', 'transferred']);
    await world.pass(60_000, 10_000);
    assert.deepEqual(carrier.hangUps, [], 'the people who talk are not cut off');
    assert.equal(carrier.placed[0]?.timeLimit, '14400', 'also not by the time limit of the call');
  };

  describe('without an announcement (cold)', () => {
    it('moves the leg of the caller to a document that dials', async () => {
      const { world, callId, own, transfer } = await start({ extension: 'ww12' });
      await transfer();
      const [document = ''] = own.moves;
      const root = `https://phone.example.com/carrier/v1/${world.carrier.id}/calls/${callId}/dial/transfer-1`;
      assert.ok(document.includes(`callerId="${ourNumber}"`));
      assert.ok(document.includes(`action="${root}"`));
      assert.ok(document.includes(`statusCallback="${root}/answered"`));
      assert.match(document, /<Number sendDigits="ww12"[^>]*>\+81355555555<\/Number>/);
    });

    it('can show the number of the caller', async () => {
      const { own, transfer } = await start({ showCaller: true });
      await transfer();
      assert.ok(own.moves[0]?.includes(`callerId="${theirNumber}"`));
    });

    it('ends the call once it is answered, and nobody is cut off', async () => {
      const { world, callId, own, transfer } = await start();
      await transfer();
      await world.request(`/calls/${callId}/dial/transfer-1/answered`, { CallSid: 'CD1', CallStatus: 'in-progress' });
      await isCompleted(world, callId);
      const form = { CallSid: own.sid, DialCallStatus: 'completed', DialCallDuration: '30' };
      const reply = await world.request(`/calls/${callId}/dial/transfer-1`, form);
      assert.ok(bodyOf(reply).includes('<Hangup/>'));
    });

    it('that was answered ends the call also if only its end is reported', async () => {
      const { world, callId, own, transfer } = await start();
      await transfer();
      await world.request(`/calls/${callId}/dial/transfer-1`, { CallSid: own.sid, DialCallStatus: 'completed' });
      await isCompleted(world, callId);
    });

    const failures = [
      ['busy', {}, 'busy'],
      ['no-answer', {}, 'no_answer'],
      ['failed', {}, 'failed'],
      ['failed', { ErrorCode: '13224' }, 'invalid_destination'],
      ['failed', { ErrorCode: '13227' }, 'destination_not_allowed'],
    ] as const;
    for (const [status, more, reason] of failures) {
      it(`that fails (${reason}) brings the caller back`, async () => {
        const { world, callId, own, transfer } = await start();
        await transfer();
        const form = { CallSid: own.sid, DialCallStatus: status, ...more };
        const reply = await world.request(`/calls/${callId}/dial/transfer-1`, form);
        assert.match(bodyOf(reply), /<Connect><Stream/);
        failedWith(world, reason);
        await world.pass(60_000, 10_000);
        assert.equal(world.calls.get(callId).status, 'ongoing');
        assert.equal(world.calls.told.length, 1);
      });
    }

    it('of a call that is over at the carrier fails', async () => {
      const { world, own, transfer } = await start();
      own.status = 'completed';
      await transfer();
      failedWith(world, 'caller_hung_up');
    });

    it('that the carrier does not do fails', async () => {
      const { world, transfer } = await start();
      carrier.failing = 500;
      await transfer();
      failedWith(world, 'carrier_failed');
    });

    it('whose reports are missing fails in time, and the caller is brought back', async () => {
      const { world, callId, own, transfer } = await start();
      await transfer();
      await world.pass(40_000);
      failedWith(world, 'no_answer');
      assert.equal(own.moves[1], `https://phone.example.com/carrier/v1/${world.carrier.id}/calls/${callId}/rejoin`);
    });
  });

  describe('with an announcement (warm)', () => {
    const startWarm = async (brief: string | null = '山田様からのお電話です。') => {
      const started = await start({ mode: 'warm', brief });
      await started.transfer();
      await started.world.runJobs();
      const second = carrier.placed.find(({ form }) => form.get('To') === target);
      const path = `/calls/${started.callId}/brief/transfer-1`;
      return { ...started, second, path };
    };
    type Warm = Awaited<ReturnType<typeof startWarm>>;
    const answered = async ({ world, second, path }: Warm, form: Record<string, string>) => {
      const sid = second?.sid ?? '';
      Object.assign(second ?? {}, { status: 'in-progress' });
      const brief = bodyOf(await world.request(path, { CallSid: sid, CallStatus: 'in-progress' }));
      const reply = bodyOf(await world.request(`${path}/answer`, { CallSid: sid, CallStatus: 'in-progress', ...form }));
      return { brief, reply };
    };

    it('dials a second leg once, which is asked with its brief', async () => {
      const warm = await startWarm();
      const { world, second, path } = warm;
      const { brief } = await answered(warm, { Digits: '2' });
      assert.equal(carrier.dialRequests, 1);
      assert.equal(second?.form.get('From'), ourNumber);
      assert.equal(second?.form.get('Url'), `https://phone.example.com/carrier/v1/${world.carrier.id}${path}`);
      assert.match(brief, /<Gather input="dtmf speech" [^>]*timeout="15"[^>]*language="ja-JP"/);
      assert.ok(brief.includes('山田様からのお電話です。電話に出る場合は、1を押すか、はいとお答えください。'));
    });

    for (const form of [{ Digits: '1' }, { SpeechResult: 'はい、お願いします' }, { SpeechResult: 'Yes.' }]) {
      it(`that is accepted (${Object.values(form)[0]}) connects both legs in one conference`, async () => {
        const warm = await startWarm();
        const { reply } = await answered(warm, form);
        const [, name] = conference.exec(reply) ?? [];
        assert.ok(name !== undefined);
        assert.equal(conference.exec(warm.own.moves[0] ?? '')?.[1], name);
        await isCompleted(warm.world, warm.callId);
      });
    }

    const refusals: readonly (readonly [Record<string, string>, string])[] = [
      [{ Digits: '2' }, 'declined'],
      [{ SpeechResult: 'いいえ' }, 'declined'],
      [{ SpeechResult: '留守番電話に接続します。発信音の後に' }, 'voicemail'],
      [{}, 'no_answer'],
    ];
    for (const [form, reason] of refusals) {
      it(`that gets the answer ${JSON.stringify(form)} fails, and the second leg ends`, async () => {
        const warm = await startWarm();
        const { reply } = await answered(warm, form);
        assert.ok(reply.includes('<Hangup/>'));
        failedWith(warm.world, reason);
        await warm.world.runJobs();
        assert.deepEqual(carrier.hangUps, [warm.second?.sid]);
        assert.deepEqual([warm.own.moves, warm.world.calls.get(warm.callId).status], [[], 'ongoing']);
      });
    }

    const reports = [
      ['busy', 'busy'],
      ['no-answer', 'no_answer'],
      ['failed', 'failed'],
    ] as const;
    for (const [status, reason] of reports) {
      it(`whose second leg is ${status} fails`, async () => {
        const { world, second, path } = await startWarm();
        Object.assign(second ?? {}, { status });
        await world.request(`${path}/status`, { CallSid: second?.sid ?? '', CallStatus: status });
        failedWith(world, reason);
        await world.pass(60_000, 10_000);
        assert.deepEqual([carrier.hangUps, world.calls.told.length], [[], 1]);
      });
    }

    it('whose second leg hangs up during the brief fails', async () => {
      const { world, second, path } = await startWarm();
      await world.request(path, { CallSid: second?.sid ?? '', CallStatus: 'in-progress' });
      await world.request(`${path}/status`, { CallSid: second?.sid ?? '', CallStatus: 'completed' });
      failedWith(world, 'declined');
    });

    it('whose second leg is refused by the carrier fails', async () => {
      carrier.behaviors.length = 0;
      const { world, transfer } = await start({ mode: 'warm' });
      carrier.behaviors.push({ status: 400, code: 21215 });
      await transfer();
      await world.runJobs();
      failedWith(world, 'destination_not_allowed');
    });

    it('without any report fails in time, and the second leg is hung up', async () => {
      const { world, second } = await startWarm();
      await world.pass(40_000);
      failedWith(world, 'no_answer');
      assert.deepEqual(carrier.hangUps, [second?.sid]);
    });

    it('without an answer to the brief fails in time', async () => {
      const { world, second, path } = await startWarm();
      Object.assign(second ?? {}, { status: 'in-progress' });
      await world.request(path, { CallSid: second?.sid ?? '', CallStatus: 'in-progress' });
      await world.pass(90_000, 5000);
      failedWith(world, 'no_answer');
      assert.deepEqual(carrier.hangUps, [second?.sid]);
    });

    it('whose caller hangs up meanwhile ends its second leg', async () => {
      const { world, callId, own, second } = await startWarm();
      own.status = 'completed';
      await world.request('/status', { CallSid: own.sid, CallStatus: 'completed', CallDuration: '9' });
      await world.pass(6000);
      assert.equal(world.calls.get(callId).endReason, 'caller_hangup');
      assert.deepEqual(carrier.hangUps, [second?.sid]);
    });

    it('that is accepted after the caller hung up ends the second leg', async () => {
      const warm = await startWarm();
      warm.own.status = 'completed';
      const { reply } = await answered(warm, { Digits: '1' });
      assert.ok(reply.includes('<Hangup/>'));
      failedWith(warm.world, 'caller_hung_up');
    });
  });

  it('to a number that may not be dialed is refused, and nothing is dialed', async () => {
    for (const [to, issue] of [
      ['+12025550123', /is in US/],
      ['+81990123456', /premium/],
      [ourNumber, /own phone numbers/],
    ] as const) {
      for (const mode of ['cold', 'warm'] as const) {
        const { world, own, transfer } = await start({ to, mode });
        await assert.rejects(transfer, issue);
        await world.pass(30_000, 10_000);
        assert.deepEqual([own.moves, carrier.dialRequests], [[], 0]);
      }
    }
  });
});
