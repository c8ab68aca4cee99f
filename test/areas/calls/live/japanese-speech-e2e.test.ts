import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findJapaneseVoice } from '../../../../src/voice/providers/embedded/japanese-files.ts';
import { createSpeechProviders } from '../../../../src/voice/providers/registry.ts';
import type { SpeechProviders } from '../../../../src/voice/speech-ports.ts';
import { CallTime } from '../../../support/call-time.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService, withSpeech } from '../../../support/service.ts';
import { joined, rms } from '../../../voice/providers/embedded/support/speech.ts';
import { eventually, said } from '../support.ts';
import { spokenCall } from './caller.ts';
import { heldSpeech } from './held-speech.ts';

const rate = 16_000;
const greeting = 'お電話ありがとうございます。ヘアサロン花でございます。';
const models = process.env.SPEECH_MODELS ?? join(import.meta.dirname, '..', '..', '..', '..', 'data', 'speech');
const programPath = process.env.PATH ?? '';
const hasVoice = findJapaneseVoice({ models, programPath }) !== null;
const skip =
  withSpeech.skip || (hasVoice ? false : 'Open JTalk or its voice is not installed: voice-agents speech add ja');

describe('a web call in Japanese with Open JTalk', { skip }, () => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-japanese-'));
  const speech = createSpeechProviders({ models, programPath, isPreloaded: false });
  const clock = new CallTime();
  const service = useService(sqliteEngine(), { speech: heldSpeech(speech, clock), mediaFolder, calls: { clock } });
  after(() => rm(mediaFolder, { recursive: true, force: true }));

  it('is spoken, and its recording has speech where the agent spoke', async () => {
    const { key } = await service.newKey();
    const { client, caller, ...call } = await spokenCall(service, key, {
      agent: {
        language: 'ja',
        ttsProvider: 'embedded',
        voiceId: 'mei',
        beginMessage: greeting,
        agentSettings: { calls: { recordingEnabled: true } },
      },
      plays: 'in real time',
    });
    await client.next('transcript', ({ role, isFinal }) => role === 'agent' && isFinal);
    client.send({ type: 'end' });
    await client.closed;
    const turns = await call.turns();
    assert.deepEqual(said(turns), [['agent', greeting]]);
    assert.equal((await call.call()).usage.tts.provider, 'embedded');
    await eventually(async () => (await call.call()).recording.status === 'available');
    const { url } = (await call.recording()).json;
    const file = await (await fetch(`${service.url}${url}`)).arrayBuffer();
    const samples = new Int16Array(file.slice(44));
    const [left, right] = [0, 1].map((channel) => samples.filter((_, index) => index % 2 === channel));
    assert.ok(
      left?.every((sample) => sample === 0),
      'the caller said nothing',
    );

    const agent = right ?? new Int16Array();
    const isLoud = (sample: number) => Math.abs(sample) > 330;
    const [begin, end] = [agent.findIndex(isLoud), agent.findLastIndex(isLoud)];
    assert.ok(end - begin > 2.5 * rate && end - begin < 8 * rate, `${(end - begin) / rate} s of sound`);
    assert.ok(rms(agent.subarray(begin, end)) > 800, 'it is loud enough');
    const found = await detect(speech, joined([agent, new Int16Array(rate)]));
    assert.ok(found.length >= 1);
    assert.ok(Math.abs((found[0]?.begin ?? 0) - begin) < 0.15 * rate, 'speech begins with the sound');
    assert.ok(Math.abs((found.at(-1)?.end ?? 0) - end) < 0.3 * rate, 'and ends with it');
    const spoken = found.reduce((sum, one) => sum + one.end - one.begin, 0);
    assert.ok(spoken > 0.7 * (end - begin), `${spoken / rate} s of speech`);
    const [{ startMs = 0, endMs = 0 } = {}] = turns;
    assert.ok(Math.abs((begin * 1000) / rate - startMs) < 1500 && Math.abs((end * 1000) / rate - endMs) < 1500);
    assert.ok(caller.longestGapMs < 3000);
  });
});

/**
 * Where the embedded detector finds speech, in samples. A second stream, which the thread serves afterwards, shows that
 * the first is complete.
 */
async function detect(speech: SpeechProviders, samples: Int16Array): Promise<{ begin: number; end: number }[]> {
  const found: { begin: number; end: number }[] = [];
  const detector = speech.detector();
  const first = detector.open(rate, {
    start: (ago) => found.push({ begin: samples.length - ago, end: samples.length }),
    end: (ago) => Object.assign(found.at(-1) ?? {}, { end: samples.length - ago }),
  });
  first.write(samples);
  await new Promise<void>((resolve) => {
    const second = detector.open(rate, { start: () => resolve(), end: () => second.close() });
    second.write(samples);
  });
  first.close();
  return found;
}
