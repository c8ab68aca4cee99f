import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../../support/engines.ts';
import type { DialBehavior } from './scripted-carrier.ts';
import { theirNumber, useWorlds, type World } from './support.ts';

interface EndCase {
  readonly name: string;
  readonly response?: DialBehavior;
  /** Reports in order: the status, and what else the carrier sends. */
  readonly reports?: readonly (readonly [status: string, more?: Record<string, string>])[];
  /** The media of the call has started before the last report. */
  readonly isOngoing?: boolean;
  readonly end: readonly [status: string, endReason: string, endedBy: string, endDetail: string | null];
}

/** The table of end reasons. */
const ends: readonly EndCase[] = [
  {
    name: 'busy',
    reports: [['initiated'], ['ringing'], ['busy', { SipResponseCode: '486' }]],
    end: ['not_connected', 'dial_busy', 'system', 'The line was busy (SIP 486).'],
  },
  {
    name: 'no answer',
    reports: [['ringing'], ['no-answer']],
    end: ['not_connected', 'dial_no_answer', 'system', 'Nobody answered.'],
  },
  {
    name: 'an invalid number (21211)',
    response: { status: 400, code: 21211 },
    end: [
      'not_connected',
      'invalid_destination',
      'system',
      'The carrier refused the call: the number is not valid (21211).',
    ],
  },
  {
    name: 'a number that seems invalid (21217)',
    response: { status: 400, code: 21217 },
    end: [
      'not_connected',
      'invalid_destination',
      'system',
      'The carrier refused the call: the number does not appear to be valid (21217).',
    ],
  },
  {
    name: 'a number that cannot be called (13224), by a report',
    reports: [['failed', { ErrorCode: '13224' }]],
    end: [
      'not_connected',
      'invalid_destination',
      'system',
      'The carrier could not connect the call: the number is not valid, or cannot be called (13224).',
    ],
  },
  {
    name: 'a country that the account may not call (21215)',
    response: { status: 400, code: 21215 },
    end: [
      'not_connected',
      'destination_not_allowed',
      'system',
      'The carrier refused the call: the account may not call this country (21215).',
    ],
  },
  {
    name: 'a country that the account may not call (13227), by a report',
    reports: [['failed', { ErrorCode: '13227' }]],
    end: [
      'not_connected',
      'destination_not_allowed',
      'system',
      'The carrier could not connect the call: the account may not call this country (13227).',
    ],
  },
  {
    name: 'failed',
    reports: [['failed', { SipResponseCode: '503' }]],
    end: ['not_connected', 'dial_failed', 'system', 'The carrier could not connect the call (SIP 503).'],
  },
  {
    name: 'another refusal',
    response: { status: 400, code: 21205 },
    end: ['not_connected', 'dial_failed', 'system', 'The carrier refused the call (21205).'],
  },
  {
    name: 'wrong credentials (401)',
    response: { status: 401, code: 20003 },
    end: ['error', 'carrier_failed', 'system', 'The carrier did not accept the credentials (20003).'],
  },
  {
    name: 'no permission (403)',
    response: { status: 403 },
    end: ['error', 'carrier_failed', 'system', 'The carrier did not accept the credentials (HTTP 403).'],
  },
  {
    name: 'completed after the answer',
    reports: [['ringing'], ['in-progress'], ['completed', { CallDuration: '42' }]],
    isOngoing: true,
    end: ['ended', 'caller_hangup', 'caller', null],
  },
  {
    name: 'completed after the answer, before the media has started',
    reports: [['ringing'], ['in-progress'], ['completed', { CallDuration: '1' }]],
    end: ['ended', 'caller_hangup', 'caller', null],
  },
  {
    name: 'canceled at the carrier',
    reports: [['ringing'], ['canceled']],
    end: ['not_connected', 'canceled', 'system', 'The call was canceled before it was answered.'],
  },
];

