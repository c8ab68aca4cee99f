import type { Clock } from '../clock.ts';
import type { Tools } from '../ports.ts';
import type { ToolCall, ToolResult } from '../tools/tool.ts';

export interface ScriptedResult {
  readonly result?: unknown;
  readonly error?: string | undefined;
  readonly delayMs?: number | undefined;
}

/** The results of each tool: the same for every call, or one per call. */
export type ToolScripts = Readonly<Record<string, ScriptedResult | readonly ScriptedResult[]>>;

export interface ScriptedToolOptions {
  /** The result of a call that would not be sent. */
  readonly refuse?: (call: ToolCall) => ToolResult | undefined;
  /** Runs the calls without a scripted result instead. */
  readonly onMiss?: Tools['run'];
}

const defaultDelayMs = 300;

/** Nothing outside is called. A call without a scripted result is a miss that fails the simulation. */
export class ScriptedTools implements Tools {
  readonly calls: ToolCall[] = [];
  readonly misses: string[] = [];
  private readonly clock: Clock;
  private readonly scripts: ToolScripts;
  private readonly options: ScriptedToolOptions;
  private readonly counts = new Map<string, number>();

  constructor(clock: Clock, scripts: ToolScripts, options: ScriptedToolOptions = {}) {
    this.clock = clock;
    this.scripts = scripts;
    this.options = options;
  }

  run(toolCallId: string, call: ToolCall, onResult: (result: ToolResult) => void): void {
    const { refuse, onMiss } = this.options;
    this.calls.push(call);
    const refused = refuse?.(call);
    if (refused !== undefined) {
      this.clock.after(0, () => onResult(refused));
      return;
    }
    const scripted = this.next(call.name);
    if (scripted === undefined) {
      if (onMiss !== undefined) {
        onMiss(toolCallId, call, onResult);
        return;
      }
      this.misses.push(call.name);
    }
    this.clock.after(scripted?.delayMs ?? defaultDelayMs, () => onResult(resultOf(scripted)));
  }

  private next(name: string): ScriptedResult | undefined {
    const script = Object.hasOwn(this.scripts, name) ? this.scripts[name] : undefined;
    if (!Array.isArray(script)) return script as ScriptedResult | undefined;
    const count = this.counts.get(name) ?? 0;
    this.counts.set(name, count + 1);
    return (script as readonly ScriptedResult[])[count];
  }
}

function resultOf(scripted: ScriptedResult | undefined): ToolResult {
  if (scripted === undefined)
    return { isError: true, code: 'failed', message: 'The script has no result for this call.' };
  if (scripted.error !== undefined) return { isError: true, code: 'failed', message: scripted.error };
  return { isError: false, result: scripted.result ?? null };
}
