import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { phoneSummary, transferText } from '../../dashboard/src/pages/call/phone-summary.ts';
import { callPageTexts } from '../../dashboard/src/pages/call/texts.ts';
import type { TransferUpdated, TypedCallEvent } from '../../sdk/src/index.ts';

const event = (type: string, data: object) => ({ type, data }) as unknown as TypedCallEvent;
const transfer = (status: TransferUpdated['status'], name: string, reason: string | null = null) =>
  event('transfer_updated', { name, mode: 'warm', status, reason });

describe('the page of a phone call', () => {
  it('shows who answered, keys in both directions, and each transfer with its last state', () => {
    const { answeredBy, received, sent, transfers } = phoneSummary([
      event('answered_by', { by: 'human', source: 'audio' }),
      event('dtmf_received', { digits: '12' }),
      event('dtmf_received', { digits: null }),
      event('dtmf_sent', { digits: '3w4' }),
      transfer('started', 'desk'),
      transfer('failed', 'desk', 'busy'),
      transfer('started', 'manager'),
    ]);
    assert.equal(answeredBy?.by, 'human');
    assert.deepEqual([received, sent], [['12', null], ['3w4']]);
    assert.deepEqual(
      transfers.map((each) => transferText(each, callPageTexts.en)),
      ['desk (warm): failed (busy)', 'manager (warm): in progress'],
    );
  });

  it('says nothing about calls without any of it', () => {
    assert.deepEqual(phoneSummary([]), { answeredBy: null, received: [], sent: [], transfers: [] });
  });
});
