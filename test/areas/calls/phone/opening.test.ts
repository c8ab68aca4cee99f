import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SpeechProvider } from '../../../../src/voice/providers/speech-provider.ts';
import { createTestStt, createTestTts } from '../../../../src/voice/providers/test/test-speech.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { testSpeech } from '../../../support/service.ts';
import { eventually } from '../support.ts';
import { connected, dialed, usePhoneService } from './support.ts';

/** Test speech that notes what it says, and at which rate. */
function notedSpeech() {
  const said: string[] = [];
  const tts = createTestTts();
  const provider: SpeechProvider = {
    name: 'noted',
    configured: true,
    capabilities: ['stt', 'tts'],
    languages: ['en'],
    automatic: false,
    stt: () => createTestStt(),
    tts: () => ({
      ...tts,
      open: (options, events) => {
        const stream = tts.open(options, events);
        return {
          say: (text, isLast) => {
            if (text !== '') said.push(`${text} (${options.rate})`);
            stream.say(text, isLast);
          },
          cancel: stream.cancel,
        };
      },
    }),
    voices: async () => [],
    missing: () => [],
    close: async () => {},
  };
  return { provider, said };
}

describe('the first words of a phone call', () => {
  const speech = notedSpeech();
  const service = usePhoneService(sqliteEngine(), { speech: testSpeech(speech.provider) });
  const agentWith = (recordingNotice: string) => ({
    ttsProvider: 'noted',
    beginMessage: 'Hello.',
    agentSettings: { phone: { recordingNotice }, calls: { recordingEnabled: true } },
  });

  it('are spoken while it rings, the recording notice first, and said without asking the voice again', async () => {
    const { key } = await service.newKey();
    const call = await dialed(service, key, { agent: agentWith('Recorded.') });
    await eventually(async () => speech.said.length === 2);
    assert.deepEqual(speech.said, ['Recorded. (8000)', 'Hello. (8000)']);
    const line = await connected(service, call);
    await line.until(() => line.heard.length >= 2);
    assert.deepEqual(line.heard, ['Recorded', 'Hello']);
    line.hangUp();
    assert.equal(speech.said.length, 2);
    await eventually(async () => (await call.call()).status === 'ended');
    assert.equal((await call.call()).usage.tts.characters, 'Recorded.Hello.'.length);
  });

  it('have no notice in a call that is not recorded: nobody pays for it', async () => {
    speech.said.length = 0;
    const { key } = await service.newKey();
    const call = await dialed(service, key, { agent: agentWith('Not said.'), call: { recordingEnabled: false } });
    const line = await connected(service, call);
    await line.until(() => line.heard.length >= 1);
    assert.deepEqual(line.heard, ['Hello']);
    line.hangUp();
    assert.ok(!speech.said.some((text) => text.startsWith('Not said')));
  });
});
