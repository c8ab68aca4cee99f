import { isDeepStrictEqual } from 'node:util';
import type { Clock } from './clock.ts';
import type { ServerTool } from './engines/engine.ts';
import type { RecordedEvent, Tools, Turn } from './ports.ts';
import type { SessionPhone } from './session-phone.ts';
import { isPhoneTool } from './tools/built-in.ts';
import { isUnfinished, type ToolCall, type ToolResult, type ToolTurn } from './tools/tool.ts';
import type { TurnEvent } from './turn/events.ts';

/** What the tools of a session need from it. */
export interface ToolHost {
  readonly clock: Clock;
  readonly tools: Tools;
  /** Runs the tools that act on the phone line. */
  readonly phone: Pick<SessionPhone, 'runTool'>;
  readonly newToolCallId: () => string;
  readonly startedAt: number;
  readonly resumedTools: ResumedTools;
  dispatch(event: TurnEvent): void;
  /** Runs now, or after the steps that are under way. */
  whenStepped(run: () => void): void;
  /** Dispatches what `run` does in one go. */
  batch(run: () => void): void;
  nextIndex(): number;
  record(event: RecordedEvent): void;
  recordTurn(turn: Pick<Turn, 'index' | 'startMs' | 'endMs'> & { readonly toolCall: ToolTurn }): void;
  isEnded(): boolean;
}

/** The tools that are called in a session, and their turns. */
export class SessionTools {
  private readonly host: ToolHost;

  constructor(host: ToolHost) {
    this.host = host;
  }

  /** Calls a tool for a reply. */
  run(turn: number, call: ToolCall, onResult: (result: ToolResult) => void): void {
    const { host } = this;
    const resumed = host.resumedTools.take(call);
    if (resumed !== undefined && !isUnfinished(resumed.toolCall)) {
      const result = resultOf(resumed.toolCall);
      host.whenStepped(() => onResult(result));
      return;
    }
    const { id, record } = this.begin(turn, call, resumed);
    const finish = (result: ToolResult): void => {
      if (host.isEnded()) return;
      record(result);
      // The engine takes the result before the machine can request the next reply, which may depend on it.
      host.batch(() => {
        host.dispatch({ type: 'tool.end', turn });
        onResult(result);
      });
    };
    const { name, arguments: given } = call;
    host.whenStepped(() => {
      if (!isPhoneTool(name)) host.tools.run(id, call, finish);
      // Nobody is called twice.
      else if (resumed !== undefined) finish(unknownOutcome);
      else host.phone.runTool(name, given, { finish, record });
    });
  }

  /** A tool that the engine's server runs itself. */
  start(turn: number, call: ToolCall): ServerTool {
    const { host } = this;
    const { record } = this.begin(turn, call);
    let isAwaited = true;
    let isRecorded = false;
    const release = (): void => {
      if (!isAwaited || host.isEnded()) return;
      isAwaited = false;
      host.dispatch({ type: 'tool.end', turn });
    };
    const finish = (result: ToolResult): void => {
      if (isRecorded || host.isEnded()) return;
      isRecorded = true;
      host.whenStepped(() => record(result));
      release();
    };
    return { finish, release };
  }

  private begin(turn: number, call: ToolCall, resumed?: ResumedTurn) {
    const { host } = this;
    const id = resumed?.toolCall.id ?? host.newToolCallId();
    const since = host.clock.now();
    const startMs = resumed?.startMs ?? since - host.startedAt;
    let index = resumed?.index ?? 0;
    const write = (outcome: Pick<ToolTurn, 'result' | 'isError' | 'isExample' | 'durationMs'>): void => {
      const toolCall = { id, name: call.name, arguments: call.arguments, ...outcome };
      host.recordTurn({ index, startMs, endMs: startMs + toolCall.durationMs, toolCall });
    };
    host.dispatch({ type: 'tool.start', turn, say: call.say ?? '' });
    // The machine commits the caller's turn when a tool starts, and that turn comes first.
    host.whenStepped(() => {
      if (resumed !== undefined) return;
      index = host.nextIndex();
      write({ result: null, isError: false, isExample: false, durationMs: 0 });
      host.record({ type: 'tool_called', toolCallId: id, name: call.name });
    });
    const record = (result: ToolResult): void => {
      const tookMs = Math.round(host.clock.now() - since);
      // Without a result and without a duration, the turn would be that of a tool that still runs.
      const durationMs = !result.isError && result.result === null ? Math.max(1, tookMs) : tookMs;
      const { isError, isExample = false } = result;
      write({ result: result.isError ? result.message : result.result, isError, isExample, durationMs });
      host.record({ type: 'tool_returned', toolCallId: id, name: call.name, isError, durationMs });
    };
    return { id, record };
  }
}

const unknownOutcome: ToolResult = { isError: true, code: 'failed', message: 'its outcome is not known' };

/** A tool turn of the transcript. */
export type ResumedTurn = Turn & { readonly toolCall: ToolTurn };

/**
 * The tool turns of a reply that was lost. The reply that takes its place finds each of them once, by name and
 * arguments, so that no tool is called a second time under another id.
 */
export class ResumedTools {
  private turns: readonly ResumedTurn[];
  private isRequested = false;

  constructor(turns: readonly Turn[]) {
    this.turns = turns.filter((turn): turn is ResumedTurn => turn.toolCall !== null);
  }

  /** What the first reply starts from. */
  forRequest(): { readonly resumedTools?: readonly ToolTurn[] } {
    if (this.isRequested || this.turns.length === 0) return {};
    this.isRequested = true;
    return { resumedTools: this.turns.map(({ toolCall }) => toolCall) };
  }

  take({ name, arguments: given }: ToolCall): ResumedTurn | undefined {
    const found = this.turns.find(
      ({ toolCall }) => toolCall.name === name && isDeepStrictEqual(toolCall.arguments, given),
    );
    this.turns = this.turns.filter((turn) => turn !== found);
    return found;
  }
}

/** The transcript keeps the message of an error, and not its code. */
export function resultOf({ result, isError }: ToolTurn): ToolResult {
  return isError ? { isError, code: 'failed', message: String(result) } : { isError, result };
}
