import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { speechThread } from '../../../../src/voice/providers/embedded/speech-thread.ts';
import type { SpeechProvider } from '../../../../src/voice/providers/speech-provider.ts';
import { testFrames } from '../../../../src/voice/providers/test/frames.ts';
import type { Tts } from '../../../../src/voice/speech-ports.ts';
import { ResidentThread } from '../../../../src/workers/resident/resident-thread.ts';
import { CallTime } from '../../../support/call-time.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { testSpeech, useService } from '../../../support/service.ts';
import { said } from '../support.ts';
import { spokenCall } from './caller.ts';
import { heldSpeech } from './held-speech.ts';

/** A voice in a thread, which the word `crash` ends, and the word `once` the first time. */
function fragileVoice(): SpeechProvider {
  let isFirst = true;
  const asSent = (word: string): string => {
    if (word !== 'once' || !isFirst) return word;
    isFirst = false;
    return 'crash';
  };
  const worker = new URL('../../../workers/support/crashing-worker.ts', import.meta.url);
  const thread = new ResidentThread<string, string, string>(speechThread(worker, null));
  const tts: Tts = {
    name: 'fragile',
    notApplied: () => [],
    open: (_options, events) => {
      let left = 0;
      let isComplete = false;
      const stream = thread.open('said', {
        event: (report) => {
          events.audio(testFrames(report.replace('said ', ''), 10));
          left -= 1;
          if (left === 0 && isComplete) events.done();
        },
        failed: (detail) => events.failed(detail),
      });
      return {
        say: (text, isLast) => {
          const words = text.match(/\p{L}+/gu) ?? [];
          left += words.length;
          isComplete = isLast;
          for (const word of words) stream.send(asSent(word));
          if (isLast && left === 0) events.done();
        },
        cancel: () => stream.close(),
      };
    },
  };
  return {
    name: 'fragile',
    configured: true,
    capabilities: ['tts'],
    languages: ['en'],
    automatic: false,
    stt: () => null,
    tts: () => tts,
    voices: async () => [{ provider: 'fragile', voiceId: 'one', name: 'One', languages: ['en'] }],
    missing: () => [],
    close: () => thread.close(),
  };
}

describe('a speech thread that dies', () => {
  const clock = new CallTime();
  const speech = heldSpeech(testSpeech(fragileVoice()), clock);
  const service = useService(sqliteEngine(), { speech, calls: { clock } });
  const agent = { ttsProvider: 'fragile', voiceId: 'one' };

  it('ends the call that cannot do without it, starts again, and leaves other calls as they are', async () => {
    const { key } = await service.newKey();
    const [other, fatal] = [await spokenCall(service, key, { agent }), await spokenCall(service, key, { agent })];
    await other.caller.say('hello');
    await other.client.said('hello');
    fatal.client.send({ type: 'text', text: 'crash' });
    assert.equal((await fatal.client.next('ended')).reason, 'tts_failed');
    const { status, endReason, endDetail } = await fatal.call();
    assert.deepEqual([status, endReason, endDetail], ['error', 'tts_failed', 'the speech thread has ended']);
    await other.caller.say('still', 'here');
    await other.client.said('still here');
    other.client.send({ type: 'end' });
    await other.client.closed;
    assert.deepEqual(said(await other.turns()), [
      ['caller', 'hello'],
      ['agent', 'hello'],
      ['caller', 'still here'],
      ['agent', 'still here'],
    ]);
  });

  it('in the middle of sentences, and can say them again, is noticed in no call', async () => {
    const { key } = await service.newKey();
    const calls = [await spokenCall(service, key, { agent }), await spokenCall(service, key, { agent })];
    // In this order in the thread: it ends before the first word of the second call.
    const sentences = ['once more', 'one two three'];
    for (const [index, { client }] of calls.entries()) client.send({ type: 'text', text: sentences[index] });
    for (const [index, { client, turns }] of calls.entries()) {
      const sentence = sentences[index] as string;
      await client.said(sentence);
      client.send({ type: 'end' });
      await client.closed;
      assert.deepEqual(said(await turns()), [
        ['caller', sentence],
        ['agent', sentence],
      ]);
    }
  });
});
