import type { Engine, EngineCall, ServerTool, TurnSettings } from './engines/engine.ts';
import { adjustedPolicy } from './policy.ts';
import type { RecordedEvent } from './ports.ts';
import type { SessionPhone } from './session-phone.ts';
import type { ToolCall } from './tools/tool.ts';
import type { TurnEvent, TurnPolicy } from './turn/events.ts';
import { type FloorHolder, floorOf } from './turn/floor-holder.ts';
import type { TurnMachine } from './turn/machine.ts';

/** What the engine of a session needs from it. */
export interface EngineHost {
  readonly engine: Engine;
  dispatch(event: TurnEvent): void;
  record(event: RecordedEvent): void;
  failed(detail: string): void;
  metadata(metadata: unknown): void;
  startTool(turn: number, call: ToolCall): ServerTool;
  readonly phone: Pick<SessionPhone, 'entryFor' | 'transfer' | 'pressKeys'>;
}

/** What an engine can do in its session unasked, and what it learns about the call. */
export class SessionEngine {
  private readonly host: EngineHost;
  private policy: TurnPolicy;
  /** What the engine has changed of the policy. */
  settings: TurnSettings;
  private floor: FloorHolder = 'none';
  private words = '';

  constructor(host: EngineHost, policy: TurnPolicy, settings: TurnSettings) {
    this.host = host;
    this.settings = settings;
    this.policy = policy;
  }

  attach(): void {
    this.host.engine.attach?.(this.call());
  }

  /** With what the engine has changed. */
  adjusted(policy: TurnPolicy): TurnPolicy {
    this.policy = policy;
    return adjustedPolicy(policy, this.settings);
  }

  /** After a step of the machine. */
  show(machine: TurnMachine): void {
    const { engine } = this.host;
    if (engine.follow === undefined) return;
    const { state, callerWords } = machine;
    const floor = floorOf(state);
    const hasFloorChanged = floor !== this.floor;
    const haveWordsChanged = callerWords !== this.words;
    this.floor = floor;
    this.words = callerWords;
    if (hasFloorChanged) engine.follow({ type: 'floor', floor });
    if (haveWordsChanged) engine.follow({ type: 'words', words: callerWords });
  }

  showTranscript(): void {
    this.host.engine.follow?.({ type: 'transcript' });
  }

  private call(): EngineCall {
    const { host } = this;
    return {
      interrupt: (text, options) => host.dispatch({ type: 'reply.interrupt', text, ...options }),
      hangUp: () => host.dispatch({ type: 'finish' }),
      fail: (reason, detail) => {
        host.failed(detail);
        host.dispatch({ type: 'stop', reason });
      },
      warn: (code, message) => host.record({ type: 'warning', code, message }),
      configure: (settings) => {
        this.settings = { ...this.settings, ...settings };
        host.dispatch({ type: 'policy', policy: this.policy });
      },
      metadata: (metadata) => host.metadata(metadata),
      suspend: (turn) => host.dispatch({ type: 'reply.suspended', turn }),
      resume: (turn) => host.dispatch({ type: 'reply.continued', turn }),
      startTool: (turn, call) => host.startTool(turn, call),
      transfer: (number) => {
        const target = host.phone.entryFor(number);
        if (target !== undefined) host.phone.transfer(target, 'engine');
        return target !== undefined;
      },
      pressKeys: (digits) => host.phone.pressKeys(digits),
    };
  }
}
