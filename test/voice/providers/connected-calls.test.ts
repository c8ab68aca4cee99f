import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { createConnectedProviders } from '../../../src/voice/providers/connected.ts';
import { createSpeechProviders } from '../../../src/voice/providers/registry.ts';
import type { SpeechProvider } from '../../../src/voice/providers/speech-provider.ts';
import { createTestDetector, createTestStt, createTestTts } from '../../../src/voice/providers/test/test-speech.ts';
import type { SpeechProviders } from '../../../src/voice/speech-ports.ts';
import { callSpeech } from '../../../src/voice/spoken/call-speech.ts';
import { SpeechCache } from '../../../src/voice/spoken/speech-cache.ts';
import { cartesiaKey, startCartesiaDouble } from '../../providers/cartesia-double.ts';
import { deepgramKey, startDeepgramDouble } from '../../providers/deepgram-double.ts';
import { elevenLabsKey, elevenLabsVoices, startElevenLabsDouble } from '../../providers/elevenlabs-double.ts';
import type { SocketDouble } from '../../providers/socket-double.ts';
import { CallTime } from '../../support/call-time.ts';
import { SpokenCall, script } from '../spoken/spoken-call.ts';

const noPackages = { runtime: null, detection: null, english: null, flite: null };
const fields = { voiceId: elevenLabsVoices[0], sttProvider: 'auto', ttsProvider: 'auto' } as const;
const lines = ['Good morning to you.', 'And goodbye.'] as const;

/** What is left when everything behind a network has failed. */
const local: SpeechProvider = {
  name: 'local',
  configured: true,
  capabilities: ['stt', 'tts'],
  languages: [],
  automatic: true,
  stt: () => ({ ...createTestStt(), name: 'local' }),
  tts: () => ({ ...createTestTts(), name: 'local' }),
};

describe('A call through providers behind a network', () => {
  let deepgram: SocketDouble;
  let elevenlabs: SocketDouble;
  let cartesia: SocketDouble;
  let speech: SpeechProviders;
  before(async () => {
    [deepgram, elevenlabs, cartesia] = await Promise.all([
      startDeepgramDouble(),
      startElevenLabsDouble(),
      startCartesiaDouble(),
    ]);
    const accounts = {
      deepgram: { apiKey: deepgramKey, baseUrl: deepgram.baseUrl },
      elevenlabs: { apiKey: elevenLabsKey, baseUrl: elevenlabs.baseUrl },
      cartesia: { apiKey: cartesiaKey, baseUrl: cartesia.baseUrl },
      openai: null,
    };
    speech = createSpeechProviders({
      models: '/nowhere',
      programPath: '',
      isPreloaded: false,
      packages: noPackages,
      others: [...(await createConnectedProviders(accounts, null, new CallTime())), local],
    });
  });
  after(() => Promise.all([speech, deepgram, elevenlabs, cartesia].map((each) => each.close())));

  const start = (given: Partial<Agent> = {}) => {
    const agent = { ...fields, ...script(...lines), ...given };
    const { recognizers, tts, otherTts = [] } = callSpeech(speech, agentWith(agent), new SpeechCache());
    const detector = createTestDetector();
    return new SpokenCall(agent, { speech: { recognizers, tts, otherTts, detector } });
  };
  const switches = (call: SpokenCall) =>
    call.eventsOf('provider_switched').map(({ capability, from, to }) => `${capability} ${from} ${to}`);
  const said = (call: SpokenCall) => call.turns.map(({ text }) => text);

  it('hears and speaks, turn after turn', async () => {
    const call = start();
    await converse(call, 'hello there', 2);
    await converse(call, 'thank you', 4);
    assert.deepEqual(said(call), ['hello there', lines[0], 'thank you', lines[1]]);
    assert.deepEqual(switches(call), []);
    assert.deepEqual(
      [call.session.speechUsage().stt[0]?.provider, call.session.speechUsage().tts[0]?.provider],
      ['deepgram', 'elevenlabs'],
    );
  });

  it('switches to the next providers if those of the call are down at its start', async () => {
    deepgram.fail({ status: 503 });
    elevenlabs.drop();
    elevenlabs.fail({ status: 503 });
    const call = start();
    await converse(call, 'hello there', 2);
    assert.deepEqual(switches(call), ['stt deepgram local', 'tts elevenlabs cartesia']);
    assert.deepEqual(said(call), ['hello there', lines[0]]);
    for (const double of [deepgram, elevenlabs]) double.fail('none');
  });

  it('switches with what was said so far if a provider closes in the middle of it', async () => {
    const call = start();
    call.speak('hello there');
    await step(call, () => deepgram.received.length >= 0 && call.session.state === 'caller');
    deepgram.fail({ status: 401 });
    deepgram.drop();
    await finish(call, 2);
    assert.deepEqual(switches(call), ['stt deepgram local']);
    assert.deepEqual(said(call), ['hello there', lines[0]]);
    deepgram.fail('none');
  });

  it('switches if a provider opens its stream and sends nothing', async () => {
    deepgram.fail('silent');
    elevenlabs.drop();
    elevenlabs.fail('silent');
    cartesia.drop();
    cartesia.fail('silent');
    const call = start();
    await converse(call, 'hello there', 2);
    assert.deepEqual(switches(call), ['stt deepgram local', 'tts elevenlabs cartesia', 'tts cartesia local']);
    assert.deepEqual(said(call), ['hello there', lines[0]]);
    for (const double of [deepgram, elevenlabs, cartesia]) double.fail('none');
  });

  it('ends, and says why, if the provider that the agent names is down', async () => {
    elevenlabs.drop();
    elevenlabs.fail({ status: 401 });
    const call = start({ ttsProvider: 'elevenlabs' });
    call.speak('hello there');
    await step(call, () => call.end !== null);
    assert.deepEqual([call.end?.reason, call.end?.detail], ['tts_failed', 'HTTP 401 of elevenlabs']);
    elevenlabs.fail('none');
  });
});

/** The clock of the call is virtual and that of the network is not: between two steps there is time for the network. */
async function step(call: SpokenCall, isReached: () => boolean, maxSteps = 3000): Promise<void> {
  for (let index = 0; index < maxSteps && !isReached(); index += 1) {
    call.wait(20);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(isReached(), `not reached, in state ${call.session.state}, ${JSON.stringify(call.end)}`);
}

async function finish(call: SpokenCall, turns: number): Promise<void> {
  await step(call, () => call.turns.length >= turns && call.session.state === 'idle');
}

async function converse(call: SpokenCall, words: string, turns: number): Promise<void> {
  call.speak(words);
  await finish(call, turns);
}
