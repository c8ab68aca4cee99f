import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../campaigns/voice/random-agent.ts';
import { runRandomCall } from '../../campaigns/voice/random-call.ts';
import { type Agent, agent } from '../../src/contract/agents/agent.ts';
import { level } from '../../src/voice/audio/level.ts';
import { VirtualClock } from '../../src/voice/clock.ts';
import { engineFor } from '../../src/voice/engines/choose.ts';
import { agentVariables, policyOf, speakingSpeed } from '../../src/voice/policy.ts';
import { createConnectedProviders } from '../../src/voice/providers/connected.ts';
import { createSpeechProviders } from '../../src/voice/providers/registry.ts';
import { createTestDetector } from '../../src/voice/providers/test/test-speech.ts';
import { callSpeech } from '../../src/voice/spoken/call-speech.ts';
import { SpeechCache } from '../../src/voice/spoken/speech-cache.ts';
import { compilePronunciation } from '../../src/voice/text/pronunciation.ts';
import { echo, recognizer, simulate, turnPolicy } from './simulated-call.ts';
import { ToldStt, ToneVoice } from './spoken/doubles.ts';
import { SpokenCall } from './spoken/spoken-call.ts';
import { MachineDriver } from './turn/machine-driver.ts';

/** What shows its effect here, or the part of the service that gives it one. */
type Row = { readonly effect: string; readonly proof: () => void } | { readonly open: Layer; readonly why: string };
type Layer = 'calls' | 'prompt engine' | 'webhooks' | 'analysis';

const open = (layer: Layer, why: string): Row => ({ open: layer, why });
const effect = (text: string, proof: () => void): Row => ({ effect: text, proof });

/** The moments at which the machine requests a reply after the caller stopped at 1000 ms. */
function requestedAt(fields: Partial<Agent>, words = 'table for two people'): number | undefined {
  const call = new MachineDriver({ ...turnPolicy({ beginMessage: '', ...fields }) });
  call.send({ type: 'vad.start', since: 0 }).wait(1000).send({ type: 'stt.final', text: words });
  call.send({ type: 'vad.end', since: 1000 }).wait(5000);
  return call.all('reply.request')[0]?.atMs;
}

/** Whether a sound of this length over the agent's speech pauses it. */
function isPausedBy(ms: number, fields: Partial<Agent>): boolean {
  const call = new MachineDriver({ ...turnPolicy({ beginMessage: '', ...fields }) });
  call.converse('hello there', 'A long answer to it.').send({ type: 'vad.start', since: call.now });
  call.wait(ms).send({ type: 'vad.end', since: call.now });
  return call.all('pause').length > 0;
}

function backchannelsOf(fields: Partial<Agent>): string[] {
  const call = new MachineDriver({
    ...turnPolicy({ beginMessage: '', responsiveness: 0, enableBackchannel: true, ...fields }),
  });
  call.wait(1000);
  for (let pause = 0; pause < 40; pause += 1) {
    call.send({ type: 'vad.start', since: call.now }).wait(600).send({ type: 'stt.final', text: 'and then,' });
    call.send({ type: 'vad.end', since: call.now }).wait(400);
  }
  assert.equal(call.all('reply.request').length, 0, 'a backchannel is not a reply');
  return call.all('backchannel').map(({ word }) => word);
}

/** A spoken call that says its begin message with a voice that notes what it is asked for. */
function spokenCall(fields: Partial<Agent>, breakVoice: (voice: ToneVoice) => void = () => {}) {
  const clock = new VirtualClock();
  const voice = new ToneVoice(clock);
  breakVoice(voice);
  const call = new SpokenCall({ ...echo, beginMessage: 'We are open.', ...fields }, { speech: { tts: voice }, clock });
  call.untilState('agent').untilState('idle');
  return { call, voice };
}

/** What the voice is asked for with these fields. */
function askedOfVoice(fields: Partial<Agent>) {
  return spokenCall(fields).voice.requests[0];
}

/** The speed of the reply to a caller who speaks that fast. */
function speedAfter(fields: Partial<Agent>, framesPerWord: number): number | undefined {
  const { call, voice } = spokenCall({ beginMessage: 'Hello.', ...fields });
  call.speak('seven letters written quickly', framesPerWord).untilState('agent').untilState('idle');
  return voice.requests.at(-1)?.speed;
}

