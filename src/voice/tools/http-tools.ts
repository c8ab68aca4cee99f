import { type Clock, realClock } from '../clock.ts';
import type { Tools } from '../ports.ts';
import type { ToolDefinition } from './definition.ts';
import { callTool, failed, type ToolCallerOptions, timedOut } from './http-request.ts';
import type { ToolResult } from './tool.ts';

export interface HttpToolsOptions extends ToolCallerOptions {
  readonly tools: readonly ToolDefinition[];
  readonly clock?: Clock;
}

export interface HttpTools extends Tools {
  /** The call has ended: cancels what is running, and whatever is started later. */
  close(): void;
}

/** The tools of an agent on the partner's servers. */
export function createHttpTools(options: HttpToolsOptions): HttpTools {
  const { tools, clock = realClock } = options;
  const running = new Set<() => void>();
  let isClosed = false;

  return {
    run(toolCallId, call, onResult) {
      const tool = tools.find(({ name }) => name === call.name);
      if (tool === undefined || tool.url === null) {
        onResult(failed('not_available', 'this tool is not available in this call'));
        return;
      }
      const stop = new AbortController();
      const end = (result: ToolResult): void => {
        if (!running.delete(cancel)) return;
        cancelTimer();
        stop.abort();
        onResult(result);
      };
      const cancel = (): void => end(failed('failed', 'the call has ended'));
      running.add(cancel);
      const cancelTimer = clock.after(tool.timeoutMs, () => end(timedOut));
      if (isClosed) cancel();
      else {
        callTool(options, { tool, url: tool.url, toolCallId, call }, stop.signal).then(
          ({ result }) => end(result),
          () => end(failed('failed', 'the tool could not be called')),
        );
      }
    },
    close() {
      isClosed = true;
      for (const cancel of running) cancel();
    },
  };
}
