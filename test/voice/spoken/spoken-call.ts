import assert from 'node:assert/strict';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { engineFor } from '../../../src/voice/engines/choose.ts';
import { type EngineFacts, prepareEngine } from '../../../src/voice/engines/create.ts';
import type { Engine } from '../../../src/voice/engines/engine.ts';
import { filledKeywords, latencyBudgetOf } from '../../../src/voice/filled-agent.ts';
import { agentVariables, policyOf } from '../../../src/voice/policy.ts';
import type { RecordedEvent, Turn } from '../../../src/voice/ports.ts';
import { testFrames } from '../../../src/voice/providers/test/frames.ts';
import { createTestDetector, createTestStt, createTestTts } from '../../../src/voice/providers/test/test-speech.ts';
import { Invariants } from '../../../src/voice/simulation/invariants.ts';
import { fixedSentences } from '../../../src/voice/spoken/fixed-sentences.ts';
import type { TranscriptFrame } from '../../../src/voice/spoken/live-transcript.ts';
import { recognizerOf } from '../../../src/voice/spoken/recognizer.ts';
import { SpeechCache } from '../../../src/voice/spoken/speech-cache.ts';
import { SpokenSession } from '../../../src/voice/spoken/spoken-session.ts';
import type { CallSpeech, SpokenSessionParts } from '../../../src/voice/spoken/spoken-session-parts.ts';
import { compilePronunciation } from '../../../src/voice/text/pronunciation.ts';
import { createSpeakableStage } from '../../../src/voice/text/speakable.ts';
import type { Command, TurnEvent } from '../../../src/voice/turn/events.ts';
import { Player } from './player.ts';

export interface SpokenCallOptions {
  readonly speech?: Partial<CallSpeech>;
  readonly parts?: Partial<SpokenSessionParts>;
  /** What the agent's engine is connected to. */
  readonly engine?: Pick<Partial<EngineFacts>, 'llm' | 'customLlm' | 'isPhone' | 'knowledge'>;
  /** What the engine of an earlier session returned. */
  readonly engineState?: unknown;
  readonly inputRate?: number;
  readonly rate?: number;
  readonly clock?: VirtualClock;
  /** Checks the rules of conversation; not where a port breaks them on purpose. */
  readonly isChecked?: boolean;
}

const frameMs = 20;

/** A spoken call on a virtual clock, with test speech unless another is given. */
export class SpokenCall {
  readonly clock: VirtualClock;
  readonly player: Player;
  readonly session: SpokenSession;
  readonly engine: Engine;
  readonly cache = new SpeechCache();
  readonly turns: Turn[] = [];
  readonly events: (RecordedEvent & { readonly at: number })[] = [];
  readonly frames: TranscriptFrame[] = [];
  readonly floors: string[] = [];
  readonly steps: { readonly event: TurnEvent; readonly commands: readonly Command[]; readonly at: number }[] = [];
  end: { readonly reason: string; readonly atMs: number; readonly detail: string | null } | null = null;
  private readonly spoken: Int16Array[] = [];
  private readonly invariants: Invariants | undefined;

