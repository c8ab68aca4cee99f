import type { Call } from '../../../../contract/calls/call.ts';
import type { EndReason } from '../../../../contract/calls/end-reasons.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { sizeIssues, variableLimits } from '../../../../contract/calls/values.ts';
import { stateConflict, unprocessable } from '../../../../core/errors.ts';
import { isRecorded } from '../../../../voice/call-warnings.ts';
import type { Clock } from '../../../../voice/clock.ts';
import { warnRejected } from '../../../../voice/engines/collected.ts';
import type { Engine, Variables } from '../../../../voice/engines/engine.ts';
import { latencyBudgetOf } from '../../../../voice/filled-agent.ts';
import { callLatency } from '../../../../voice/latency.ts';
import type { Llm } from '../../../../voice/llm.ts';
import { type CallConditions, policyOf } from '../../../../voice/policy.ts';
import type { RecordedEvent, Tools, TurnLatency, Turn as VoiceTurn } from '../../../../voice/ports.ts';
import type { SpokenSession } from '../../../../voice/spoken/spoken-session.ts';
import type { CallAudio } from '../../../../voice/spoken/spoken-session-parts.ts';
import type { Warn } from '../../../../voice/text/variables.ts';
import type { TurnPolicy } from '../../../../voice/turn/events.ts';
import {
  type ConversationParts,
  filledBeginMessage,
  filledKeywords,
  type NewTools,
  newEngine,
  startOf,
} from '../../conversation/conversation.ts';
import type { CustomLlm } from '../../conversation/custom-llm.ts';
import type { PreparedAgent } from '../../conversation/prepared-agents.ts';
import type { ConversationRecord } from '../../conversation/records.ts';
import { liveUsage } from '../../conversation/usage.ts';
import { storedValues } from '../../record/storage-setting.ts';
import { ClientTools } from './client-tools.ts';
import type { NewSpokenCall, SpokenCallParts } from './spoken-calls.ts';
import type { LiveState } from './spoken-state.ts';

/** What a session needs besides the call. */
export interface LiveSessionParts {
  readonly llm: Llm | null;
  readonly customLlm: Pick<CustomLlm, 'forWebCall'>;
  readonly newTools: NewTools;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly clock: Clock;
  readonly newSpokenCall: NewSpokenCall;
  /** A reply of the agent was heard, and took so long. */
  readonly onLatency: (latency: TurnLatency) => void;
}

export interface LiveSessionFacts {
  readonly prepared: PreparedAgent;
  readonly call: Call;
  readonly state: LiveState;
  /** The transcript so far, in full as far as it is known. */
  readonly history: readonly Turn[];
  /** The measured times of all turns so far. */
  readonly latencies: readonly Pick<Turn, 'role' | 'latency'>[];
  readonly firstTurn: number;
  /** The number of the connection that the session begins with: see `ownerEpoch`. */
  readonly epoch: number;
  readonly recordingName: string | null;
  readonly audio: CallAudio;
}

export interface LiveSessionListener extends Pick<SpokenCallParts, 'onTranscript' | 'onFloor'> {
  record(record: ConversationRecord): void;
  ended(reason: EndReason, at: number, detail: string | null): void;
  readonly onMetadata: (metadata: unknown) => void;
  readonly onRecordingFailed: () => void;
  /** To the page, if one is connected. */
  toolCall(call: { toolCallId: string; name: string; arguments: Record<string, unknown> }): void;
  /** Resolves once everything that was recorded is stored. */
  stored(): Promise<void>;
}

/**
 * More utterances than a call can have in its longest time, so that the numbers of two sessions never overlap. A process
 * that was lost took its last number with it, but every connection has a number that is stored before it is opened.
 */
const utterancesPerConnection = 10_000_000;

/** The conversation of a web call in this process. */
export class LiveSession {
  readonly spoken: SpokenSession;
  readonly clientTools: ClientTools;
  /** Replies that were requested and are not in the usage of the call yet. */
  replies = 0;
  readonly #engine: Engine;
  readonly #parts: LiveSessionParts;
  readonly #facts: LiveSessionFacts;
  readonly #listener: LiveSessionListener;
  readonly #conversation: ConversationParts;
  readonly #serverTools: Tools & { close(): void };
  readonly #history: Turn[];
  readonly #latencies: Pick<Turn, 'role' | 'latency'>[];
  readonly #warnings: Set<string>;
  #contexts: readonly string[];
  #isMuted: boolean;