onEachEngine('reports of a dialed call', (engine) => {
  const worlds = useWorlds(engine);
  const { carrier } = worlds;
  const start = async (): Promise<World> => {
    const world = await worlds.start();
    await world.addNumber();
    return world;
  };
  const onlySid = (): string => carrier.placed[0]?.sid ?? '';

  for (const { name, response, reports = [], isOngoing = false, end } of ends) {
    it(`end it as the table says: ${name}`, async () => {
      const world = await start();
      if (response !== undefined) carrier.behaviors.push(response);
      const callId = await world.dial();
      await world.runJobs();
      for (const [index, [status, more]] of reports.entries()) {
        if (isOngoing && index === reports.length - 1) world.calls.get(callId).status = 'ongoing';
        await world.report(callId, onlySid(), status, more);
      }
      await world.pass(6000);
      const { status, endReason, endedBy, endDetail } = world.calls.endOf(callId);
      assert.deepEqual([status, endReason, endedBy, endDetail], end);
      await world.pass(60_000, 10_000);
      assert.deepEqual(carrier.hangUps, []);
    });
  }

  /** The record of a call with these reports. */
  const recordOf = async (reports: readonly string[]): Promise<object> => {
    const world = await start();
    const callId = await world.dial();
    await world.runJobs();
    const call = carrier.placed[0] as { status: string; duration: string | null };
    call.status = 'busy';
    for (const status of reports) await world.report(callId, onlySid(), status);
    await world.pass(38_000);
    const { state, rank, plan } = (await world.legs(callId))[0] ?? {};
    return { ...world.calls.endOf(callId), state, rank, plan };
  };

  it('make the same record twice, late, reversed and missing', async () => {
    const inOrder = await recordOf(['initiated', 'ringing', 'busy']);
    assert.equal((inOrder as { endReason: string }).endReason, 'dial_busy');
    const others = [
      ['initiated', 'initiated', 'ringing', 'ringing', 'busy', 'busy'],
      ['busy', 'ringing', 'initiated'],
      ['busy'],
      ['initiated', 'ringing', 'busy', 'ringing'],
      [],
    ];
    for (const reports of others) assert.deepEqual(await recordOf(reports), inOrder, reports.join());
  });

  it('tell the process that owns the call, which is ended if that process does not', async () => {
    const world = await start();
    const callId = await world.dial();
    await world.runJobs();
    await world.report(callId, onlySid(), 'in-progress');
    world.calls.get(callId).status = 'ongoing';
    await world.report(callId, onlySid(), 'completed', { CallDuration: '3' });
    assert.deepEqual(world.calls.told, [{ type: 'hangup' }]);
    await world.runJobs();
    assert.equal(world.calls.get(callId).status, 'ongoing');
    await world.pass(5000);
    assert.equal(world.calls.get(callId).endReason, 'caller_hangup');
  });

  it('count although the process that owns the call does not answer', async () => {
    const world = await start();
    const callId = await world.dial();
    await world.runJobs();
    world.calls.get(callId).status = 'ongoing';
    world.calls.tell = async () => {
      throw new Error('no response');
    };
    await world.report(callId, onlySid(), 'completed', { CallDuration: '3' });
    await world.pass(5000);
    assert.equal(world.calls.get(callId).endReason, 'caller_hangup');
  });

  it('say what is billed, also after the end, and what counts for the minutes of the day', async () => {
    const world = await start();
    const callId = await world.dial();
    await world.runJobs();
    await world.report(callId, onlySid(), 'in-progress');
    await world.database.transaction((queries) =>
      world.calls.end(queries, world.workspaceId, callId, { reason: 'agent_hangup', by: 'agent', detail: null }),
    );
    await world.report(callId, onlySid(), 'completed', { CallDuration: '61' });
    assert.deepEqual([world.calls.get(callId).billedMs, world.calls.get(callId).endReason], [61_000, 'agent_hangup']);
    const row = await world.carriers.read(world.database, world.workspaceId, world.carrier.id);
    assert.ok(row !== undefined);
    assert.equal(await world.carriers.usedMs(world.database, row.carrier), 61_000);
  });

  it('of another call at the carrier, or of no call, are 404 and change nothing', async () => {
    const world = await start();
    const callId = await world.dial();
    await world.runJobs();
    const other = `CA${'9'.repeat(32)}`;
    const unknown = { code: 'NOT_FOUND' };
    await assert.rejects(world.report(callId, other, 'completed'), unknown);
    await assert.rejects(world.report('call_unknown', onlySid(), 'completed'), unknown);
    await assert.rejects(world.request('/status', { CallSid: other, CallStatus: 'completed' }), unknown);
    assert.equal(world.calls.get(callId).status, 'registered');
    await assert.rejects(world.report(callId, onlySid(), 'nonsense'), { code: 'VALIDATION_ERROR' });
  });

  it('of the detection of answering machines go to the process that owns the call', async () => {
    const world = await start();
    const callId = await world.dial();
    await world.runJobs();
    const form = { CallSid: onlySid(), AnsweredBy: 'machine_end_beep' };
    await world.request(`/calls/${callId}/amd`, form);
    assert.deepEqual(world.calls.told, [{ type: 'answered_by', by: 'machine' }, { type: 'voicemail_beep' }]);
  });

  it('of a deleted call are 404', async () => {
    const world = await start();
    const callId = await world.dial({ to: theirNumber });
    await world.runJobs();
    const call = world.calls.get(callId) as never;
    await world.database.transaction((queries) => world.dialing.onCallSettled(queries, { what: 'deleted', call }));
    await assert.rejects(world.report(callId, onlySid(), 'completed'), { code: 'NOT_FOUND' });
  });
});
