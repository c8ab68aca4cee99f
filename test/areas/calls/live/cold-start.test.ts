import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { SpeechProvider } from '../../../../src/voice/providers/speech-provider.ts';
import { createTestStt, createTestTts } from '../../../../src/voice/providers/test/test-speech.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { testSpeech, useService } from '../../../support/service.ts';
import { said } from '../support.ts';
import { Caller } from './caller.ts';
import { connect, joined, newWebCall, withToken } from './support.ts';

/** Test speech that is loaded when the test says so, and how often it was asked to. */
function slowSpeech() {
  let loaded: () => void = () => {};
  const loading = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  const load = () => loading;
  const provider: SpeechProvider = {
    name: 'slow',
    configured: true,
    capabilities: ['stt', 'tts'],
    languages: ['en'],
    automatic: false,
    stt: () => ({ ...createTestStt(), load }),
    tts: () => ({ ...createTestTts(), load }),
    voices: async () => [],
    missing: () => [],
    close: async () => {},
  };
  return { provider, loaded: () => loaded() };
}

const beginMessage = 'Good morning. How can I help you?';
const agent = { sttProvider: 'slow', ttsProvider: 'slow', responsiveness: 1, beginMessage };

describe('the first call of a process, whose speech is still being loaded', () => {
  const speech = slowSpeech();
  const service = useService(sqliteEngine(), { speech: testSpeech(speech.provider) });

  const early = async () => {
    const { key } = await service.newKey();
    const call = await newWebCall(service, key, { agent });
    const client = await joined(connect(service, call.id, withToken(call.accessToken)));
    const frames: string[] = [];
    client.socket.on('message', (data: Buffer, isBinary: boolean) => {
      const { type } = isBinary ? { type: 'audio' } : JSON.parse(data.toString());
      if (type !== 'event') frames.push(type);
    });
    const caller = new Caller(client);
    client.send({ type: 'start', input: { rate: 16_000 }, output: { rate: 16_000 } });
    return { ...call, client, caller, frames };
  };

  it('is ready once it is loaded: the caller hears the greeting in full, and is answered', async () => {
    const [spoken, typed, hungUp] = [await early(), await early(), await early()];
    hungUp.client.send({ type: 'end' });
    await hungUp.client.next('ended');
    assert.equal((await hungUp.call()).endReason, 'caller_hangup');
    typed.client.send({ type: 'text', text: 'first words' });
    await spoken.caller.say('nobody', 'hears', 'this');
    assert.deepEqual([spoken.frames, typed.frames], [[], []], 'nothing is said to a caller who is not connected');

    // The service answers it after it has read everything before it.
    spoken.client.socket.ping();
    await once(spoken.client.socket, 'pong');
    speech.loaded();
    await spoken.client.said(beginMessage);
    assert.equal(spoken.frames[0], 'ready');
    await spoken.caller.say('hello');
    await spoken.client.said('hello');
    spoken.client.send({ type: 'end' });
    await spoken.client.closed;
    assert.deepEqual(said(await spoken.turns()), [
      ['agent', beginMessage],
      ['caller', 'hello'],
      ['agent', 'hello'],
    ]);

    await typed.client.said('first words');
    assert.equal(typed.frames[0], 'ready');
    typed.client.send({ type: 'end' });
    await typed.client.closed;
    assert.deepEqual(said(await typed.turns()), [
      ['caller', 'first words'],
      ['agent', 'first words'],
    ]);
  });
});