  constructor(parts: LiveSessionParts, facts: LiveSessionFacts, listener: LiveSessionListener) {
    this.#parts = parts;
    this.#facts = facts;
    this.#listener = listener;
    const { prepared, call, state } = facts;
    const { llm, now, clock } = parts;
    const customLlm = parts.customLlm.forWebCall;
    this.#conversation = { prepared, call, variables: state.variables, llm, now, clock, customLlm };
    this.#history = [...facts.history];
    this.#latencies = [...facts.latencies];
    this.#warnings = new Set(state.warnings);
    this.#contexts = state.contexts;
    this.#isMuted = state.isMuted;
    const engine = newEngine(this.#conversation, {
      isSpoken: true,
      history: () => this.#history,
      contexts: () => this.#contexts,
      state: state.engine,
    });
    this.#engine = counted(engine, () => {
      this.replies += 1;
    });
    const variables = (): Variables => ({ ...state.variables, ...engine.collected() });
    this.#serverTools = parts.newTools(call, prepared.tools, variables);
    this.clientTools = new ClientTools({
      tools: prepared.tools,
      clock,
      send: listener.toolCall,
      server: this.#serverTools,
    });
    this.spoken = parts.newSpokenCall(this.#spokenParts());
  }

  /** The working state of the conversation as it is now. */
  state(): Omit<LiveState, 'resumedEpoch'> {
    return {
      variables: this.#facts.state.variables,
      engine: this.#engine.state(),
      contexts: this.#contexts,
      isMuted: this.#isMuted,
      warnings: [...this.#warnings],
      history: this.#history,
      unfinished: this.spoken.unfinished(),
      memory: this.spoken.memory,
      conversation: this.spoken.conversationSoFar(),
    };
  }

  /** What the call says about the conversation so far. Changes nothing: a transaction may run again. */
  figures(call: Call, replies: number): Pick<Call, 'usage' | 'latency' | 'collectedVariables' | 'notApplied'> {
    const models = this.#engine.usage?.() ?? [];
    const collected = this.#engine.collected();
    const known = new Set(call.notApplied.map(({ field }) => field));
    return {
      usage: liveUsage(call, this.#facts.call.usage, models, replies, this.spoken.speechUsage()),
      latency: callLatency(this.#latencies),
      collectedVariables:
        Object.keys(collected).length === 0
          ? call.collectedVariables
          : storedValues({ ...collected }, call.dataStorageSetting),
      notApplied: [...call.notApplied, ...this.spoken.notApplied.filter(({ field }) => !known.has(field))],
    };
  }

  /** Acts in the call. Throws if that is not possible. */
  control(body: ControlCall) {
    const { spoken } = this;
    switch (body.action) {
      case 'say':
        return spoken.say(body.text as string, body.interrupt ?? false);
      case 'add_context':
        this.#contexts = [...this.#contexts, body.text as string];
        return;
      case 'respond':
        return spoken.respond();
      case 'set_variables':
        return warnRejected(this.#engine.setVariables(body.variables ?? {}), this.#warn);
      case 'mute_agent':
      case 'unmute_agent':
        this.#isMuted = body.action === 'mute_agent';
        return spoken.mute(this.#isMuted);
      case 'pause_recording':
      case 'resume_recording':
        return spoken.pauseRecording(body.action === 'pause_recording');
      case 'send_dtmf':
        // Refused by `checkControl`.
        return;
      default:
        body.action satisfies never;
    }
  }

  /** Throws if this cannot be done now. */
  checkControl(body: ControlCall, status: Call['status']): void {
    if (body.action === 'send_dtmf') throw unprocessable({ action: ['is for phone calls only'] });
    if (body.action.endsWith('_recording') && !this.spoken.isRecording) {
      throw unprocessable({ action: ['is not possible: the call is not being recorded'] });
    }
    if (body.action === 'respond' && this.spoken.isReplying) {
      throw stateConflict('call', { status, allowed: ['ongoing'], reason: 'reply_in_progress', retryAfterSeconds: 1 });
    }
    if (body.action !== 'set_variables') return;
    const issues = sizeIssues({ ...this.#engine.collected(), ...body.variables }, variableLimits);
    if (issues.length > 0) throw unprocessable({ variables: issues });
  }

  close(): void {
    this.clientTools.close();
    this.#serverTools.close();
  }

  #spokenParts(): SpokenCallParts {
    const { call, prepared, state, audio, firstTurn, epoch, recordingName } = this.#facts;
    const startedAt = startOf(this.#conversation);
    const atOf = (atMs: number): number => startedAt + atMs;
    return {
      agent: prepared.agent,
      clock: this.#parts.clock,
      engine: this.#engine,
      policy: (recognizer) => this.#policy(recognizer),
      keywords: filledKeywords(this.#conversation, this.#warn),
      tools: this.#recordedTools(),
      newToolCallId: () => this.#parts.newId('tcl'),
      recorder: {
        turn: (turn) => this.#recordTurn(turn, atOf),
        event: (event, atMs) => this.#recordEvent(event, atOf(atMs)),
        ended: (reason, atMs, detail) => this.#listener.ended(reason, atOf(atMs), detail),
      },
      elapsedMs: this.#elapsedMs(),
      latencyBudgetMs: latencyBudgetOf(prepared.agent),
      audio,
      callId: call.id,
      recordingName,
      firstTurn,
      lastUtterance: (epoch - 1) * utterancesPerConnection,
      resumed: state.unfinished,
      memory: state.memory,
      earlierConversation: state.conversation,
      resumedTurns: this.#lostTools(),
      isMuted: state.isMuted,
      onTranscript: this.#listener.onTranscript,
      onFloor: this.#listener.onFloor,
      onMetadata: this.#listener.onMetadata,
      onRecordingFailed: this.#listener.onRecordingFailed,
    };
  }

  #elapsedMs(): number {
    return Math.max(0, this.#parts.now() - startOf(this.#conversation));
  }

  #policy(recognizer: CallConditions['recognizer']): TurnPolicy {
    const { prepared, call, state } = this.#facts;
    const isOpening = state.unfinished?.isOpening ?? true;
    const beginMessage = isOpening ? filledBeginMessage(this.#conversation, this.#warn) : prepared.agent.beginMessage;
    const isFlow = call.engine === 'flow';
    const { turn } = policyOf({ ...prepared.agent, beginMessage }, { isChat: false, isFlow, recognizer });
    return {
      ...turn,
      ...(!isOpening && { opening: { kind: 'wait', text: '', delayMs: 0 } }),
      maxMs: Math.max(0, turn.maxMs - this.#elapsedMs()),
    };
  }

  /** The tools of the reply that was in progress when its process was lost. */
  #lostTools(): readonly Turn[] {
    if ((this.#facts.state.unfinished?.words ?? null) === null) return [];
    const last = this.#history.findLastIndex(({ role }) => role === 'caller');
    return this.#history.slice(last + 1).filter(({ role }) => role === 'tool');
  }

  /** A tool is called only after the call of it is stored, so that it is never called again under another id. */
  #recordedTools(): Tools {
    return {
      run: (toolCallId, call, onResult) => {
        this.#listener.stored().then(
          () => this.clientTools.run(toolCallId, call, onResult),
          () => onResult({ isError: true, code: 'failed', message: 'the call of the tool could not be recorded' }),
        );
      },
    };
  }

  #recordTurn(turn: VoiceTurn, atOf: (atMs: number) => number): void {
    const recorded = turn as Turn;
    const same = this.#history.findIndex(({ toolCall }) => toolCall !== null && toolCall.id === turn.toolCall?.id);
    const index = this.#history[same]?.index ?? turn.index;
    if (same === -1) this.#history.push({ ...recorded, index });
    else this.#history[same] = { ...recorded, index };
    if (turn.role === 'agent') this.#latencies.push(recorded);
    if (turn.latency !== null) this.#parts.onLatency(turn.latency);
    this.#listener.record({ type: 'turn', turn: recorded, at: atOf(turn.endMs) });
  }

  readonly #warn: Warn = (code, message) => this.#recordEvent({ type: 'warning', code, message }, this.#parts.now());

  #recordEvent(event: RecordedEvent, at: number): void {
    if (isRecorded(event, this.#warnings)) this.#listener.record({ type: 'event', event, at });
  }
}

/** The same engine; `onReply` is called with each request for a reply. */
function counted(engine: Engine, onReply: () => void): Engine {
  return {
    reply: (request, output) => {
      onReply();
      return engine.reply(request, output);
    },
    accept: (turn) => engine.accept(turn),
    prepare: (words) => engine.prepare?.(words),
    collected: () => engine.collected(),
    setVariables: (variables) => engine.setVariables(variables),
    usage: () => engine.usage?.() ?? [],
    state: () => engine.state(),
    join: (call) => engine.join?.(call),
    ...(engine.follow !== undefined && { follow: (event) => engine.follow?.(event) }),
    leave: () => engine.leave?.(),
  };
}
