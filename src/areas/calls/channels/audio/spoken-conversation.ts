import type { Call } from '../../../../contract/calls/call.ts';
import type { EndReason } from '../../../../contract/calls/end-reasons.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { type CallConditions, policyOf } from '../../../../voice/policy.ts';
import type { SpokenSession } from '../../../../voice/spoken/spoken-session.ts';
import type { CallAudio } from '../../../../voice/spoken/spoken-session-parts.ts';
import { fixedPhrases } from '../../../../voice/text/fixed-phrases.ts';
import type { TurnPolicy } from '../../../../voice/turn/events.ts';
import { channelOf } from '../../conversation/channel.ts';
import { checkControl } from '../../conversation/control.ts';
import { Conversation, type ConversationFacts, type ConversationParts } from '../../conversation/conversation.ts';
import type { CustomLlm } from '../../conversation/custom-llm.ts';
import type { ConversationRecord } from '../../conversation/records.ts';
import { addReplyTimes, type ReplyTimes } from '../../conversation/reply-times.ts';
import type { PhoneMessage } from '../../lifecycle/phone-lines.ts';
import { CallLine, type CallLineParts } from './call-line.ts';
import { type ClientToolCall, ClientTools } from './client-tools.ts';
import type { NewSpokenCall, SpokenCallParts } from './spoken-calls.ts';
import type { SpokenState } from './spoken-state.ts';

/** What a spoken conversation needs besides the call. */
export interface SpokenConversationParts extends ConversationParts, CallLineParts {
  readonly customLlm: Pick<CustomLlm, 'connect'>;
  readonly newSpokenCall: NewSpokenCall;
}

export interface SpokenConversationFacts extends ConversationFacts {
  readonly state: SpokenState;
  /** What the replies so far took. */
  readonly replyTimes: ReplyTimes;
  readonly firstTurn: number;
  /** The number of the connection that the session begins with: see `ownerEpoch`. */
  readonly epoch: number;
  readonly recordingName: string | null;
  readonly audio: CallAudio;
}

export interface SpokenConversationListener extends Pick<SpokenCallParts, 'onTranscript' | 'onFloor'> {
  record(record: ConversationRecord): void;
  ended(reason: EndReason, at: number, detail: string | null): void;
  readonly onMetadata: (metadata: unknown) => void;
  readonly onRecordingFailed: () => void;
  /** A tool of the caller's side, if it is connected. */
  callTool(call: ClientToolCall): void;
  /** See `Connection`. */
  pressKeys(keys: string): boolean;
  play(samples: Int16Array): void;
  /** Resolves once everything that was recorded is stored. */
  stored(): Promise<void>;
}

/**
 * More utterances than a call can have in its longest time, so that the numbers of two sessions never overlap. A process
 * that was lost took its last number with it, but every connection has a number that is stored before it is opened.
 */
const utterancesPerConnection = 10_000_000;

/** The conversation of a spoken call in this process. */
export class SpokenConversation {
  readonly spoken: SpokenSession;
  readonly clientTools: ClientTools;
  /** Null: it is no phone call. */
  readonly #line: CallLine | null;
  readonly #conversation: Conversation;
  readonly #facts: SpokenConversationFacts;
  readonly #listener: SpokenConversationListener;
  #replyTimes: ReplyTimes;

