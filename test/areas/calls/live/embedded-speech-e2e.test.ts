import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { level } from '../../../../src/voice/audio/level.ts';
import { CallTime } from '../../../support/call-time.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { embeddedSpeech, useService, withSpeech } from '../../../support/service.ts';
import { say } from '../../../voice/providers/embedded/support/speech.ts';
import { heldSpeech } from './held-speech.ts';
import { connect, joined, newWebCall, withToken } from './support.ts';

const frame = 320;

describe('a web call with embedded speech', withSpeech, () => {
  const speech = embeddedSpeech();
  const clock = new CallTime();
  const service = useService(sqliteEngine(), { speech: heldSpeech(speech, clock), calls: { clock } });

  it('understands what the caller says, and says it again', async () => {
    const question = await say(speech, ['What time do you open tomorrow?'], { rate: 16_000 });
    const { key } = await service.newKey();
    const call = await newWebCall(service, key, { agent: { responsiveness: 1 } });
    const client = await joined(connect(service, call.id, withToken(call.accessToken)));
    const heard: Int16Array[] = [];
    let utterance = 0;
    let played = 0;
    client.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        const { type, utterance: number } = JSON.parse(data.toString());
        if (type !== 'speech') return;
        utterance = number;
        played = 0;
        return;
      }
      const samples = new Int16Array(data.length / 2);
      for (let index = 0; index < samples.length; index += 1) samples[index] = data.readInt16LE(index * 2);
      heard.push(samples);
      played += samples.length;
      client.send({ type: 'played', utterance, samples: played });
    });
    const { capabilities } = await client.start();
    assert.deepEqual(capabilities, { speechIn: true, speechOut: true, recording: false });
    let sent = 0;
    const record = () => {
      if (client.socket.readyState !== 1) return;
      const samples = new Int16Array(frame);
      samples.set(question.subarray(sent * frame, (sent + 1) * frame));
      client.send(Buffer.from(samples.buffer));
      sent += 1;
      clock.after(20, record);
    };
    record();
    await client.next(
      'transcript',
      ({ role, isFinal, text }) => role === 'agent' && isFinal && /what time do you open/i.test(text),
    );
    assert.ok(heard.reduce((sum, { length }) => sum + length, 0) > 16_000, 'more than a second');
    assert.ok(Math.max(...heard.map(level)) > 0.05);
    client.send({ type: 'end' });
    await client.closed;
    const turns = await call.turns();
    assert.deepEqual([turns[0]?.role, turns.at(-1)?.role], ['caller', 'agent']);
    const { usage, notApplied } = await call.call();
    assert.deepEqual([usage.stt.provider, usage.tts.provider], ['embedded', 'embedded']);
    assert.ok(!notApplied.some(({ reason }) => reason === 'provider_not_configured'));
  });
});
