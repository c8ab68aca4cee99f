import type { Clock } from './clock.ts';
import type { PhoneActions, RecordedEvent, TransferResult, TransferTarget } from './ports.ts';
import type { PhoneToolName } from './tools/built-in.ts';
import type { ToolResult } from './tools/tool.ts';
import type { TransferSource, TurnEvent } from './turn/events.ts';

/** What the phone of a session needs from it. */
export interface PhoneHost {
  readonly clock: Clock;
  /** Null: the call has no phone line. */
  readonly phone: PhoneActions | null;
  dispatch(event: TurnEvent): void;
  /** Dispatches what `run` does in one go. */
  batch(run: () => void): void;
  record(event: RecordedEvent): void;
  /** A transfer has begun or, with null, failed. */
  onTransfer(mode: TransferTarget['mode'] | null): void;
  isEnded(): boolean;
}

interface RequestedTransfer {
  readonly target: TransferTarget;
  readonly onFailed: (result: TransferResult) => void;
  /** The call ends, so nothing may follow. */
  readonly onCompleted?: () => void;
}

/** What becomes of a tool. */
interface ToolOutcome {
  /** The reply goes on with the result. */
  finish(result: ToolResult): void;
  /** The result is only recorded. */
  record(result: ToolResult): void;
}

/** Longer than any carrier takes to report the end of a transfer after it has rung. */
const reportMs = 60_000;
const notAvailable: ToolResult = {
  isError: true,
  code: 'not_available',
  message: 'this is only possible in phone calls',
};

/** The phone line of a session: its tools, and transfers that begin once the agent has finished speaking (rule 19). */
export class SessionPhone {
  private readonly host: PhoneHost;
  private requested: RequestedTransfer | null = null;
  private cancelTimeout: () => void = () => {};

  constructor(host: PhoneHost) {
    this.host = host;
  }

  runTool(name: PhoneToolName, given: Readonly<Record<string, unknown>>, { finish, record }: ToolOutcome) {
    const { phone } = this.host;
    if (phone === null) return finish(notAvailable);
    switch (name) {
      case 'press_keys':
        return finish(
          this.pressKeys(String(given.digits))
            ? { isError: false, result: { pressed: true } }
            : { isError: true, code: 'failed', message: 'the keys cannot be pressed now' },
        );
      case 'do_not_call_again':
        return phone.doNotCallAgain((failure) =>
          finish(
            failure === null
              ? { isError: false, result: { added: true } }
              : { isError: true, code: 'failed', message: failure },
          ),
        );
      case 'transfer_call': {
        const target = phone.transfers.find((entry) => entry.name === given.name);
        const onFailed = (result: TransferResult): void => finish({ isError: false, result });
        const onCompleted = (): void => record({ isError: false, result: { transferred: true } });
        if (target === undefined) return onFailed({ transferred: false, reason: 'unknown_name' });
        return this.request({ target, onFailed, onCompleted }, 'tool');
      }
      default:
        name satisfies never;
    }
  }

  /** If it fails, the agent takes the next turn. */
  transfer(target: TransferTarget, by: 'engine' | 'api'): void {
    this.request({ target, onFailed: () => this.host.dispatch({ type: 'respond' }) }, by);
  }

  /** The entry with this number, if there is one. */
  entryFor(number: string): TransferTarget | undefined {
    return this.host.phone?.transfers.find(({ to }) => to === number);
  }

  /** Returns false if they cannot be pressed, such as in a call without a phone line. */
  pressKeys(digits: string): boolean {
    const isPressed = this.host.phone?.pressKeys(digits) === true;
    if (isPressed) this.host.record({ type: 'dtmf_sent', digits });
    return isPressed;
  }

  private request(requested: RequestedTransfer, by: TransferSource) {
    if (this.requested !== null) return requested.onFailed({ transferred: false, reason: 'in_progress' });
    this.requested = requested;
    this.host.dispatch({ type: 'transfer.request', by });
  }

  /** The agent has finished speaking. */
  start(): void {
    const { requested, host } = this;
    if (requested === null) return;
    const { target } = requested;
    this.record(target, 'started', null);
    host.onTransfer(target.mode);
    const settle = (result: TransferResult): void => {
      if (this.requested === requested) this.settle(requested, result);
    };
    this.cancelTimeout = host.clock.after(target.ringTimeoutMs + reportMs, () =>
      settle({ transferred: false, reason: 'timeout' }),
    );
    host.phone?.transfer(target, settle);
  }

  /** The caller has interrupted before it began, so nobody was called. */
  withdraw(): void {
    const { requested } = this;
    if (requested === null) return;
    this.requested = null;
    this.record(requested.target, 'failed', 'interrupted');
    requested.onFailed({ transferred: false, reason: 'interrupted' });
  }

  stop(): void {
    this.requested = null;
    this.cancelTimeout();
  }

  private settle({ target, onFailed, onCompleted }: RequestedTransfer, result: TransferResult) {
    const { host } = this;
    this.stop();
    if (host.isEnded()) return;
    if (result.transferred) {
      this.record(target, 'completed', null);
      onCompleted?.();
      return host.dispatch({ type: 'stop', reason: 'transferred' });
    }
    this.record(target, 'failed', result.reason);
    host.onTransfer(null);
    host.batch(() => {
      host.dispatch({ type: 'transfer.failed' });
      onFailed(result);
    });
  }

  private record({ name, mode }: TransferTarget, status: 'started' | 'completed' | 'failed', reason: string | null) {
    this.host.record({ type: 'transfer_updated', name, mode, status, reason });
  }
}
