import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isStreamReport,
  ReportError,
  readAnswer,
  readAnsweredBy,
  readInboundCall,
  readReport,
  readTransfer,
} from '../../../../src/voice/carriers/twilio/reports.ts';

const sid = `CA${'0'.repeat(32)}`;
const form = (fields: Record<string, string>) => new URLSearchParams({ CallSid: sid, ...fields });

describe('Reports', () => {
  const statuses: readonly [status: string, state: string, rank: number, endReason: string | null][] = [
    ['queued', 'queued', 0, null],
    ['initiated', 'queued', 0, null],
    ['ringing', 'ringing', 1, null],
    ['in-progress', 'in_progress', 2, null],
    ['completed', 'completed', 3, 'caller_hangup'],
    ['busy', 'busy', 3, 'dial_busy'],
    ['no-answer', 'no_answer', 3, 'dial_no_answer'],
    ['failed', 'failed', 3, 'dial_failed'],
    ['canceled', 'canceled', 3, 'canceled'],
  ];
  for (const [status, state, rank, endReason] of statuses) {
    it(`have the state ${state}, rank ${rank} and end reason ${endReason} for ${status}`, () => {
      const report = readReport(form({ CallStatus: status, CallDuration: '61', Duration: '2' }));
      assert.deepEqual(
        [report.providerCallId, report.state, report.rank, report.endReason, report.durationSeconds],
        [sid, state, rank, endReason, 61],
      );
      assert.equal(report.detail === null, endReason === null);
    });
  }

  it('say why a call failed, with the code in words', () => {
    const failed = (fields: Record<string, string>) => {
      const { endReason, detail } = readReport(form({ CallStatus: 'failed', ...fields }));
      return [endReason, detail];
    };
    const sentence = 'The carrier could not connect the call';
    assert.deepEqual(failed({}), ['dial_failed', `${sentence}.`]);
    assert.deepEqual(failed({ SipResponseCode: '503' }), ['dial_failed', `${sentence} (SIP 503).`]);
    assert.deepEqual(failed({ ErrorCode: '13224' }), [
      'invalid_destination',
      `${sentence}: the number is not valid, or cannot be called (13224).`,
    ]);
    assert.deepEqual(failed({ ErrorCode: '13227' }), [
      'destination_not_allowed',
      `${sentence}: the account may not call this country (13227).`,
    ]);
    assert.deepEqual(failed({ ErrorCode: '31404' }), ['dial_failed', `${sentence} (31404).`]);
    assert.deepEqual(failed({ ErrorCode: '<script>' }), ['dial_failed', `${sentence}.`]);
  });

  it('name the call that a leg was dialed for', () => {
    assert.equal(readReport(form({ CallStatus: 'in-progress', ParentCallSid: 'CA1' })).parentCallId, 'CA1');
    assert.equal(readReport(form({ CallStatus: 'in-progress' })).parentCallId, null);
  });

  it('without a known state or an id are refused', () => {
    for (const fields of [
      {},
      { CallStatus: '' },
      { CallStatus: 'constructor' },
      { CallStatus: 'ringing', CallSid: 'a/b' },
    ]) {
      assert.throws(() => readReport(form(fields)), ReportError);
    }
    assert.throws(() => readReport(new URLSearchParams({ CallStatus: 'ringing' })), ReportError);
  });

  it('have no duration if it is not a number', () => {
    for (const CallDuration of ['', '-1', '1.5', 'abc', '1e9']) {
      assert.equal(readReport(form({ CallStatus: 'completed', CallDuration })).durationSeconds, null);
    }
  });

  it('of media streams are told apart', () => {
    assert.ok(isStreamReport(form({ StreamEvent: 'stream-started', StreamSid: 'MZ1' })));
    assert.ok(!isStreamReport(form({ CallStatus: 'ringing' })));
  });
});

describe('An inbound call', () => {
  it('has an id, and numbers as the carrier writes them', () => {
    assert.deepEqual(readInboundCall(form({ From: '+819012345678', To: '0312345678' })), {
      providerCallId: sid,
      from: '+819012345678',
      to: '0312345678',
    });
    assert.throws(() => readInboundCall(new URLSearchParams()), ReportError);
  });

  it('has no caller if they have withheld their number, or have none', () => {
    const callers = [
      'anonymous',
      'RESTRICTED',
      '+266696687',
      '266696687',
      '+7378742833',
      '+86282452253',
      '',
      'sip:a@b',
      'client:a',
    ];
    for (const From of callers) assert.equal(readInboundCall(form({ From, To: '+81312345678' })).from, null, From);
  });
});

describe('Answering machine detection', () => {
  const results: readonly [result: string, by: string, greetingEnd: string | null][] = [
    ['human', 'human', null],
    ['machine_start', 'machine', null],
    ['machine_end_beep', 'machine', 'beep'],
    ['machine_end_silence', 'machine', 'silence'],
    ['machine_end_other', 'machine', 'other'],
    ['fax', 'fax', null],
    ['unknown', 'unknown', null],
    ['anything', 'unknown', null],
    ['', 'unknown', null],
  ];
  for (const [result, by, greetingEnd] of results) {
    it(`finds ${by} for "${result}"`, () => {
      const report = readAnsweredBy(form({ AnsweredBy: result, MachineDetectionDuration: '3000' }));
      assert.deepEqual(report, { providerCallId: sid, by, greetingEnd });
    });
  }
});

describe('The end of a transfer', () => {
  it('is a success if the leg was answered, however it ended later', () => {
    for (const status of ['completed', 'answered']) {
      const fields = { DialCallStatus: status, DialCallSid: 'CA2', DialCallDuration: '12' };
      assert.deepEqual(readTransfer(form(fields)), {
        providerCallId: sid,
        legCallId: 'CA2',
        wasAnswered: true,
        endReason: null,
        detail: null,
        durationSeconds: 12,
      });
    }
  });

  it('says why it was not', () => {
    const ends = [
      ['busy', 'dial_busy'],
      ['no-answer', 'dial_no_answer'],
      ['failed', 'dial_failed'],
      ['canceled', 'canceled'],
    ];
    for (const [status = '', endReason] of ends) {
      const transfer = readTransfer(form({ DialCallStatus: status }));
      assert.deepEqual([transfer.wasAnswered, transfer.endReason, transfer.legCallId], [false, endReason, null]);
    }
    assert.throws(() => readTransfer(form({})), ReportError);
  });
});

describe('The answer to a brief', () => {
  it('is a key, words, or nothing', () => {
    assert.deepEqual(readAnswer(form({ Digits: '1' })), { key: '1', words: null });
    assert.deepEqual(readAnswer(form({ SpeechResult: 'はい' })), { key: null, words: 'はい' });
    assert.deepEqual(readAnswer(form({ Digits: '', SpeechResult: '' })), { key: null, words: null });
    assert.equal(readAnswer(form({ SpeechResult: 'a'.repeat(5000) })).words?.length, 1000);
  });
});
