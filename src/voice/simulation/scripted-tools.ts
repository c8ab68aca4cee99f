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

const defaultDelayMs = 300;

/** Nothing outside is called. A call without a scripted result is a miss that fails the simulation. */
export class ScriptedTools implements Tools {
  readonly calls: ToolCall[] = [];
  readonly misses: string[] = [];
  private readonly clock: Clock;
  private readonly scripts: ToolScripts;
  private readonly onMiss: Tools['run'] | undefined;
  private readonly counts = new Map<string, number>();

  /** `onMiss` runs the calls without a scripted result instead. */
  constructor(clock: Clock, scripts: ToolScripts, onMiss?: Tools['run']) {
    this.clock = clock;
    this.scripts = scripts;
    this.onMiss = onMiss;
  }

  run(toolCallId: string, call: ToolCall, onResult: (result: ToolResult) => void): void {
    this.calls.push(call);
    const scripted = this.next(call.name);
    if (scripted === undefined) {
      if (this.onMiss !== undefined) {
        this.onMiss(toolCallId, call, onResult);
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
