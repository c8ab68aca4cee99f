import type { Clock } from '../../../../voice/clock.ts';
import type { Tools } from '../../../../voice/ports.ts';
import type { ToolDefinition } from '../../../../voice/tools/definition.ts';
import type { ToolResult } from '../../../../voice/tools/tool.ts';

export interface ClientToolParts {
  readonly tools: readonly ToolDefinition[];
  readonly clock: Clock;
  /** To the page, if one is connected. */
  readonly send: (call: ClientToolCall) => void;
  /** For every other tool. */
  readonly server: Tools;
}

export interface ClientToolCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** The tools that run in the caller's page, within the same time as any other. */
export class ClientTools implements Tools {
  private readonly parts: ClientToolParts;
  private readonly running = new Map<string, { readonly call: ClientToolCall; done(result: ToolResult): void }>();

  constructor(parts: ClientToolParts) {
    this.parts = parts;
  }

  run(toolCallId: string, call: Parameters<Tools['run']>[1], onResult: (result: ToolResult) => void) {
    const { tools, clock, send, server } = this.parts;
    const tool = tools.find(({ name, where }) => name === call.name && where === 'client');
    if (tool === undefined) return server.run(toolCallId, call, onResult);
    const cancelTimer = clock.after(tool.timeoutMs, () => this.settle(toolCallId, timedOut));
    const pageCall = { toolCallId, name: call.name, arguments: { ...call.arguments } };
    const done = (result: ToolResult): void => {
      cancelTimer();
      onResult(result);
    };
    this.running.set(toolCallId, { call: pageCall, done });
    send(pageCall);
  }

  get count(): number {
    return this.running.size;
  }

  /** A page is back after its connection was lost, and may not have got them. It runs each of them once. */
  resend(): void {
    for (const { call } of this.running.values()) this.parts.send(call);
  }

  /** Results of tools that are not running any more are ignored. */
  settle(toolCallId: string, result: ToolResult): void {
    const tool = this.running.get(toolCallId);
    this.running.delete(toolCallId);
    tool?.done(result);
  }

  close(): void {
    for (const toolCallId of [...this.running.keys()]) {
      this.settle(toolCallId, { isError: true, code: 'failed', message: 'the call has ended' });
    }
  }
}

const timedOut: ToolResult = { isError: true, code: 'timeout', message: 'the page did not respond in time' };
