import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { wavFile } from '../../../src/areas/providers/wav-file.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import { level } from '../../../src/voice/audio/level.ts';
import { realClock } from '../../../src/voice/clock.ts';
import { newWebCall } from '../../areas/calls/live/support.ts';
import { eventually } from '../../areas/calls/support.ts';
import { withBrowser } from '../../dashboard/support/browser.ts';
import { launchChromium } from '../../dashboard/support/chromium.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { embeddedSpeech, useService, withSpeech } from '../../support/service.ts';
import { detect, hear, say } from '../../voice/providers/embedded/support/speech.ts';
import { bundle } from './bundle.ts';
import { allowMicrophone, eventsOf, join, timedEvents, waitForEvent } from './page.ts';

const rate = 48_000;
const silence = (seconds: number) => new Int16Array(seconds * rate);
/** The microphone does not wait for the agent: it must have begun by then, and not be done yet. */
const replySeconds = 8;
const replies = [
  'We open at nine. On Wednesday we open at eleven. On Sunday we are closed all day. On public holidays we are closed, too. We close at six in the evening. On Friday we close at eight. In summer we close at nine every day. In winter there may be changes.',
  'There is a garage behind the house. You can park there for two hours. The first hour is free. The second hour costs three dollars. There are seven places for bicycles. The bus stops in front of the house. It comes every ten minutes. The last bus leaves at midnight.',
];
/** The level of a voice rather than that of the noise before it. */
const voiced = 0.02;
const frameMs = 20;
const maxAttempts = 5;
const maxLostMs = 100;

describe('a spoken call in Chromium', { ...withBrowser, skip: withBrowser.skip || withSpeech.skip }, () => {
  const folder = mkdtempSync(path(tmpdir(), 'voice-agents-page-'));
  const speech = embeddedSpeech();
  const service = useService(sqliteEngine(), { speech, mediaFolder: folder, calls: { clock: realClock } });
  const pages = createServer();
  before(async () => {
    const client = await bundle('both');
    pages.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const isScript = request.url === '/client.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? client : '<!doctype html><html lang="en"><title>Shop</title><body></body></html>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    pages.close();
    await rm(folder, { recursive: true, force: true });
  });

  const newMicrophone = async () => {
    const file = path(folder, 'microphone.wav');
    const texts = [
      'What time do you open tomorrow?',
      'I have another question for you.',
      'Please tell me your phone number.',
    ];
    const spoken: Int16Array[] = [];
    for (const text of texts) spoken.push(await say(speech, [text], { rate }), silence(replySeconds));
    writeFileSync(file, wavFile([silence(3), ...spoken, silence(60)], rate));
    return file;
  };

  it('is heard, interrupted, ended and recorded', { timeout: 400_000 }, async () => {
    const microphone = await newMicrophone();
    // Loads the models: the first call of a process need not wait for them here.
    const known = await say(speech, ['Hello, hello.']);
    await Promise.all([hear(speech, known), detect(speech, known, 16_000)]);
    for (let attempt = 1; ; attempt += 1) {
      const browser = await launchChromium(
        ...allowMicrophone,
        `--use-file-for-fake-audio-capture=${microphone}%noloop`,
      );
      const page = await (await browser.newContext({ permissions: ['microphone'] })).newPage();
      try {
        return await converse(page);
      } catch (error) {
        // On a machine that is too busy, the browser drops what the microphone records, and with it whole words.
        const lostMs = await lostByMicrophone(page);
        if (attempt === maxAttempts || lostMs < maxLostMs) throw error;
      } finally {
        await browser.close();
      }
    }
  });

  async function converse(page: Page): Promise<void> {
    const { key } = await service.newKey();
    const call = await newWebCall(service, key, {
      model: 'test-script',
      agent: { prompt: [...replies, 'Go ahead.'].join('\n'), agentSettings: { calls: { recordingEnabled: true } } },
    });
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    const liveUrl = `ws://127.0.0.1:${service.port}/live/v1/calls/${call.id}`;
    await join({ page, double: { access: { token: call.accessToken, liveUrl } } });
    for (const words of [/what time do you open/i, /another question/i, /phone number/i, /Go ahead\./]) {
      await waitUntil(
        page,
        async () => (await transcriptOf(page)).some(({ text, isFinal }) => isFinal && words.test(text)),
        `${words} is in the transcript`,
      );
    }
    await waitUntil(page, async () => (await statesOf(page)).at(-1)?.[1].state === 'done', 'the last reply was played');
    await page.evaluate(() => window.call.end());
    const { reason } = (await waitForEvent(page, 'ended')) as { reason: string };
    assert.equal(reason, 'caller_hangup');
    await checkTurns(page, await call.turns());
    assert.equal((await call.call()).latency?.turns, 3);
    await checkRecording(page, call);
  }

  async function checkTurns(page: Page, turns: readonly Turn[]): Promise<void> {
    assert.deepEqual(
      turns.map(({ role }) => role),
      ['caller', 'agent', 'caller', 'agent', 'caller', 'agent'],
    );
    const stops: number[] = [];
    const interrupted = await interruptedUtterances(page);
    assert.equal(interrupted.length, replies.length);
    for (const [index, said] of replies.entries()) {
      const turn = turns[1 + 2 * index];
      const playback = await playbackOf(page, interrupted[index] as number);
      assert.equal(turn?.interrupted, true);
      assert.equal(`${turn?.text}${turn?.unspokenText}`, said);
      const wholeMs = (await say(speech, [said])).length / 16;
      const heard = (turn?.text.length ?? 0) / said.length;
      const isAsPlayed = Math.abs(heard - playback.playedMs / wholeMs) < 0.12;
      assert.ok(isAsPlayed, `"${turn?.text}" after ${playback.playedMs} of ${wholeMs} ms`);
      assert.ok(playback.loudest > 0.05, `the reply is audible: ${playback.loudest}`);
      if (playback.stopMs !== null) stops.push(playback.stopMs);
    }
    // A machine that is busy delays one of them, or the reply itself. The other one shows what the service needs.
    assert.ok(Math.min(...stops) <= 450, `paused ${stops.join(' and ')} ms after the caller began`);
    for (const { role, latency } of turns) {
      if (role === 'agent') assert.ok((latency?.e2eMs ?? 0) > 0 && (latency?.ttsFirstAudioMs ?? -1) >= 0);
    }
  }

  async function checkRecording(page: Page, call: Awaited<ReturnType<typeof newWebCall>>): Promise<void> {
    await eventually(async () => (await call.call()).recording.status === 'available');
    const { json } = await call.recording();
    const url = `${service.url}${json.url}`;
    const played = await page.evaluate(async (url) => {
      const audio = new Audio(url);
      await audio.play();
      await new Promise<void>((resolve) => {
        audio.ontimeupdate = () => audio.currentTime > 0.5 && resolve();
      });
      return audio.duration;
    }, url);
    assert.ok(Math.abs(played * 1000 - json.durationMs) < 100);
    assert.ok(json.durationMs > 3 * replySeconds * 1000);
    const samples = new Int16Array((await (await fetch(url)).arrayBuffer()).slice(44));
    for (const side of [0, 1]) {
      const loud = level(samples.filter((_, index) => index % 2 === side));
      assert.ok(loud > 0.01, `side ${side} of the recording has a level of ${loud}`);
    }
  }
});

