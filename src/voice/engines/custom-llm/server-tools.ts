import { parseForeignJson } from '../../../contract/foreign-json.ts';
import type { Clock } from '../../clock.ts';
import type { EngineCall, ServerTool } from '../engine.ts';
import type { FrameError, LlmFrame } from './frames.ts';

/** A result that does not come is no longer waited for. */
const timeoutMs = 30_000;
const maxOpen = 50;

/** The tools that the server runs itself, and reports. */
export class ServerTools {
  private readonly clock: Clock;
  private readonly open = new Map<string, { readonly tool: ServerTool; readonly cancel: () => void }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** `turn` is that of the reply in progress, or 0. */
  start(call: EngineCall, turn: number, frame: LlmFrame<'tool_call_invocation'>): FrameError | null {
    const { tool_call_id: id, name } = frame;
    if (this.open.has(id)) return wrongId('tool_call_id of tool_call_invocation is that of a running tool');
    if (this.open.size >= maxOpen)
      return { code: 'TOO_LARGE', message: `more than ${maxOpen} running tools`, path: '' };
    const tool = call.startTool(turn, { name, arguments: argumentsOf(frame.arguments) });
    const cancel = this.clock.after(timeoutMs, () => {
      this.open.delete(id);
      tool.finish({ isError: true, code: 'timeout', message: 'the custom LLM server reported no result within 30 s' });
    });
    this.open.set(id, { tool, cancel });
    return null;
  }

  finish({ tool_call_id: id, content, successful }: LlmFrame<'tool_call_result'>): FrameError | null {
    const running = this.open.get(id);
    if (running === undefined) return wrongId('tool_call_id of tool_call_result is not that of a running tool');
    this.open.delete(id);
    running.cancel();
    running.tool.finish(
      successful === false ? { isError: true, code: 'failed', message: content } : { isError: false, result: content },
    );
    return null;
  }

  /** The reply is over: whatever still runs is not waited for. */
  release(): void {
    for (const { tool } of this.open.values()) tool.release();
  }

  close(): void {
    for (const { cancel } of this.open.values()) cancel();
    this.open.clear();
  }
}

function wrongId(message: string): FrameError {
  return { code: 'BAD_FIELD', message, path: 'tool_call_id' };
}

/** Servers send them as JSON in a string. What is no object, or nested too deep, is kept under a name. */
function argumentsOf(given: string | Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  try {
    const value = parseForeignJson(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { value };
  } catch {
    return { value: given };
  }
}
