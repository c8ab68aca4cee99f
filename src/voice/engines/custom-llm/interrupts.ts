import type { Clock } from '../../clock.ts';
import type { EngineCall } from '../engine.ts';
import type { LlmFrame } from './frames.ts';
import { LineActions } from './line-actions.ts';

const closeMs = 15_000;

type Interrupted = Pick<EngineCall, 'interrupt' | 'hangUp' | 'transfer' | 'pressKeys' | 'warn'>;

export type Interrupts = ReturnType<typeof createInterrupts>;

/**
 * What the server says without having been asked. It is said when it is complete, because it takes the floor: half a
 * sentence would stop the caller for nothing.
 */
export function createInterrupts(clock: Clock, onNotClosed: () => void) {
  let open: {
    readonly id: number;
    readonly line: LineActions;
    text: string;
    endCall: boolean;
    isUninterruptible: boolean;
  } | null = null;
  let cancelClose = () => {};
  const close = (): void => {
    cancelClose();
    open = null;
  };
  const say = (call: Interrupted): void => {
    const { text = '', endCall = false, isUninterruptible = false, line } = open ?? {};
    close();
    if (text.trim() !== '') call.interrupt(text, { endCall, isUninterruptible });
    else if (endCall) call.hangUp();
    line?.act();
  };
  return {
    add(call: Interrupted, frame: LlmFrame<'agent_interrupt'>) {
      const { interrupt_id: id, content, content_complete: isComplete, end_call, no_interruption_allowed } = frame;
      if (open !== null && open.id !== id) say(call);
      cancelClose();
      open ??= { id, line: new LineActions(call), text: '', endCall: false, isUninterruptible: false };
      open.line.add(frame);
      open.text += content;
      open.endCall ||= end_call === true;
      open.isUninterruptible ||= no_interruption_allowed === true;
      if (isComplete) return say(call);
      cancelClose = clock.after(closeMs, () => {
        onNotClosed();
        say(call);
      });
    },
    close,
  };
}
