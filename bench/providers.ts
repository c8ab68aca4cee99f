import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { agentWith } from '../campaigns/voice/random-agent.ts';
import type { Agent } from '../src/contract/agents/agent.ts';
import { realClock } from '../src/voice/clock.ts';
import { prepareEngine } from '../src/voice/engines/create.ts';
import { agentVariables, policyOf } from '../src/voice/policy.ts';
import { createConnectedProviders } from '../src/voice/providers/connected.ts';
import type { ProviderAccount } from '../src/voice/providers/connection/account.ts';
import { createSpeechProviders } from '../src/voice/providers/registry.ts';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import { createTestDetector } from '../src/voice/providers/test/test-speech.ts';
import type { AudioTransport, SpeechProviders } from '../src/voice/speech-ports.ts';
import { callSpeech } from '../src/voice/spoken/call-speech.ts';
import { SpeechCache } from '../src/voice/spoken/speech-cache.ts';
import { SpokenSession } from '../src/voice/spoken/spoken-session.ts';
import { createSpeakableStage } from '../src/voice/text/speakable.ts';
import { cartesiaVoices } from '../test/providers/cartesia-double.ts';
import { elevenLabsVoices } from '../test/providers/elevenlabs-double.ts';
import { atMost, type Target } from './targets.ts';

const calls = 50;
const turnsPerCall = 6;
const frameMs = 20;
const frameSamples = 320;
/** The caller says two words, and is silent until the agent has answered. */
const cycleMs = 2000;
const maxOwnMs = 10;
const pairs = [
  {
    title: 'Deepgram and ElevenLabs',
    sttProvider: 'deepgram',
    ttsProvider: 'elevenlabs',
    voiceId: elevenLabsVoices[0],
  },
  { title: 'Deepgram and Cartesia', sttProvider: 'deepgram', ttsProvider: 'cartesia', voiceId: cartesiaVoices[0] },
  { title: 'OpenAI speech and transcription', sttProvider: 'openai', ttsProvider: 'openai', voiceId: 'alloy' },
] as const;

type Accounts = Record<'deepgram' | 'elevenlabs' | 'cartesia' | 'openai', ProviderAccount>;

/** What the service adds to a turn, with the doubles of the providers in another process. */
export async function measureProviders(): Promise<Target[]> {
  const child = fork(join(import.meta.dirname, 'provider-doubles.ts'));
  try {
    const accounts = await accountsOf(child);
    const openai = { ...accounts.openai, modelMap: new Map<string, string>() };
    const packages = { runtime: null, detection: null, english: null, flite: null };
    const others = await createConnectedProviders({ ...accounts, openai }, null);
    const speech = createSpeechProviders({ models: '/nowhere', programPath: '', isPreloaded: false, packages, others });
    const targets: Target[] = [];
    for (const { title, ...fields } of pairs) {
      const own = await ownTimes(speech, fields);
      const title99 = `own overhead of a turn, p99, ${calls} calls: ${title}`;
      targets.push(atMost(title99, percentile(own, 0.99), maxOwnMs, 'ms'));
    }
    await speech.close();
    return targets;
  } finally {
    child.disconnect();
  }
}

function accountsOf(child: ChildProcess): Promise<Accounts> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Accounts));
    child.once('exit', (code) => reject(new Error(`the doubles have ended (${code})`)));
  });
}

async function ownTimes(speech: SpeechProviders, fields: Partial<Agent>): Promise<number[]> {
  const own: number[] = [];
  const failures: string[] = [];
  const all = Array.from({ length: calls }, (_, index) => new PacedCall(speech, fields, index, own, failures));
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      for (const call of all) call.tick();
      if (!all.every(({ isOver }) => isOver)) return;
      clearInterval(timer);
      resolve();
    }, frameMs);
  });
  if (failures.length > 0) throw new Error(`calls have failed: ${failures.slice(0, 3).join(', ')}`);
  // The first turn connects.
  if (own.length < calls * (turnsPerCall - 1)) throw new Error(`only ${own.length} turns were measured`);
  return own;
}

