import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReplyMetrics } from '../../../src/areas/calls/conversation/reply-times.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { newChat, on } from './support.ts';

const unmeasured = { endpointingMs: null, sttMs: null, knowledgeMs: null, ttsFirstAudioMs: null };

describe('the times of replies', () => {
  it('are counted by stage, in buckets that include those below', () => {
    const { source, observe } = createReplyMetrics();
    for (const e2eMs of [4, 5, 6, 700, 40_000]) {
      observe('chat', { ...unmeasured, e2eMs, llmFirstTokenMs: null, ownMs: 2 });
    }
    observe('web', { ...unmeasured, e2eMs: 900, sttMs: 120, llmFirstTokenMs: 300, ownMs: 0 });
    const values = source.values();
    const numberOf = (metricName: string, type: string, stage: string, le?: string | number): number | undefined =>
      values.find(
        ({ metricName: name, labels }) =>
          name === `call_reply_duration_seconds_${metricName}` &&
          labels.type === type &&
          labels.stage === stage &&
          labels.le === le,
      )?.value;
    const bucket = (le: string | number) => numberOf('bucket', 'chat', 'e2e', le);
    assert.deepEqual([0.005, 0.01, 0.5, 0.75, 30, '+Inf'].map(bucket), [2, 3, 3, 4, 4, 5]);
    assert.deepEqual([numberOf('count', 'chat', 'e2e'), numberOf('count', 'chat', 'own')], [5, 5]);
    assert.equal(Math.round(Number(numberOf('sum', 'chat', 'e2e')) * 1000), 40_715);
    assert.equal(numberOf('count', 'chat', 'llm_first_token'), undefined, 'what was not measured is not counted');
    assert.deepEqual(
      ['e2e', 'stt', 'llm_first_token', 'own'].map((stage) => numberOf('count', 'web', stage)),
      [1, 1, 1, 1],
    );
  });
});

describe('the metrics of a service', () => {
  const service = useService(sqliteEngine());

  it('have the times of the replies in its chats', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key, { agent: { beginMessage: 'Hi.' } })).id);
    await chat.say();
    await chat.say('Hello');
    await chat.say('Hello');
    const text = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(text, /^# TYPE call_reply_duration_seconds histogram$/m);
    assert.match(text, /^call_reply_duration_seconds_count\{type="chat",stage="e2e"\} 2$/m);
    assert.doesNotMatch(text, /stage="stt"/);
  });
});
