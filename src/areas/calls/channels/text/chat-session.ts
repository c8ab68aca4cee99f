import type { Call } from '../../../../contract/calls/call.ts';
import type { EndReason } from '../../../../contract/calls/end-reasons.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { isRecorded } from '../../../../voice/call-warnings.ts';
import { type Clock, realClock } from '../../../../voice/clock.ts';
import { warnRejected } from '../../../../voice/engines/collected.ts';
import type { Engine } from '../../../../voice/engines/engine.ts';
import { latencyBudgetOf } from '../../../../voice/filled-agent.ts';
import type { Llm } from '../../../../voice/llm.ts';
import type { RecordedEvent, Tools, TurnLatency, Turn as VoiceTurn } from '../../../../voice/ports.ts';
import { Session } from '../../../../voice/session.ts';
import type { Warn } from '../../../../voice/text/variables.ts';
import { noInput, TextOutput } from '../../../../voice/text-output.ts';
import type { TurnPolicy } from '../../../../voice/turn/events.ts';
import { type ConversationParts, filledBeginMessage, newEngine } from '../../conversation/conversation.ts';
import type { PreparedAgent } from '../../conversation/prepared-agents.ts';
import type { ConversationRecord } from '../../conversation/records.ts';
import type { ChatState } from './chat-state.ts';

export interface ChatSessionParts {
  readonly prepared: PreparedAgent;
  readonly call: Call;
  readonly state: ChatState;
  /** The transcript so far, as far as the engine reads it. */
  readonly history: readonly Turn[];
  /** The tool turns of a reply that was lost, which goes on now. */
  readonly resumedTurns: readonly Turn[];
  readonly llm: Llm | null;
  readonly tools: Tools;
  readonly newToolCallId: () => string;
  readonly customLlm: ConversationParts['customLlm'];
  readonly now: () => number;
  readonly clock?: Clock;
  /** Gets what the agent writes, as it is generated. */
  readonly onText: (text: string) => void;
  /** Gets what a custom LLM sends for the caller's page. */
  readonly onMetadata: (metadata: unknown) => void;
  /** Gets what a reply has taken. */
  readonly onLatency: (latency: TurnLatency) => void;
}

export interface ChatOutcome {
  /** Null: the chat goes on. */
  readonly end: { readonly reason: EndReason; readonly detail: string | null } | null;
  /** What failed, if the reply did. */
  readonly failure: string | null;
}

const maxFailedReplies = 3;

/** One message of a chat and its reply: a session that continues where the last one stopped, and ends with the reply. */
export class ChatSession {
  readonly engine: Engine;
  /** What is not written yet. */
  records: ConversationRecord[] = [];
  /** About texts and variables, in this call. */
  readonly warnings: Set<string>;
  /** How often the engine was asked for a reply. */
  requests = 0;
  private readonly session: Session;
  private readonly parts: ChatSessionParts;
  private readonly clock: Clock;
  private readonly conversation: ConversationParts;
  private readonly transcript: Turn[];
  private end: ChatOutcome['end'] = null;
  private failure: string | null = null;
  private hasStreamed = false;
  private finish: (() => void) | null = null;

  constructor(parts: ChatSessionParts, opening: 'open' | 'wait') {
    this.parts = parts;
    this.clock = parts.clock ?? realClock;
    this.transcript = [...parts.history];
    this.warnings = new Set(parts.state.warnings);
    const { prepared, call, state } = parts;
    const elapsedMs = call.startedAt === null ? 0 : Math.max(0, parts.now() - Date.parse(call.startedAt));
    const { llm, now, customLlm } = parts;
    this.conversation = { prepared, call, variables: state.variables, llm, now, clock: this.clock, customLlm };
    this.engine = newEngine(this.conversation, {
      isSpoken: false,
      history: () => this.transcript,
      contexts: () => state.contexts,
      state: state.engine,
    });
    if (Object.keys(state.controlVariables).length > 0) {
      warnRejected(this.engine.setVariables(state.controlVariables), this.warn);
    }
    this.session = new Session({
      clock: this.clock,
      policy: this.policy(opening, elapsedMs),
      language: prepared.agent.language,
      engine: this.engine,
      input: noInput,
      output: (events) => new TextOutput(events),
      newStages: () => [],
      tools: parts.tools,
      newToolCallId: parts.newToolCallId,
      recorder: {
        turn: (turn) => this.recordTurn(turn),
        event: (event) => this.recordEvent(event),
        ended: (reason, _atMs, detail) => {
          this.end = { reason, detail };
          // After a tool, nothing else follows that could notice.
          this.finishIfDone();
        },
      },
      resumedTurns: parts.resumedTurns,
      startedAt: this.clock.now() - elapsedMs,
      latencyBudgetMs: latencyBudgetOf(prepared.agent),
      onReplyText: (text) => {
        this.hasStreamed = true;
        parts.onText(text);
      },
      onMetadata: parts.onMetadata,
      onFailure: (detail) => {
        this.failure = detail;
      },
      observe: (_event, commands) => {
        for (const { type } of commands) if (type === 'reply.request') this.requests += 1;
        this.finishIfDone();
      },
    });
  }