/** What the recognizer is asked for with these fields. */
function askedOfRecognizer(fields: Partial<Agent>) {
  const stt = new ToldStt();
  new SpokenCall({ ...echo, ...fields }, { speech: { recognizers: [stt], detector: createTestDetector() } });
  return stt.last.options;
}

const account = { apiKey: 'key', baseUrl: 'http://127.0.0.1:9' };
const openai = { apiKey: 'key', baseUrl: 'https://api.openai.com/v1', modelMap: new Map() };
const accounts = { deepgram: account, elevenlabs: account, cartesia: account, openai };
const connected = await createConnectedProviders(accounts, null);

/** The speech of a call with these fields, where all providers are connected. */
function speechOf(fields: Partial<Agent>) {
  const providers = createSpeechProviders({
    models: '/nowhere',
    programPath: '',
    isPreloaded: false,
    packages: { runtime: null, detection: null, english: null, flite: null },
    others: connected,
  });
  const speech = callSpeech(providers, agentWith(fields), new SpeechCache());
  const voices = speech.tts === null ? [] : [speech.tts, ...(speech.otherTts ?? [])];
  return {
    stt: speech.recognizers.map(({ name }) => name),
    tts: voices.map(({ name }) => name),
    notApplied: speech.notApplied.map(({ field }) => field),
  };
}

const flow = {
  skills: [
    { id: 'first', type: 'ask', text: 'First?', variable: 'one', as: 'text', next: 'bye', otherwise: 'bye' },
    { id: 'second', type: 'ask', text: 'Second?', variable: 'two', as: 'text', next: 'first', otherwise: 'first' },
    { id: 'bye', type: 'end', text: 'Bye.' },
  ],
};
const flowAgent = {
  beginMessage: null,
  responseEngine: { type: 'conversation_flow' },
  agentSettings: { flow },
} as const;

