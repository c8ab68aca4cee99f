import type { EndReason } from '../../../../contract/calls/end-reasons.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import type { Clock } from '../../../../voice/clock.ts';
import type { Turn as VoiceTurn } from '../../../../voice/ports.ts';
import { Session } from '../../../../voice/session.ts';
import { noInput, TextOutput } from '../../../../voice/text-output.ts';
import type { TurnPolicy } from '../../../../voice/turn/events.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { ChatState } from './chat-state.ts';

export interface ChatSessionParts {
  readonly clock: Clock;
  readonly conversation: Conversation;
  readonly state: ChatState;
  readonly opening: 'open' | 'wait';
  /** The tool turns of a reply that was lost, which goes on now. */
  readonly resumedTurns: readonly Turn[];
  /** Gets what the agent writes, as it is generated. */
  readonly onText: (text: string) => void;
  /** Gets what a custom LLM sends for the caller's page. */
  readonly onMetadata: (metadata: unknown) => void;
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
  private readonly session: Session;
  private readonly parts: ChatSessionParts;
  private end: ChatOutcome['end'] = null;
  private failure: string | null = null;
  private hasStreamed = false;
  private finish: (() => void) | null = null;

  constructor(parts: ChatSessionParts) {
    this.parts = parts;
    const { clock, conversation, resumedTurns, onText, onMetadata } = parts;
    const { elapsedMs } = conversation;
    this.session = new Session({
      ...conversation.sessionParts(),
      policy: this.policy(elapsedMs),
      language: conversation.prepared.agent.language,
      input: noInput,
      output: (events) => new TextOutput(events),
      newStages: () => [],
      recorder: {
        turn: (turn) => this.recordTurn(turn),
        event: (event) => {
          // Nobody speaks in a chat.
          if (event.type !== 'speech_started' && event.type !== 'speech_ended') conversation.recordEvent(event);
        },
        ended: (reason, _atMs, detail) => {
          this.end = { reason, detail };
          // After a tool, nothing else follows that could notice.
          this.finishIfDone();
        },
      },
      resumedTurns,
      startedAt: clock.now() - elapsedMs,
      onReplyText: (text) => {
        this.hasStreamed = true;
        onText(text);
      },
      onMetadata,
      onFailure: (detail) => {
        this.failure = detail;
      },
      observe: (...step) => {
        conversation.observe(...step);
        this.finishIfDone();
      },
    });
  }

  /** Says the opening, if there is one. */
  open(): Promise<ChatOutcome> {
    return this.until(() => {
      if (this.parts.conversation.isMuted) this.session.dispatch({ type: 'mute', isOn: true });
      this.session.dispatch({ type: 'connected' });
    });
  }

  /** Replies to a message that is in the transcript. `receivedMs`: how long ago it arrived. */
  replyTo(text: string, receivedMs: number): Promise<ChatOutcome> {
    const receivedAt = this.parts.clock.now() - receivedMs;
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
  close(): void {
    this.session.close();
  }

  private policy(elapsedMs: number): TurnPolicy {
    const { conversation, state, opening } = this.parts;
    const { policy } = conversation.prepared;
    return {
      ...policy,
      opening: opening === 'wait' ? { kind: 'wait', text: '', delayMs: 0 } : this.opening(policy.opening),
      maxMs: Math.max(0, policy.maxMs - elapsedMs),
      maxFailedReplies: Math.max(1, maxFailedReplies - state.failedReplies),
    };
  }

  private opening(opening: TurnPolicy['opening']): TurnPolicy['opening'] {
    if (opening.kind !== 'text') return opening;
    const text = this.parts.conversation.beginMessage() ?? '';
    // Its variables may be empty.
    return text === '' ? { ...opening, kind: 'wait', text } : { ...opening, text };
  }

  private recordTurn(turn: VoiceTurn): void {
    if (turn.role === 'agent') {
      // What the service says itself was not streamed.
      if (!this.hasStreamed) this.parts.onText(turn.text);
      this.hasStreamed = false;
    }
    this.parts.conversation.recordTurn(turn);
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
