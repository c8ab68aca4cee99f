import type { Clock } from '../../clock.ts';
import type { EngineCall } from '../engine.ts';
import type { LlmFrame } from './frames.ts';
import { LineActions } from './line-actions.ts';

const closeMs = 15_000;

type Interrupted = Pick<EngineCall, 'interrupt' | 'hangUp' | 'transfer' | 'pressKeys' | 'warn'>;

interface OpenInterrupt {
  readonly id: number;
  readonly text: string;
  readonly endCall: boolean;
  readonly isUninterruptible: boolean;
  readonly line: LineActions;
}

/**
 * What the server says without having been asked. It is said when it is complete, because it takes the floor: half a
 * sentence would stop the caller for nothing.
 */
export class Interrupts {
  private readonly clock: Clock;
  private readonly onNotClosed: () => void;
  private open: OpenInterrupt | null = null;
  private cancelClose: () => void = () => {};

  constructor(clock: Clock, onNotClosed: () => void) {
    this.clock = clock;
    this.onNotClosed = onNotClosed;
  }

  add(call: Interrupted, frame: LlmFrame<'agent_interrupt'>) {
    const { interrupt_id: id, content, content_complete: isComplete, end_call, no_interruption_allowed } = frame;
    if (this.open !== null && this.open.id !== id) this.say(call);
    this.cancelClose();
    const line = this.open?.line ?? new LineActions(call);
    line.add(frame);
    this.open = {
      id,
      line,
      text: (this.open?.text ?? '') + content,
      endCall: this.open?.endCall === true || end_call === true,
      isUninterruptible: this.open?.isUninterruptible === true || no_interruption_allowed === true,
    };
    if (isComplete) return this.say(call);
    this.cancelClose = this.clock.after(closeMs, () => {
      this.onNotClosed();
      this.say(call);
    });
  }

  close(): void {
    this.cancelClose();
    this.open = null;
  }

  private say(call: Interrupted): void {
    const { open } = this;
    this.close();
    if (open === null) return;
    const { text, endCall, isUninterruptible, line } = open;
    if (text.trim() !== '') call.interrupt(text, { endCall, isUninterruptible });
    else if (endCall) call.hangUp();
    line.act();
  }
}