  constructor(
    fields: Partial<Agent>,
    {
      speech = {},
      parts = {},
      engine = {},
      engineState,
      inputRate = 16_000,
      rate = 16_000,
      ...others
    }: SpokenCallOptions = {},
  ) {
    const { clock = new VirtualClock(), isChecked = true } = others;
    const agent = agentWith({ beginMessage: '', ...fields });
    this.clock = clock;
    this.player = new Player(clock, rate);
    const pronounce = compilePronunciation(agent.pronunciationDictionary ?? []);
    const newStages = () => [createSpeakableStage(agent.language), pronounce];
    let tools = 0;
    let invariants: Invariants | undefined;
    const hasModel = engine.llm != null;
    const isFlow = engineFor(agent, hasModel) === 'flow';
    this.engine = prepareEngine(
      agent,
      hasModel,
    )({
      clock,
      startedAt: 0,
      time: () => clock.now(),
      variables: {},
      defaults: agentVariables(agent),
      llm: null,
      isSpoken: true,
      history: () => this.turns,
      contexts: () => [],
      ...engine,
      ...(engineState !== undefined && { state: engineState }),
    });
    const policy: SpokenSessionParts['policy'] = (recognizer) =>
      policyOf(agent, { isChat: false, isFlow, recognizer }).turn;
    this.session = new SpokenSession({
      clock,
      agent,
      engine: this.engine,
      policy,
      keywords: filledKeywords(agent, agentVariables(agent), () => {}),
      newStages,
      fixedSentences: fixedSentences(agent, newStages),
      tools: { run: () => assert.fail('no tool is expected') },
      newToolCallId: () => `tcl_${++tools}`,
      latencyBudgetMs: latencyBudgetOf(agent),
      speech: {
        recognizers: [createTestStt()],
        isRecognizedByCaller: false,
        tts: createTestTts(),
        detector: createTestDetector(),
        cache: this.cache,
        notApplied: [],
        ...speech,
      },
      audio: { inputRate, transport: this.player },
      recording: null,
      elapsedMs: 0,
      firstTurn: 0,
      resumed: null,
      memory: null,
      earlierConversation: null,
      resumedTurns: [],
      isMuted: false,
      recorder: {
        turn: (turn) => {
          this.turns[turn.index] = turn;
        },
        event: (event, at) => this.events.push({ ...event, at }),
        ended: (reason, atMs, detail) => {
          assert.equal(this.end, null, 'a call ends once');
          this.end = { reason, atMs, detail };
        },
      },
      onTranscript: (frame) => this.frames.push(frame),
      onFloor: (floor) => this.floors.push(floor),
      observe: (event, commands, machine, at) => {
        this.steps.push({ event, commands, at });
        invariants?.check(event, commands, machine, at);
      },
      ...parts,
    });
    if (isChecked) invariants = new Invariants(policy(recognizerOf(speech.recognizers?.[0] ?? createTestStt(), false)));
    this.invariants = invariants;
    this.player.onReport = (utterance, samples) => this.session.played(utterance, samples);
    this.session.connect();
  }

  /** The caller speaks from now on, each word for that many frames; an empty word is a sound. */
  speak(words: string | readonly string[], framesPerWord = 10): this {
    for (const word of typeof words === 'string' ? words.split(' ') : words) {
      const frames = testFrames(word, framesPerWord);
      for (let at = 0; at < frames.length; at += 320) this.spoken.push(frames.subarray(at, at + 320));
    }
    return this;
  }

  /** A sound that is no test speech, in whole frames. */
  sound(samples: Int16Array): this {
    for (let at = 0; at < samples.length; at += 320) this.spoken.push(samples.subarray(at, at + 320));
    return this;
  }

  /** The caller is silent for so long, after what they are saying. */
  silence(ms: number): this {
    for (let at = 0; at < ms; at += frameMs) this.spoken.push(new Int16Array(320));
    return this;
  }

  /** Time passes: the caller's side sends a frame every 20 ms. */
  wait(ms: number): this {
    for (let at = 0; at < ms; at += frameMs) {
      this.clock.advance(frameMs);
      this.session.audio(this.spoken.shift() ?? new Int16Array(320));
    }
    if (this.invariants !== undefined) assert.deepEqual(this.invariants.violations, []);
    return this;
  }

  until(isReached: () => boolean, maxMs = 60_000): this {
    for (let at = 0; at < maxMs && !isReached(); at += frameMs) this.wait(frameMs);
    assert.ok(isReached(), `not reached within ${maxMs} ms, in state ${this.session.state}`);
    return this;
  }

  get conversation() {
    const conversation = this.session.conversation();
    assert.ok(conversation);
    return conversation;
  }

  /** The caller's side is back after its connection was lost. */
  resume(inputRate = 16_000): this {
    this.session.attach({ inputRate, transport: this.player });
    return this;
  }

  untilState(state: string, maxMs = 60_000): this {
    return this.until(() => this.session.state === state, maxMs);
  }

  eventsOf<T extends RecordedEvent['type']>(type: T) {
    return this.events.filter((event) => event.type === type) as unknown as (Extract<RecordedEvent, { type: T }> & {
      readonly at: number;
    })[];
  }

  /** When the machine had these commands. */
  commandTimes(type: Command['type']): number[] {
    return this.steps.flatMap(({ commands, at }) => commands.flatMap((command) => (command.type === type ? [at] : [])));
  }
}

export const echo = { responseEngine: { type: 'single_prompt', model: 'test-echo' } } as const;

export function script(...lines: string[]) {
  return { responseEngine: { type: 'single_prompt', model: 'test-script', prompt: lines.join('\n') } } as const;
}