/** Until everything that the microphone has to say was said, and answered. */
async function waitUntil(page: Page, isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const start = performance.now();
  while (!(await isTrue())) {
    assert.deepEqual(await eventsOf(page, 'ended'), [], `the call is over before ${what}`);
    assert.ok(performance.now() - start < 45_000, `${what}: ${JSON.stringify(await transcriptOf(page))}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function transcriptOf(page: Page) {
  return eventsOf(page, 'transcript') as Promise<{ text: string; isFinal: boolean }[]>;
}

function statesOf(page: Page) {
  return timedEvents(page, 'speech') as Promise<[number, { utterance: number; state: string }][]>;
}

function levelsOf(page: Page) {
  return timedEvents(page, 'level') as Promise<[number, { role: string; level: number }][]>;
}

/** How much shorter the audio of the microphone is than the time in which it was recorded. */
async function lostByMicrophone(page: Page): Promise<number> {
  const times = (await levelsOf(page)).flatMap(([at, { role }]) => (role === 'caller' ? [at] : []));
  const [first = 0] = times;
  // Frames that are only late arrive together soon.
  return Math.min(...times.map((at, index) => at - first - index * frameMs).slice(-100));
}

/** Those that were paused and then cleared. Others were replaced before they were heard. */
async function interruptedUtterances(page: Page): Promise<number[]> {
  const states = (await statesOf(page)).map(([, each]) => each);
  const inState = (wanted: string) => states.filter(({ state }) => state === wanted).map(({ utterance }) => utterance);
  const cleared = inState('cleared');
  return [...new Set(inState('paused'))].filter((utterance) => cleared.includes(utterance));
}

interface Playback {
  /** How long it was played before the caller interrupted it. */
  readonly playedMs: number;
  /** From the first voiced frame of the caller to the pause; null: the caller was speaking when it began. */
  readonly stopMs: number | null;
  /** The highest level meanwhile. */
  readonly loudest: number;
}

/** What became of an utterance in the page, on the clock of the page. */
async function playbackOf(page: Page, utterance: number): Promise<Playback> {
  const states = await statesOf(page);
  const timeOf = (state: string) =>
    states.find(([, each]) => each.utterance === utterance && each.state === state)?.[0];
  const [playing = Number.NaN, paused = Number.NaN] = [timeOf('playing'), timeOf('paused')];
  const levels = await levelsOf(page);
  const during = levels.filter(([at]) => at > playing && at <= paused + 100);
  const ofCaller = during.find(([, { role, level }]) => role === 'caller' && level > voiced);
  const ofAgent = during.flatMap(([, { role, level }]) => (role === 'agent' ? [level] : []));
  return {
    playedMs: paused - playing,
    // A level is that of the frame before it.
    stopMs: ofCaller === undefined ? null : paused - ofCaller[0] + frameMs,
    loudest: Math.max(0, ...ofAgent),
  };
}
