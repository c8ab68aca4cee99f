import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SpeechProvider } from '../../../src/voice/providers/speech-provider.ts';
import { createTestStt, createTestTts } from '../../../src/voice/providers/test/test-speech.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { startService, testSpeech } from '../../support/service.ts';
import { phoneAgent } from '../calls/phone/support.ts';
import { phoneClient } from './resources.ts';

/** Test speech that counts how often it is loaded. */
function countedSpeech() {
  let loads = 0;
  const load = async (): Promise<void> => {
    loads += 1;
  };
  const provider: SpeechProvider = {
    name: 'counted',
    configured: true,
    capabilities: ['stt', 'tts'],
    languages: ['en'],
    automatic: false,
    stt: () => createTestStt(),
    tts: () => ({ ...createTestTts(), load }),
    voices: async () => [],
    missing: () => [],
    close: async () => {},
  };
  return { speech: testSpeech(provider), loads: () => loads };
}

onEachEngine('the speech of an agent that answers a phone number', (engine) => {
  it('is loaded when the number is imported, and when the service starts; without a number it is not', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const first = countedSpeech();
    const service = await startService(engine, { databaseUrl, speech: first.speech });
    const { key } = await service.newKey();
    const client = phoneClient(service, key);
    const { id: agentId } = await phoneAgent(service, key, 'test-echo', { ttsProvider: 'counted' });
    await client.call(200, 'POST', `/agents/${agentId}/publish`);
    const carrier = await client.testCarrier();
    const other = await client.importNumber(carrier.id, '+99910000002');
    await client.checked(other.id);
    assert.equal(first.loads(), 0, 'nobody answers this number');
    const number = await client.importNumber(carrier.id, '+99910000001', { inbound: { agentId } });
    await client.checked(number.id);
    await eventually(() => first.loads() === 1, 'the speech is loaded after the import');
    await service.close();

    const second = countedSpeech();
    const restarted = await startService(engine, { databaseUrl, speech: second.speech });
    await eventually(() => second.loads() === 1, 'the speech is loaded at the start');
    await phoneClient(restarted, key).patch(`/phone-numbers/${number.id}`, { inbound: { enabled: false } });
    await restarted.close();

    const third = countedSpeech();
    const last = await startService(engine, { databaseUrl, speech: third.speech });
    await last.close();
    assert.equal(third.loads(), 0, 'the number is not answered any more');
  });
});
