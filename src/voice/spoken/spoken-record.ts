import { audibleLatency } from '../latency.ts';
import type { RecordedEvent, Turn, TurnWord } from '../ports.ts';
import type { SessionParts } from '../session-parts.ts';
import type { Command } from '../turn/events.ts';
import { type Conversation, ConversationLog, type EarlierConversation } from './conversation-log.ts';
import { LiveTranscript } from './live-transcript.ts';
import type { SpokenInput } from './spoken-input.ts';
import type { SpokenOutput } from './spoken-output.ts';
import type { SpokenSessionParts } from './spoken-session-parts.ts';
import { wordsWithin } from './turn-words.ts';

interface RecordHost {
  /** Null: what the caller says is not heard. */
  readonly input: SpokenInput | null;
  /** Null: what the agent says is only written. */
  readonly output: SpokenOutput | null;
  /** The rest of what was being said is said by the next session. */
  readonly isReleased: boolean;
}

/** What is recorded of a call with a voice: turns with the times of their words, and how the conversation went. */
export class SpokenRecord {
  private readonly parts: SpokenSessionParts;
  private readonly startedAt: number;
  private readonly host: () => RecordHost;
  private readonly log: ConversationLog;
  private readonly transcript: LiveTranscript;
  private readonly heardWords = new HeardWords();

  constructor(parts: SpokenSessionParts, startedAt: number, host: () => RecordHost) {
    this.parts = parts;
    this.startedAt = startedAt;
    this.host = host;
    this.log = new ConversationLog(parts.earlierConversation);
    this.transcript = new LiveTranscript(parts.firstTurn, parts.onTranscript);
  }

  readonly observe: NonNullable<SessionParts['observe']> = (event, commands, machine, now) => {
    this.heardWords.observe(commands);
    const audible = commands.filter((command) => command.type !== 'emit' || this.isAudible(command.event));
    this.log.observe(event, audible, machine, now);
    this.transcript.observe(event, machine);
  };

  turn(turn: Turn): void {
    const recorded = turn.role === 'caller' ? this.withWords(turn) : this.asHeard(turn);
    this.log.committed(recorded);
    this.transcript.committed(recorded);
    this.parts.recorder.turn(recorded);
  }

  event(event: RecordedEvent, atMs: number): void {
    if (this.isAudible(event)) this.parts.recorder.event(event, atMs);
  }

  /** Null if a part of it was lost. */
  conversation(endedAt: number): Conversation | null {
    return this.isPartLost ? null : this.log.conversation(this.startedAt, endedAt);
  }

  /** For another session. */
  conversationSoFar(endedAt: number): EarlierConversation | null {
    return this.isPartLost ? null : this.log.soFar(this.startedAt, endedAt);
  }

  private get isPartLost(): boolean {
    return this.parts.resumed !== null && this.parts.earlierConversation === null;
  }

  /** What is only written makes no sound. */
  private isAudible(event: Extract<Command, { type: 'emit' }>['event'] | RecordedEvent): boolean {
    const isSound = event.type === 'speech_started' || event.type === 'speech_ended';
    return this.host().output !== null || !isSound || event.role === 'caller';
  }

  private withWords(turn: Turn): Turn {
    const words = this.host().input?.takeWords() ?? [];
    return { ...turn, words: wordsWithin(words, turn, this.startedAt) };
  }

  private asHeard(turn: Turn): Turn {
    const { input, output, isReleased } = this.host();
    const unspokenText = isReleased ? null : turn.unspokenText;
    const words = turn.role === 'agent' ? this.heardWords.take(turn, output, this.startedAt) : [];
    const capabilities = { speechIn: input !== null, speechOut: output !== null };
    return { ...turn, words, unspokenText, latency: audibleLatency(turn.latency, capabilities) };
  }
}

/** The words of the agent's turns. A turn does not name its utterance, but the commit that it is recorded for does. */
class HeardWords {
  private readonly utterances: number[] = [];

  observe(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type === 'commit' && command.role === 'agent') this.utterances.push(command.utterance);
    }
  }

  take(turn: Turn, output: SpokenOutput | null, startedAt: number): TurnWord[] {
    const utterance = this.utterances.shift() ?? 0;
    return wordsWithin(output?.takeWords(utterance, turn.text.length) ?? [], turn, startedAt);
  }
}
