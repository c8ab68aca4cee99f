import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WebSocketRoute } from 'playwright-core';
import { eventually, testAgent } from '../areas/calls/support.ts';
import { send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { intercept, useDashboard, type VisitOptions, withBrowser } from './support/browser.ts';

interface Capabilities {
  readonly speechIn?: boolean;
  readonly speechOut?: boolean;
  readonly recording?: boolean;
}

/** The service's side of the socket, which the test plays. */
interface Agent {
  readonly frames: { readonly type: string; readonly [field: string]: unknown }[];
  audioFrames: number;
  say(frame: object): void;
  /** An utterance, of 400 ms unless told. */
  speak(utterance: number, ms?: number): void;
}

/** A service with a voice for Japanese, but no recognition. */
const englishOnly = [
  { name: 'embedded', configured: true, capabilities: ['stt'], languages: ['en'], automatic: true },
  { name: 'embedded', configured: true, capabilities: ['tts'], languages: ['en', 'ja'], automatic: true },
];

const turn = (index: number, fields: object) => ({
  index,
  role: 'agent',
  source: 'engine',
  text: '',
  unspokenText: null,
  startMs: 0,
  endMs: 0,
  words: [],
  interrupted: false,
  latency: null,
  sources: [],
  toolCall: null,
  ...fields,
});

describe('speaking with an agent in the dashboard', withBrowser, () => {
  const dashboard = useDashboard(undefined, { hasMicrophone: true });

  async function open({
    fields = {},
    capabilities = {},
    providers = null,
    ...options
  }: VisitOptions & { fields?: object; capabilities?: Capabilities; providers?: readonly object[] | null } = {}) {
    const { key } = await dashboard.service.newKey();
    const agent = await testAgent(dashboard.service, key, 'test-echo', fields);
    const visit = await dashboard.visit(`/agents/${agent.id}`, { key, permissions: ['microphone'], ...options });
    const { page } = visit;
    let joined = (_: Agent) => {};
    const joining = new Promise<Agent>((resolve) => {
      joined = resolve;
    });
    await page.routeWebSocket(/\/live\/v1\/calls\//, (socket) => joined(play(socket, capabilities)));
    if (providers !== null) {
      const json = { items: providers, pagination: { nextCursor: null } };
      await intercept(page, '**/api/v1/providers', (route) => route.fulfill({ json }));
    }
    // The route is there for pages that are loaded after it.
    await page.reload();
    await page.getByRole('button', { name: /^(Try|試す)$/ }).click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: /^(Make a call|通話する)$/ }).click();
    const calls = async () => (await send(dashboard.service, 'GET', '/api/v1/calls', { key })).json.items;
    const start = async () => {
      await panel.getByRole('button', { name: /^(Start call|通話を始める)$/ }).click();
      return joining;
    };
    return { ...visit, key, agent, panel, calls, start, joining };
  }

  it('shows who speaks, words as they come, the time of each reply, and mutes', async () => {
    const { page, panel, calls, start, complaints } = await open();
    const agent = await start();
    const log = panel.getByRole('log');
    agent.say({ type: 'state', floor: 'agent' });
    await panel.getByText('The agent is speaking').waitFor();
    agent.say({ type: 'transcript', role: 'agent', text: 'Hello.', isFinal: true, turn: 0 });
    agent.speak(1);
    await eventually(async () => agent.frames.some(({ type, samples }) => type === 'played' && samples === 9600));
    agent.say({ type: 'state', floor: 'caller' });
    agent.say({ type: 'transcript', role: 'caller', text: 'A table', isFinal: false, turn: 1 });
    await panel.getByText('You are speaking').waitFor();
    await log.getByText('Caller: A table').waitFor();
    agent.say({ type: 'transcript', role: 'caller', text: 'A table for two.', isFinal: true, turn: 1 });
    const event = { id: 'cev_1', callId: 'call_1', sequence: 3, type: 'turn_completed', at: '', offsetMs: 900 };
    const reply = turn(2, { text: 'Of course.', latency: { e2eMs: 640 }, interrupted: true });
    agent.say({ type: 'event', event: { ...event, data: { turn: reply } } });
    await log.getByText('Replied in 640 ms').waitFor();
    await log.getByText('Interrupted').waitFor();
    await panel.getByText('Last reply: 640 ms').waitFor();
    assert.equal(await log.getByText('A table').count(), 1);

    await panel.getByRole('button', { name: 'Mute' }).click();
    await panel.getByText('Muted').waitFor();
    await panel.getByRole('button', { name: 'Unmute' }).click();
    await panel.getByLabel('Message').fill('At three.');
    await page.keyboard.press('Enter');
    await eventually(async () => agent.frames.some(({ type, text }) => type === 'text' && text === 'At three.'));
    assert.ok(agent.audioFrames > 10, 'the microphone is sent');

    await panel.getByRole('button', { name: 'End', exact: true }).click();
    await eventually(async () => agent.frames.some(({ type }) => type === 'end'));
    agent.say({ type: 'ended', reason: 'agent_hangup' });
    await log.getByText('The agent ended the conversation.').waitFor();
    await panel.getByRole('button', { name: 'New call' }).waitFor();
    assert.deepEqual(
      (await calls()).map(({ type }: { type: string }) => type),
      ['web'],
      'a call leaves no chat behind',
    );
    assert.deepEqual(complaints, []);
  });

  it('ends the call with the panel', async () => {
    const { panel, start } = await open();
    const agent = await start();
    await panel.getByRole('button', { name: 'Mute' }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await eventually(async () => agent.frames.some(({ type }) => type === 'end'));
  });

  it('explains a blocked microphone, and goes on without', async () => {
    const { panel, calls, joining } = await open({ permissions: [] });
    await panel.getByRole('button', { name: 'Start call' }).click();
    await panel.getByRole('alert').getByText('The microphone is blocked.').waitFor();
    assert.equal((await calls()).length, 0, 'no call is created for nothing');
    await panel.getByRole('button', { name: 'Continue without a microphone' }).click();
    const agent = await joining;
    await panel.getByLabel('Message').waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Mute' }).count(), 0);
    assert.equal(agent.audioFrames, 0);
  });

  it('says what the service lacks for the language, and the three ways around it', async () => {
    const { panel, start } = await open({
      locale: 'ja-JP',
      fields: { language: 'ja-JP' },
      capabilities: { speechIn: false, speechOut: false },
    });
    await start();
    await panel.getByText('このサービスには日本語 (JP)の音声認識がありません。').waitFor();
    assert.equal(await panel.getByRole('listitem').count(), 3);
    await panel.getByText('返答は文字だけで表示されます。').waitFor();
  });

  it('says the same before a call, and starts one without a microphone', async () => {
    const { panel, joining } = await open({ fields: { language: 'ja-JP' }, providers: englishOnly });
    await panel.getByText('This service has no speech recognition for Japanese').waitFor();
    await panel.getByText('Type: the agent still replies by voice.').waitFor();
    await panel.getByText('to browser.').waitFor();
    await panel.getByText('put SenseVoice or ReazonSpeech into the folder SPEECH_MODELS').waitFor();
    await panel.getByRole('button', { name: 'Continue without a microphone' }).click();
    const agent = await joining;
    await panel.getByLabel('Message').waitFor();
    assert.equal(agent.audioFrames, 0);
  });

  it('names the command that adds a voice', async () => {
    const { panel } = await open({ locale: 'ja-JP', fields: { language: 'ja-JP' }, providers: [] });
    await panel.getByText('npx voice-agents speech add ja').waitFor();
    await panel.getByText('文字で入力し、返答を読む。').waitFor();
  });

  it('names a provider that is not configured', async () => {
    const { panel } = await open({ fields: { ttsProvider: 'acme' }, providers: englishOnly });
    await panel.getByText('“acme”, which is not configured on this service').waitFor();
  });

  it('says nothing if nothing is missing', async () => {
    const { panel } = await open({ providers: englishOnly });
    await panel.getByRole('button', { name: 'Start call' }).waitFor();
    await panel.page().waitForLoadState('networkidle');
    assert.equal(await panel.getByText('on this service').count(), 0);
  });

  it('explains that there is no microphone', async () => {
    const { page, panel } = await open();
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'));
    });
    await panel.getByRole('button', { name: 'Start call' }).click();
    await panel.getByRole('alert').getByText('No microphone was found.').waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Continue without a microphone' }).count(), 1);
  });

  it('stops the playback when the caller interrupts', async () => {
    const { panel, start } = await open();
    const agent = await start();
    await panel.getByRole('button', { name: 'Mute' }).waitFor();
    agent.speak(1, 5000);
    await eventually(async () => agent.frames.some(({ type }) => type === 'played'));
    agent.say({ type: 'pause', utterance: 1 });
    agent.say({ type: 'clear', utterance: 1 });
    agent.say({ type: 'state', floor: 'caller' });
    await panel.getByText('You are speaking').waitFor();
    agent.speak(2);
    await eventually(async () => agent.frames.some(({ utterance, samples }) => utterance === 2 && samples === 9600));
    const heard = agent.frames.findLast(({ utterance }) => utterance === 1);
    assert.ok((heard?.samples as number) < 24 * 5000, 'the rest of the first one was not played');
  });

  it('says where the voice goes before the browser recognizes it', async () => {
    const { panel } = await open({ fields: { sttProvider: 'browser' } });
    await panel.getByText('which may send your voice to the browser vendor').waitFor();
  });

  it('explains what prevents a call', async () => {
    const { panel, key, agent } = await open();
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, {
      key,
      body: { responseEngine: { model: 'test-unknown' } },
    });
    await panel.getByRole('button', { name: 'Start call' }).click();
    await panel.getByText('This version cannot be tried yet:').waitFor();
  });

  it('is accessible, before and in a call', async () => {
    const { page, panel, start } = await open({ capabilities: { speechIn: false, recording: true } });
    const audit = newAudit();
    await audit.look(page, 'before');
    const agent = await start();
    agent.say({ type: 'transcript', role: 'agent', text: 'Hello.', isFinal: true, turn: 0 });
    agent.say({ type: 'transcript', role: 'caller', text: 'A table for two.', isFinal: true, turn: 1 });
    await panel.getByText('A table for two.').waitFor();
    await audit.look(page, 'in a call');
    audit.assertClean();
  });
});

function play(socket: WebSocketRoute, capabilities: Capabilities): Agent {
  const agent: Agent = {
    frames: [],
    audioFrames: 0,
    say: (frame) => socket.send(JSON.stringify(frame)),
    speak: (utterance, ms = 400) => {
      agent.say({ type: 'speech', utterance });
      const samples = Int16Array.from({ length: 24 * ms }, (_, place) => 8000 * Math.sin(place / 9));
      // Frames have at most 64 KiB.
      for (let at = 0; at < samples.length; at += 24_000) {
        const part = samples.subarray(at, at + 24_000);
        socket.send(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
      }
    },
  };
  socket.onMessage((message) => {
    if (typeof message !== 'string') {
      agent.audioFrames += 1;
      return;
    }
    const frame = JSON.parse(message);
    agent.frames.push(frame);
    if (frame.type !== 'start') return;
    const all = { speechIn: true, speechOut: true, recording: false, ...capabilities };
    agent.say({
      type: 'ready',
      callId: 'call_1',
      agentName: 'Sakura',
      language: 'en',
      capabilities: all,
      resumeKey: 'key_1',
    });
  });
  return agent;
}