  constructor(parts: SpokenConversationParts, facts: SpokenConversationFacts, listener: SpokenConversationListener) {
    this.#facts = facts;
    this.#listener = listener;
    this.#replyTimes = facts.replyTimes;
    this.#conversation = new Conversation(parts, facts, {
      customLlm: parts.customLlm.connect,
      record: listener.record,
      stored: listener.stored,
    });
    this.clientTools = new ClientTools({
      // Without a page they are not available.
      tools: channelOf(facts.call).hasPage && !facts.prepared.usesExamples ? facts.prepared.tools : [],
      clock: parts.clock,
      send: listener.callTool,
      server: this.#conversation.serverTools,
    });
    this.#line = this.#createLine(parts);
    this.spoken = parts.newSpokenCall(this.#spokenParts());
  }

  /** Replies that were requested and are not in the usage of the call yet. */
  get replies(): number {
    return this.#conversation.replies;
  }

  /** This many replies are now included in the usage of the call. */
  settleReplies(count: number): void {
    this.#conversation.replies -= count;
  }

  /** The working state as it is now. */
  state(): Omit<SpokenState, 'resumedEpoch'> {
    return {
      ...this.#conversation.state(),
      unfinished: this.spoken.unfinished(),
      memory: this.spoken.memory,
      conversation: this.spoken.conversationSoFar(),
    };
  }

  /** What the call says about the conversation so far. Changes nothing: a transaction may run again. */
  totals(call: Call, replies: number): Pick<Call, 'usage' | 'latency' | 'collectedVariables' | 'notApplied'> {
    const known = new Set(call.notApplied.map(({ field }) => field));
    const speech = this.spoken.speechUsage();
    return {
      ...this.#conversation.totals(call, { replies, replyTimes: this.#replyTimes, speech }),
      notApplied: [...call.notApplied, ...this.spoken.notApplied.filter(({ field }) => !known.has(field))],
    };
  }

  /** Records a warning among the events of the call. */
  warn(code: string, message: string): void {
    this.#conversation.warn(code, message);
  }

  /** Throws if this cannot be done now. */
  checkControl(body: ControlCall, status: Call['status']): void {
    const { isRecording, isReplying } = this.spoken;
    const collected = this.#conversation.engine.collected();
    checkControl(body, { status, collected, isRecording, isReplying, isPhone: this.#line !== null });
  }

  /** Throws if the call cannot be transferred as an action asks. */
  async checkTransfer(body: ControlCall): Promise<void> {
    if (body.action === 'transfer') await this.#line?.checkTransfer(body);
  }

  /** Whether the caller's line is being connected to another phone. */
  get isTransferring(): boolean {
    return this.#line?.isTransferring ?? false;
  }

  /** The carrier reports something about the caller's line. */
  tell(message: Exclude<PhoneMessage, { type: 'hangup' }>): void {
    this.#line?.tell(message, this.spoken);
  }

  /** Acts in the call, after `checkControl`. */
  control(body: ControlCall) {
    const { spoken } = this;
    this.#conversation.control(body);
    switch (body.action) {
      case 'say':
        return spoken.say(body.text as string, body.interrupt ?? false);
      case 'respond':
        return spoken.respond();
      case 'mute_agent':
      case 'unmute_agent':
        return spoken.mute(this.#conversation.isMuted);
      case 'pause_recording':
      case 'resume_recording':
        return spoken.pauseRecording(body.action === 'pause_recording');
      case 'send_dtmf':
        spoken.pressKeys(body.digits as string);
        return;
      case 'transfer': {
        const target = this.#line?.targetOf(body);
        if (target !== undefined) spoken.transfer(target);
        return;
      }
      case 'add_context':
      case 'set_variables':
        return;
      default:
        body.action satisfies never;
    }
  }

  close(): void {
    this.clientTools.close();
    this.#conversation.close();
  }

  #createLine(parts: CallLineParts): CallLine | null {
    const { call, prepared, state } = this.#facts;
    const { pressKeys, play, stored } = this.#listener;
    if (state.phone === null) return null;
    const { line } = state.phone;
    const fill = (text: string) => this.#conversation.fill(text);
    return new CallLine(parts, { call, agent: prepared.agent, line, fill, stored, pressKeys, play });
  }

  #spokenParts(): SpokenCallParts {
    const { call, prepared, state, audio, firstTurn, epoch, recordingName } = this.#facts;
    const conversation = this.#conversation;
    return {
      ...conversation.sessionParts(this.clientTools),
      phone: this.#line?.actions(),
      voicemail: this.#line?.voicemail(),
      observe: conversation.observe,
      agent: prepared.agent,
      policy: (recognizer) => this.#policy(recognizer),
      keywords: conversation.keywords(),
      recorder: {
        turn: (turn) => {
          if (turn.role === 'agent') this.#replyTimes = addReplyTimes(this.#replyTimes, [turn as Turn]);
          conversation.recordTurn(turn, conversation.timeOf(turn.endMs));
        },
        event: (event, atMs) => conversation.recordEvent(event, conversation.timeOf(atMs)),
        ended: (reason, atMs, detail) => this.#listener.ended(reason, conversation.timeOf(atMs), detail),
      },
      elapsedMs: conversation.elapsedMs,
      audio,
      callId: call.id,
      recordingName,
      firstTurn,
      lastUtterance: (epoch - 1) * utterancesPerConnection,
      resumed: state.unfinished,
      // Who hears the gap of a line has no page that shows it.
      resumeSentence: channelOf(call).hasPage ? null : fixedPhrases(prepared.agent.language).resumed,
      memory: state.memory,
      earlierConversation: state.conversation,
      resumedTurns: this.#lostTools(),
      isMuted: conversation.isMuted,
      onTranscript: this.#listener.onTranscript,
      onFloor: this.#listener.onFloor,
      onMetadata: this.#listener.onMetadata,
      onRecordingFailed: this.#listener.onRecordingFailed,
    };
  }

  #policy(recognizer: CallConditions['recognizer']): TurnPolicy {
    const { prepared, call, state, recordingName } = this.#facts;
    const isOpening = state.unfinished?.isOpening ?? true;
    const notice = recordingName === null ? undefined : this.#line?.recordingNotice();
    const beginMessage = isOpening ? this.#conversation.beginMessage() : prepared.agent.beginMessage;
    const isFlow = call.engine === 'flow';
    // Telephones and their networks cancel echo themselves.
    const heard = { ...recognizer, hasEcho: recognizer.hasEcho && channelOf(call).hasPage };
    const { turn } = policyOf({ ...prepared.agent, beginMessage }, { isChat: false, isFlow, recognizer: heard });
    return {
      ...turn,
      opening: isOpening ? { ...turn.opening, notice } : { kind: 'wait', text: '', delayMs: 0 },
      maxMs: Math.max(0, turn.maxMs - this.#conversation.elapsedMs),
    };
  }

  /** The tools of the reply that was in progress when its process was lost. */
  #lostTools(): readonly Turn[] {
    if ((this.#facts.state.unfinished?.words ?? null) === null) return [];
    const { history } = this.#facts;
    const last = history.findLastIndex(({ role }) => role === 'caller');
    return history.slice(last + 1).filter(({ role }) => role === 'tool');
  }
}