  /** Says the opening, if there is one. */
  open(): Promise<ChatOutcome> {
    return this.until(() => {
      if (this.parts.state.isMuted) this.session.dispatch({ type: 'mute', isOn: true });
      this.session.dispatch({ type: 'connected' });
    });
  }

  /** Replies to a message that is in the transcript. `receivedMs`: how long ago it arrived. */
  replyTo(text: string, receivedMs: number): Promise<ChatOutcome> {
    const receivedAt = this.clock.now() - receivedMs;
    return this.until(() => this.session.dispatch({ type: 'text', text, isRecorded: true, receivedAt }));
  }

  respond(): Promise<ChatOutcome> {
    return this.until(() => this.session.dispatch({ type: 'respond' }));
  }

  /** Cancels the reply: the call has ended meanwhile. */
  cancel(): void {
    this.session.dispatch({ type: 'stop', reason: 'api_end' });
  }

  /** Whatever the session still waits for is over. */
  leave(): void {
    this.session.leave();
  }

  /** The caller's turn, which is stored before it is answered. */
  noteTurn(turn: Turn): void {
    this.transcript.push(turn);
  }

  private policy(opening: 'open' | 'wait', elapsedMs: number): TurnPolicy {
    const { prepared, state } = this.parts;
    const { policy } = prepared;
    return {
      ...policy,
      opening: opening === 'wait' ? { kind: 'wait', text: '', delayMs: 0 } : this.opening(policy.opening),
      maxMs: Math.max(0, policy.maxMs - elapsedMs),
      maxFailedReplies: Math.max(1, maxFailedReplies - state.failedReplies),
    };
  }

  private opening(opening: TurnPolicy['opening']): TurnPolicy['opening'] {
    if (opening.kind !== 'text') return opening;
    const text = filledBeginMessage(this.conversation, this.warn) ?? '';
    // Its variables may be empty.
    return text === '' ? { ...opening, kind: 'wait', text } : { ...opening, text };
  }

  private readonly warn: Warn = (code, message) => this.recordEvent({ type: 'warning', code, message });

  private recordTurn(turn: VoiceTurn): void {
    const recorded = turn as Turn;
    if (turn.latency !== null) this.parts.onLatency(turn.latency);
    if (turn.role === 'agent') {
      // What the service says itself was not streamed.
      if (!this.hasStreamed) this.parts.onText(turn.text);
      this.hasStreamed = false;
    }
    this.records.push({ type: 'turn', turn: recorded });
    const same = this.transcript.findIndex(({ toolCall }) => toolCall !== null && toolCall.id === turn.toolCall?.id);
    if (same === -1) this.transcript.push(recorded);
    else this.transcript[same] = recorded;
  }

  private recordEvent(event: RecordedEvent): void {
    // Nobody speaks in a chat.
    if (event.type === 'speech_started' || event.type === 'speech_ended') return;
    if (isRecorded(event, this.warnings)) this.records.push({ type: 'event', event });
  }

  private async until(start: () => void): Promise<ChatOutcome> {
    this.failure = null;
    await new Promise<void>((resolve) => {
      this.finish = resolve;
      start();
      this.finishIfDone();
    });
    this.finish = null;
    // Only now: the step that reached the end had commands to carry out.
    return { end: this.end, failure: this.failure };
  }

  private finishIfDone(): void {
    if (this.finish === null) return;
    const { state } = this.session;
    if (state === 'ended' ? this.end !== null : state === 'idle') this.finish();
  }
}