const rows: Readonly<Record<keyof Agent, Row>> = {
  id: open('calls', 'a call belongs to its agent'),
  workspaceId: open('calls', 'a call belongs to the workspace of its agent'),
  name: effect('the built-in variable agent_name', () => {
    simulate({ ...echo, name: 'Salon', beginMessage: 'This is {{agent_name}}.' }, [
      'expect agent says /This is Salon/',
    ]);
  }),
  version: open('calls', 'the version is pinned for the whole call'),
  versionDescription: open('calls', 'it describes the version that the call is pinned to'),
  createdAt: open('calls', 'it belongs to the version that the call is pinned to'),
  updatedAt: open('calls', 'it belongs to the version that the call is pinned to'),
  isPublished: open('calls', 'a call without a version uses the newest published one'),
  responseEngine: effect('the type and the model choose the engine', () => {
    const engineOf = (responseEngine: Agent['responseEngine'], hasModel = true) =>
      engineFor(agentWith({ responseEngine }), hasModel);
    assert.equal(engineOf({ type: 'custom_llm', model: 'test-echo' }), 'custom_llm');
    assert.equal(engineFor(agentWith(flowAgent), true), 'flow');
    assert.equal(engineOf({ type: 'conversation_flow' }), 'prompt');
    assert.equal(engineOf({ type: 'single_prompt', model: 'test-echo' }), 'test');
    assert.equal(engineOf({ type: 'single_prompt', model: 'gpt-5.4' }), 'prompt');
    assert.equal(engineOf({ type: 'single_prompt', model: 'gpt-5.4' }, false), 'rehearsal');
  }),
  voiceId: effect('the voice that is asked for', () => {
    assert.equal(askedOfVoice({ voiceId: 'nanami' })?.voiceId, 'nanami');
  }),
  voiceModel: effect('the model that the voice is asked for; null: none', () => {
    assert.equal(askedOfVoice({ voiceModel: 'turbo' })?.model, 'turbo');
    assert.equal(askedOfVoice({ voiceModel: null })?.model, null);
  }),
  voiceTemperature: effect('the temperature that the voice is asked for', () => {
    assert.equal(askedOfVoice({ voiceTemperature: 0.3 })?.temperature, 0.3);
  }),
  voiceEmotion: effect('the emotion that the voice is asked for', () => {
    assert.equal(askedOfVoice({ voiceEmotion: 'happy' })?.emotion, 'happy');
  }),
  voiceSpeed: effect('the speaking rate, and with it the length of speech', () => {
    const spokenMs = (voiceSpeed: number) => {
      const { turns } = simulate({ ...echo, voiceSpeed, beginMessage: 'We are open from nine to five.' }, [
        'expect agent says /open/',
      ]);
      return (turns[0]?.endMs ?? 0) - (turns[0]?.startMs ?? 0);
    };
    assert.ok(Math.abs(spokenMs(0.5) / spokenMs(1) - 2) < 0.01);
    assert.ok(Math.abs(spokenMs(2) / spokenMs(1) - 0.5) < 0.01);
    const samples = [0.5, 1, 2].map((voiceSpeed) => spokenCall({ voiceSpeed }).call.player.heard(1).length);
    assert.deepEqual(
      samples,
      [24, 12, 6].map((characters) => characters * 50 * 16),
    );
    assert.equal(askedOfVoice({ voiceSpeed: 1.4 })?.speed, 1.4);
  }),
  volume: effect('the level of the samples; 0 is silence', () => {
    const levels = [0, 0.5, 1, 1.5].map((volume) => level(spokenCall({ volume }).call.player.heard(1)));
    const [silent = 1, half = 0, normal = 0, loud = 0] = levels;
    assert.equal(silent, 0);
    assert.ok(Math.abs(half / normal - 0.5) < 0.001);
    assert.ok(Math.abs(loud / normal - 1.5) < 0.001);
  }),
  fallbackVoiceIds: effect(
    'the next voice says the same after an error, or three seconds without audio, and stays',
    () => {
      assert.equal(turnPolicy({ fallbackVoiceIds: [] }).firstAudioMs, 10_500);
      assert.equal(turnPolicy({ fallbackVoiceIds: ['b', 'c'] }).firstAudioMs, 16_500);
      const { call, voice } = spokenCall({ voiceId: 'a', fallbackVoiceIds: ['b', 'c'] }, ({ behavior }) => {
        behavior.set('a', 'fails').set('b', 'is silent');
      });
      // The first fails after 100 ms, the second has three seconds, and the third needs 100 ms.
      assert.equal(call.turns[0]?.startMs, 3200);
      assert.equal(call.turns[0]?.text, 'We are open.');
      call.speak('more please').untilState('agent').untilState('idle');
      assert.deepEqual(
        voice.requests.map(({ voiceId }) => voiceId),
        ['a', 'b', 'c', 'c'],
      );
      assert.deepEqual(
        call.eventsOf('provider_switched').map(({ from, to }) => `${from} ${to}`),
        ['a b', 'b c'],
      );
    },
  ),
  enableDynamicVoiceSpeed: effect('the speed follows the caller between 0.8 and 1.2', () => {
    const { speechRate } = policyOf(agentWith({ enableDynamicVoiceSpeed: true }), conditions);
    assert.equal(speakingSpeed(speechRate, [], 'en'), 1);
    assert.equal(speakingSpeed(speechRate, [14, 14, 14], 'en'), 1);
    assert.equal(speakingSpeed(speechRate, [28, 28, 28], 'en'), 1.2);
    assert.equal(speakingSpeed(speechRate, [2, 2, 2], 'en'), 0.8);
    assert.equal(speedAfter({ enableDynamicVoiceSpeed: true }, 10), 1.2);
    assert.equal(speedAfter({ enableDynamicVoiceSpeed: true }, 50), 0.8);
    assert.equal(speedAfter({ enableDynamicVoiceSpeed: false }, 10), 1);
  }),
  adaptiveSpeechRate: effect('the speed is the caller’s rate times the ratio, within its limits', () => {
    const adaptive = { enabled: true, minSpeed: 0.7, maxSpeed: 1.5, windowSize: 2, speedRatio: 0.9 };
    const { speechRate } = policyOf(agentWith({ adaptiveSpeechRate: adaptive, voiceSpeed: 1 }), conditions);
    const table: [number[], number][] = [
      [[], 1],
      [[14], 0.9],
      [[100, 14, 14], 0.9],
      [[14, 28], 1.35],
      [[70, 70], 1.5],
      [[1, 1], 0.7],
    ];
    for (const [rates, speed] of table) assert.ok(Math.abs(speakingSpeed(speechRate, rates, 'en') - speed) < 1e-9);
    const off = policyOf(agentWith({ adaptiveSpeechRate: { ...adaptive, enabled: false } }), conditions);
    assert.equal(speakingSpeed(off.speechRate, [70, 70], 'en'), 1);
    assert.equal(speedAfter({ adaptiveSpeechRate: adaptive }, 10), 1.5);
    assert.equal(speedAfter({ adaptiveSpeechRate: adaptive }, 50), 0.7);
    // 29 characters in 2.08 s.
    assert.equal(speedAfter({ adaptiveSpeechRate: adaptive }, 26), 0.9);
  }),
  responsiveness: effect('the reply is requested 300, 1050 or 1800 ms after the last voiced frame', () => {
    const waits = [1, 0.5, 0].map((responsiveness) => (requestedAt({ responsiveness }) ?? 0) - 1000);
    assert.deepEqual(waits, [300, 1050, 1800]);
  }),
  interruptionSensitivity: effect('an overlap of 201 ms pauses, one of 199 ms does not; at 0 nothing does', () => {
    assert.equal(isPausedBy(199, { interruptionSensitivity: 1 }), false);
    assert.equal(isPausedBy(201, { interruptionSensitivity: 1 }), true);
    assert.equal(isPausedBy(599, { interruptionSensitivity: 0.5 }), false);
    assert.equal(isPausedBy(601, { interruptionSensitivity: 0.5 }), true);
    assert.equal(isPausedBy(10_000, { interruptionSensitivity: 0 }), false);
    const words = [1, 0.8, 0.5, 0.2, 0.1].map((value) => turnPolicy({ interruptionSensitivity: value }).bargeInWords);
    assert.deepEqual(words, [0, 0, 1, 2, 3]);
    // Nor in any of 2,000 random calls; the campaign runs a million.
    for (let seed = 0; seed < 2000; seed += 1) {
      const { violations } = runRandomCall(seed, { interruptionSensitivity: 0 });
      assert.deepEqual(violations, [], `seed ${seed}`);
    }
  }),
  enableBackchannel: effect('words of the agent in the pauses of the caller', () => {
    assert.equal(backchannelsOf({ enableBackchannel: false }).length, 0);
    assert.equal(backchannelsOf({ enableBackchannel: true }).length, 3);
  }),
  backchannelFrequency: effect('the gap between two is 8 s at 0 and 2 s at 1', () => {
    const gaps = [0, 0.5, 1].map(
      (backchannelFrequency) => turnPolicy({ enableBackchannel: true, backchannelFrequency }).backchannel?.gapMs,
    );
    assert.deepEqual(gaps, [8000, 5000, 2000]);
  }),
  backchannelWords: effect('the list is used in turn; an empty one is that of the language', () => {
    assert.deepEqual(backchannelsOf({ backchannelWords: ['right', 'sure'] }), ['right', 'sure', 'right']);
    assert.deepEqual(turnPolicy({ enableBackchannel: true, language: 'ja' }).backchannel?.words[0], 'はい');
  }),
  reminderTriggerMs: effect('a reminder that long after the playback ends', () => {
    const { turns } = simulate({ ...echo, beginMessage: 'Hello.', reminderTriggerMs: 7000, reminderMaxCount: 1 }, [
      'expect agent says /Hello/',
      'expect agent says /still there/',
    ]);
    // The voice needs 120 ms for its first sample.
    assert.equal((turns[1]?.startMs ?? 0) - (turns[0]?.endMs ?? 0), 7120);
  }),
  reminderMaxCount: effect('at most that many per silence', () => {
    for (const reminderMaxCount of [0, 1, 3]) {
      const { turns } = simulate(
        { ...echo, beginMessage: '', reminderTriggerMs: 1000, reminderMaxCount, endCallAfterSilenceMs: 30_000 },
        ['expect end silence_timeout'],
      );
      assert.equal(turns.length, reminderMaxCount);
    }
  }),
  beginMessageDelayMs: effect('the opening starts after it', () => {
    const { turns } = simulate({ ...echo, beginMessage: 'Hello.', beginMessageDelayMs: 1500 }, [
      'expect agent says /Hello/',
    ]);
    assert.equal(turns[0]?.startMs, 1620);
  }),
  beginMessage: effect('text is said, null is requested from the engine, empty waits for the caller', () => {
    const script = { responseEngine: { type: 'single_prompt', model: 'test-script', prompt: 'I open.' } } as const;
    const first = (beginMessage: string | null) =>
      simulate({ ...script, beginMessage }, ['say "Hello there."', 'expect agent says /I open/']).turns[0];
    assert.equal(first('Verbatim.')?.text, 'Verbatim.');
    assert.equal(first('')?.role, 'caller');
    assert.equal(simulate({ ...script, beginMessage: null }, ['expect agent says /I open/']).turns[0]?.source, 'begin');
    const interrupted = simulate({ ...echo, beginMessage: 'Hello.', beginMessageDelayMs: 5000 }, [
      'interrupt after 0 words "I am first."',
      'expect agent says /first/',
    ]);
    assert.equal(interrupted.turns[0]?.text, 'I am first.');
  }),
  endCallAfterSilenceMs: effect('the call ends exactly then', () => {
    const { durationMs } = simulate({ ...echo, beginMessage: '', reminderMaxCount: 0, endCallAfterSilenceMs: 12_345 }, [
      'expect end silence_timeout',
    ]);
    assert.equal(durationMs, 12_345);
  }),
  maxCallDurationMs: effect('no call lasts longer', () => {
    const call = new MachineDriver(turnPolicy({ beginMessage: '', maxCallDurationMs: 61_000 }));
    for (let turn = 0; turn < 50; turn += 1) call.converse('more', 'Yes.').wait(1000).done();
    assert.deepEqual([call.end?.reason, call.end?.atMs], ['max_duration', 61_000]);
  }),
  language: effect('words, hints, backchannels, and the sentences that the service says itself', () => {
    const japanese = turnPolicy({ language: 'ja' }).language;
    const english = turnPolicy({ language: 'en' }).language;
    assert.equal(japanese.waitingText, '少々お待ちください。');
    assert.equal(english.waitingText, 'One moment, please.');
    assert.equal(japanese.hint('予約をお願いします'), 'finished');
    assert.equal(english.hint('I would like to book and'), 'open');
    assert.ok(japanese.countWords('予約をお願いします') >= 3);
    simulate({ ...echo, language: 'ja', beginMessage: '', reminderTriggerMs: 1000 }, [
      'expect agent says /聞こえていますか/',
    ]);
    assert.equal(askedOfVoice({ language: 'ja' })?.language, 'ja');
    assert.equal(askedOfRecognizer({ language: 'ja' }).language, 'ja');
  }),
  sttMode: effect('accurate waits for the final after the flush, up to 700 ms more', () => {
    const fast = turnPolicy({ sttMode: 'fast' });
    const accurate = turnPolicy({ sttMode: 'accurate' });
    assert.equal(accurate.sttWaitMs - fast.sttWaitMs, 700);
    assert.equal(requestedAt({ sttMode: 'fast' }), 1300);
    assert.equal(requestedAt({ sttMode: 'accurate' }), 2700);
    assert.equal(askedOfRecognizer({ sttMode: 'accurate' }).mode, 'accurate');
    assert.equal(askedOfRecognizer({ sttMode: 'fast' }).mode, 'fast');
  }),
  sttProvider: effect('selects the recognizer, and with auto those that replace it', () => {
    assert.deepEqual(speechOf({ sttProvider: 'deepgram' }).stt, ['deepgram']);
    assert.deepEqual(speechOf({ sttProvider: 'test' }).stt, ['test']);
    assert.deepEqual(speechOf({ sttProvider: 'auto' }).stt, ['deepgram', 'openai']);
    assert.deepEqual(speechOf({ sttProvider: 'auto', language: 'tlh' }).stt, ['openai']);
    assert.deepEqual(speechOf({ sttProvider: 'elevenlabs' }).notApplied, ['sttProvider']);
  }),
  ttsProvider: effect('selects the voice, and with auto those that replace it', () => {
    assert.deepEqual(speechOf({ ttsProvider: 'cartesia' }).tts, ['cartesia']);
    assert.deepEqual(speechOf({ ttsProvider: 'auto' }).tts, ['elevenlabs', 'cartesia', 'openai']);
    assert.deepEqual(speechOf({ ttsProvider: 'deepgram' }).notApplied, ['ttsProvider']);
  }),
  boostedKeywords: effect('what the recognizer is told to expect', () => {
    const agentVariables = [{ name: 'shop', value: 'Ginza' }];
    const { keywords } = askedOfRecognizer({ boostedKeywords: ['salon', '{{shop}}'], agentVariables });
    assert.deepEqual(keywords, ['salon', 'Ginza']);
  }),
  pronunciationDictionary: effect('changes what the voice says, never the transcript', () => {
    const rules = [
      { find: 'SQL', replace: 'sequel' },
      { find: '\\d{3}', replace: 'digits', isRegex: true },
    ];
    assert.equal(compilePronunciation(rules)('SQL 123'), 'sequel digits');
    const { turns } = simulate({ ...echo, beginMessage: 'Ask SQL.', pronunciationDictionary: rules }, [
      'expect agent says /SQL/',
    ]);
    assert.equal(turns[0]?.text, 'Ask SQL.');
    const { call, voice } = spokenCall({ beginMessage: 'Ask SQL 123.', pronunciationDictionary: rules });
    assert.deepEqual(voice.requests[0]?.texts, ['Ask sequel digits.']);
    assert.equal(call.turns[0]?.text, 'Ask SQL 123.');
  }),
  postCallAnalysisData: open('analysis', 'what is extracted after the call'),
  postCallAnalysisModel: open('analysis', 'the model that extracts it'),
  webhookUrl: open('webhooks', 'where events are sent'),
  webhookEvents: open('webhooks', 'which events are sent'),
  dataStorageSetting: open('calls', 'what is stored; the detector of personal data has its own tests'),
  startSkillId: effect('the flow starts at that skill', () => {
    simulate({ ...flowAgent }, ['expect agent says /First/']);
    simulate({ ...flowAgent, startSkillId: 'second' }, ['expect agent says /Second/']);
  }),
  agentGlobalPrompt: open('prompt engine', 'the first part of the system message'),
  agentVariables: effect('defaults for {{name}}; items of another shape are reported', () => {
    const declared = { name: 'order', example: 'A-1001', description: 'The number of the order.' };
    const variables = [{ name: 'shop', value: 'Ginza' }, 'loose', { name: 'n', value: { deep: 1 } }, declared];
    assert.deepEqual(agentVariables(agentWith({ agentVariables: variables })), { shop: 'Ginza' });
    simulate({ ...echo, agentVariables: variables, beginMessage: 'Shop {{shop}}.' }, [
      'expect agent says /Shop Ginza/',
    ]);
    assert.deepEqual(policyOf(agentWith({ agentVariables: variables }), conditions).notApplied, [
      { field: 'agentVariables.1', reason: 'not_understood' },
      { field: 'agentVariables.2', reason: 'not_understood' },
    ]);
  }),
  agentSettings: effect('its flow decides what is said; the rest belongs to the partner', () => {
    simulate({ ...flowAgent, agentSettings: { flow, theme: 'salon' } }, [
      'expect agent says /First/',
      'say "A table."',
      'expect variable one = A table.',
      'expect end agent_hangup',
    ]);
  }),
};

const conditions = { isChat: false, isFlow: false, recognizer };

describe('Every field of an agent', () => {
  it('has a row here', () => {
    assert.deepEqual(Object.keys(rows).sort(), Object.keys(agent.shape).sort());
    assert.equal(Object.keys(rows).length, 44);
  });

  for (const [field, row] of Object.entries(rows)) {
    if ('proof' in row) it(`${field}: ${row.effect}`, row.proof);
  }

  it('has its effect here, or belongs to a layer that is named', () => {
    const openFields = Object.entries(rows).flatMap(([field, row]) => ('open' in row ? [`${field}: ${row.open}`] : []));
    assert.deepEqual(openFields, [
      'id: calls',
      'workspaceId: calls',
      'version: calls',
      'versionDescription: calls',
      'createdAt: calls',
      'updatedAt: calls',
      'isPublished: calls',
      'postCallAnalysisData: analysis',
      'postCallAnalysisModel: analysis',
      'webhookUrl: webhooks',
      'webhookEvents: webhooks',
      'dataStorageSetting: calls',
      'agentGlobalPrompt: prompt engine',
    ]);
  });
});
