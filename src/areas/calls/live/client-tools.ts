import type { Clock } from '../../../voice/clock.ts';
import type { Tools } from '../../../voice/ports.ts';
import type { ToolDefinition } from '../../../voice/tools/definition.ts';
import type { ToolResult } from '../../../voice/tools/tool.ts';

export interface ClientToolParts {
  readonly tools: readonly ToolDefinition[];
  readonly clock: Clock;
  /** False if nobody is connected. */
  readonly send: (call: { toolCallId: string; name: string; arguments: Record<string, unknown> }) => boolean;
  /** For every other tool. */
  readonly server: Tools;
}

/** The tools that run in the caller's page, within the same time as any other. */
export class ClientTools implements Tools {
  private readonly parts: ClientToolParts;
  private readonly running = new Map<string, (result: ToolResult) => void>();

  constructor(parts: ClientToolParts) {
    this.parts = parts;
  }

  run(toolCallId: string, call: Parameters<Tools['run']>[1], onResult: (result: ToolResult) => void) {
    const { tools, clock, send, server } = this.parts;
    const tool = tools.find(({ name, where }) => name === call.name && where === 'client');
    if (tool === undefined) return server.run(toolCallId, call, onResult);
    const cancelTimer = clock.after(tool.timeoutMs, () => this.settle(toolCallId, timedOut));
    this.running.set(toolCallId, (result) => {
      cancelTimer();
      onResult(result);
    });
    const isSent = send({ toolCallId, name: call.name, arguments: { ...call.arguments } });
    if (!isSent) this.settle(toolCallId, { isError: true, code: 'not_available', message: 'the page is gone' });
  }

  /** Results of tools that are not running any more are ignored. */
  settle(toolCallId: string, result: ToolResult): void {
    const done = this.running.get(toolCallId);
    this.running.delete(toolCallId);
    done?.(result);
  }

  close(): void {
    for (const toolCallId of [...this.running.keys()]) {
      this.settle(toolCallId, { isError: true, code: 'failed', message: 'the call has ended' });
    }
  }
}

const timedOut: ToolResult = { isError: true, code: 'timeout', message: 'the page did not respond in time' };
