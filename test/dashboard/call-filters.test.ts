import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { segmentsOf } from '../../dashboard/src/pages/call/latency-stages.ts';
import { finishedQuery, openQuery, readFilters, writeFilters } from '../../dashboard/src/pages/calls/call-filters.ts';
import { isHost, isSecretName, isSecretValue } from '../../dashboard/src/pages/secrets/secret-checks.ts';

const read = (query: string) => readFilters(new URLSearchParams(query));

describe('the filters of the calls page', () => {
  it('are the same after a round trip through the URL', () => {
    const text =
      'agentId=agt_1&agentVersion=3&type=phone&direction=inbound&phoneNumberId=num_1&status=ongoing%2Cerror&endReason=llm_failed&from=2026-11-01&to=2026-11-15';
    const filters = read(text);
    assert.equal(Object.keys(writeFilters(filters)).length, 9);
    assert.deepEqual(read(new URLSearchParams(writeFilters(filters)).toString()), filters);
    assert.deepEqual(writeFilters(read('')), {});
  });

  it('drop what the service would reject', () => {
    const { type, direction, status, endReason, agentVersion, from, to } = read(
      'type=fax&direction=up&status=ended,lost&endReason=x&agentVersion=0&from=yesterday&to=2026-13-45',
    );
    assert.deepEqual(
      { type, direction, status, endReason, agentVersion, from, to },
      {
        type: '',
        direction: '',
        status: ['ended'],
        endReason: [],
        agentVersion: '',
        from: '',
        to: '',
      },
    );
  });

  it('divide the statuses between the two lists', () => {
    assert.equal(openQuery(read(''))?.status, 'ongoing,ringing,registered,queued');
    assert.equal(finishedQuery(read(''))?.status, 'ended,not_connected,error');
    assert.equal(openQuery(read('status=ended')), null);
    assert.equal(finishedQuery(read('status=ongoing')), null);
    assert.equal(openQuery(read('endReason=agent_hangup')), null);
    assert.equal(finishedQuery(read('endReason=agent_hangup,canceled'))?.endReason, 'agent_hangup,canceled');
  });

  it('include the first and the last day, in the time zone of the browser', () => {
    const query = finishedQuery(read('from=2026-11-01&to=2026-11-30'));
    assert.equal(query?.createdAfter, new Date(2026, 10, 1).toISOString());
    assert.equal(query?.createdBefore, new Date(2026, 11, 1).toISOString());
  });
});

describe('the parts of a reply time', () => {
  const chat = {
    e2eMs: 940,
    endpointingMs: null,
    sttMs: null,
    knowledgeMs: null,
    llmFirstTokenMs: 933,
    ttsFirstAudioMs: null,
    ownMs: 7,
  };

  it('add up to the total, with what was not measured as the rest', () => {
    assert.deepEqual(segmentsOf(chat), [
      { name: 'llm', ms: 933 },
      { name: 'own', ms: 7 },
    ]);
    assert.deepEqual(segmentsOf({ ...chat, llmFirstTokenMs: 900 }).at(-1), { name: 'rest', ms: 33 });
  });

  it('count speech recognition once, although it happens while the agent waits for the end of speech', () => {
    const spoken = { ...chat, endpointingMs: 320, sttMs: 140, llmFirstTokenMs: 480, ttsFirstAudioMs: 130, ownMs: 10 };
    assert.deepEqual(segmentsOf(spoken), [
      { name: 'endpointing', ms: 180 },
      { name: 'stt', ms: 140 },
      { name: 'llm', ms: 480 },
      { name: 'tts', ms: 130 },
      { name: 'own', ms: 10 },
    ]);
  });
});

describe('the checks of the secrets form', () => {
  it('agree with the service', () => {
    assert.deepEqual(['A', 'SHOP_TOKEN', '_A', 'a', '1A', 'A'.repeat(65)].map(isSecretName), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    assert.deepEqual(['x', 'a\tb', 'a\nb', 'x'.repeat(4096), 'x'.repeat(4097)].map(isSecretValue), [
      true,
      true,
      false,
      true,
      false,
    ]);
    const hosts = [
      'shop.example.com',
      '127.0.0.1',
      '[::1]',
      'https://a.com',
      'a.com:80',
      'a.com/x',
      'a b',
      '店.jp',
      '',
    ];
    assert.deepEqual(hosts.map(isHost), [true, true, true, false, false, false, false, false, false]);
  });
});