/** A caller who sends a frame every 20 ms, and plays what the agent says at the same pace. */
class PacedCall {
  private readonly session: SpokenSession;
  private readonly frames: Int16Array[];
  private readonly sent = new Map<number, number>();
  private readonly played = new Map<number, number>();
  private readonly silence = new Int16Array(frameSamples);
  private readonly startedAt = performance.now();
  private time = 0;
  private at: number;

  constructor(speech: SpeechProviders, fields: Partial<Agent>, index: number, own: number[], failures: string[]) {
    const words = testFrames('hello', 10);
    this.frames = Array.from({ length: 10 }, (_, frame) =>
      words.subarray(frame * frameSamples, (frame + 1) * frameSamples),
    );
    // Not all at the same moment.
    this.at = -index * Math.round(cycleMs / calls);
    const agent = agentWith({
      beginMessage: '',
      responseEngine: { type: 'single_prompt', model: 'test-echo' },
      ...fields,
    });
    const { recognizers, tts } = callSpeech(speech, agent, new SpeechCache());
    const transport: AudioTransport = {
      rate: 16_000,
      speech: () => {},
      audio: (utterance, samples) => this.sent.set(utterance, (this.sent.get(utterance) ?? 0) + samples.length),
      pause: () => {},
      resume: () => {},
      clear: (utterance) => this.sent.delete(utterance),
    };
    this.session = new SpokenSession({
      clock: realClock,
      agent,
      engine: prepareEngine(
        agent,
        false,
      )({
        clock: realClock,
        startedAt: 0,
        time: () => realClock.now(),
        variables: {},
        defaults: agentVariables(agent),
        llm: null,
        isSpoken: true,
        history: () => [],
        contexts: () => [],
      }),
      policy: (recognizer) => policyOf(agent, { isChat: false, isFlow: false, recognizer }).turn,
      keywords: [],
      newStages: () => [createSpeakableStage(agent.language)],
      fixedSentences: new Set(),
      tools: { run: () => {} },
      newToolCallId: () => 'tcl_1',
      latencyBudgetMs: undefined,
      speech: {
        recognizers,
        isRecognizedByCaller: false,
        tts,
        detector: createTestDetector(),
        cache: new SpeechCache(),
        notApplied: [],
      },
      audio: { inputRate: 16_000, transport },
      recording: null,
      elapsedMs: 0,
      firstTurn: 0,
      resumed: null,
      memory: null,
      earlierConversation: null,
      resumedTurns: [],
      isMuted: false,
      recorder: {
        turn: ({ latency }) => {
          if (latency?.ownMs !== null && latency?.ownMs !== undefined) own.push(latency.ownMs);
        },
        event: () => {},
        ended: (reason, _at, detail) => {
          if (reason !== 'caller_hangup') failures.push(`${reason} ${detail}`);
        },
      },
      onTranscript: () => {},
      onFloor: () => {},
    });
    this.session.connect();
  }

  get isOver(): boolean {
    return this.at >= cycleMs * turnsPerCall;
  }

  /** As often as the time that has passed requires: timers are late under load. */
  tick(): void {
    for (const due = performance.now() - this.startedAt; this.time < due && !this.isOver; this.time += frameMs) {
      const inCycle = this.at % cycleMs;
      const frame = this.at < 0 ? undefined : this.frames[inCycle / frameMs];
      this.session.audio(frame ?? this.silence);
      this.at += frameMs;
      for (const [utterance, sent] of this.sent) {
        const before = this.played.get(utterance) ?? 0;
        if (before >= sent) continue;
        const played = Math.min(sent, before + frameSamples);
        this.played.set(utterance, played);
        this.session.played(utterance, played);
      }
    }
    if (this.isOver) this.session.hangUp();
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
