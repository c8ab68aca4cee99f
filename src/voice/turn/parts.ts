import { CommandList } from './command-list.ts';
import type { TurnPolicy } from './events.ts';
import { IdleTimers } from './idle-timers.ts';
import { Listening } from './listening.ts';
import { LostTransport } from './lost-transport.ts';
import { Overlap } from './overlap.ts';
import { Replies } from './replies.ts';
import { ServiceSentences } from './service-sentences.ts';
import { Speech } from './speech.ts';
import { Transfer } from './transfer.ts';

/** What is counted in a row, across the sessions of a call. */
export interface Counts {
  /** Reminders since the caller was last active. */
  readonly reminders: number;
  readonly failedReplies: number;
}

export const noCounts: Counts = { reminders: 0, failedReplies: 0 };

/** The parts of one machine: each owns its state and adds to the same commands. None knows who has the floor. */
export class Parts {
  /** May change during a call. */
  policy: TurnPolicy;
  readonly out: CommandList;
  readonly speech: Speech;
  readonly service: ServiceSentences;
  readonly replies: Replies;
  readonly listening: Listening;
  readonly overlap: Overlap;
  readonly idle: IdleTimers;
  readonly transport: LostTransport;
  readonly transfer: Transfer;

  constructor(policy: TurnPolicy, { reminders, failedReplies }: Counts, lastUtterance: number) {
    this.policy = policy;
    const current = () => this.policy;
    this.out = new CommandList();
    this.speech = new Speech(this.out, current, lastUtterance);
    this.service = new ServiceSentences(this.speech);
    this.replies = new Replies(this.out, current, this.speech, this.service, failedReplies);
    this.listening = new Listening(this.out, current);
    this.overlap = new Overlap(this.out, current, this.speech, this.listening);
    this.idle = new IdleTimers(this.out, current, reminders);
    this.transport = new LostTransport(this.out, current, this.speech, this.idle);
    this.transfer = new Transfer(this.out);
  }
}
