import type { Clock } from '../../clock.ts';
import { ReplySentences } from '../../reply-sentences.ts';
import type { ReplyOutput } from '../engine.ts';
import type { SpokenFrame } from './frames.ts';
import type { LineActions } from './line-actions.ts';

/** A response must go on within this time of its last frame. */
const closeMs = 15_000;

/** A response of the server that is being received, on its way to the reply that it is for. */
export class OpenResponse {
  /** What was received so far. */
  text = '';
  private readonly clock: Clock;
  private readonly output: ReplyOutput;
  private readonly onEnd: (isClosed: boolean) => void;
  /** Speech that must not be interrupted goes on in whole sentences. */
  private readonly sentences: ReplySentences;
  private endCall = false;
  private readonly line: LineActions;
  private isOver = false;
  private cancelClose: () => void = () => {};

  constructor(
    clock: Clock,
    language: string,
    output: ReplyOutput,
    line: LineActions,
    onEnd: (isClosed: boolean) => void,
  ) {
    this.clock = clock;
    this.output = output;
    this.line = line;
    this.onEnd = onEnd;
    this.sentences = new ReplySentences(language, clock, (sentence) =>
      this.output.text(sentence, { isUninterruptible: true }),
    );
  }

  add(frame: SpokenFrame): void {
    const { content, content_complete, end_call, no_interruption_allowed } = frame;
    this.cancelClose();
    this.line.add(frame);
    this.text += content;
    if (end_call === true) this.endCall = true;
    if (no_interruption_allowed === true) this.sentences.add(content, false);
    else {
      this.sentences.flush();
      this.output.text(content);
    }
    // What was said may have ended the reply.
    if (this.isOver) return;
    if (content_complete) this.end(false);
    else this.cancelClose = this.clock.after(closeMs, () => this.end(true));
  }

  /** The reply no longer wants it. */
  stop(): void {
    this.isOver = true;
    this.cancelClose();
    this.sentences.stop();
  }

  private end(isClosed: boolean): void {
    this.sentences.flush();
    if (this.isOver) return;
    this.stop();
    this.onEnd(isClosed);
    this.output.end({ endCall: this.endCall });
    this.line.act();
  }
}
