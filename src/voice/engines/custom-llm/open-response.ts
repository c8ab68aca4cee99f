import type { Clock } from '../../clock.ts';
import { ReplySentences } from '../../reply-sentences.ts';
import type { ReplyOutput } from '../engine.ts';
import type { SpokenFrame } from './frames.ts';
import type { LineActions } from './line-actions.ts';

/** A response must go on within this time of its last frame. */
const closeMs = 15_000;

export type OpenResponse = ReturnType<typeof createOpenResponse>;

/** A response of the server that is being received, on its way to the reply that it is for. */
export function createOpenResponse(
  clock: Clock,
  language: string,
  output: ReplyOutput,
  line: LineActions,
  onEnd: (isClosed: boolean) => void,
) {
  /** Speech that must not be interrupted goes on in whole sentences. */
  const sentences = new ReplySentences(language, clock, (text) => output.text(text, { isUninterruptible: true }));
  let endCall = false;
  let isOver = false;
  let cancelClose = () => {};
  const end = (isClosed: boolean): void => {
    sentences.flush();
    if (isOver) return;
    response.stop();
    onEnd(isClosed);
    output.end({ endCall });
    line.act();
  };
  const response = {
    /** What was received so far. */
    text: '',
    add(frame: SpokenFrame): void {
      const { content, content_complete, end_call, no_interruption_allowed } = frame;
      cancelClose();
      line.add(frame);
      response.text += content;
      if (end_call === true) endCall = true;
      if (no_interruption_allowed === true) sentences.add(content, false);
      else {
        sentences.flush();
        output.text(content);
      }
      // What was said may have ended the reply.
      if (isOver) return;
      if (content_complete) end(false);
      else cancelClose = clock.after(closeMs, () => end(true));
    },
    /** The reply no longer wants it. */
    stop(): void {
      isOver = true;
      cancelClose();
      sentences.stop();
    },
  };
  return response;
}
