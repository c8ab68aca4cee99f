import type { ClientFrame, ToolCall } from './frames.ts';
import { storable } from './storable.ts';

/** A tool that runs in the page (`where: "client"`). What it returns or throws goes to the agent. */
export type PageTool = (
  // biome-ignore lint/suspicious/noExplicitAny: the agent's JSON Schema describes them.
  parameters: any,
  call: { readonly toolCallId: string },
) => unknown;

export type ToolOutcome = { readonly result: unknown } | { readonly error: string };

/** The service accepts frames up to 64 KiB, and results up to 32 KiB. */
const maxResultBytes = 32 * 1024;

/** Runs each call once: after a lost connection the service may ask again. */
export class PageTools {
  readonly #tools: Readonly<Record<string, PageTool>>;
  readonly #running = new Map<string, Promise<ToolOutcome>>();

  constructor(tools: Readonly<Record<string, PageTool>>) {
    this.#tools = tools;
  }

  run(call: ToolCall): Promise<ToolOutcome> {
    const known = this.#running.get(call.toolCallId);
    if (known !== undefined) return known;
    const outcome = this.#outcome(call);
    this.#running.set(call.toolCallId, outcome);
    return outcome;
  }

  async #outcome({ toolCallId, name, arguments: parameters }: ToolCall): Promise<ToolOutcome> {
    const tool = Object.hasOwn(this.#tools, name) ? this.#tools[name] : undefined;
    if (tool === undefined) return { error: `The page has no tool "${name}".` };
    try {
      const returned = await tool(parameters, { toolCallId });
      // A function, for example, is nothing in JSON.
      const json =
        JSON.stringify(returned, (_, value) => (typeof value === 'string' ? storable(value) : value)) ?? 'null';
      const size = new TextEncoder().encode(json).length;
      if (size > maxResultBytes) return { error: `The result has more than ${maxResultBytes} bytes.` };
      return { result: JSON.parse(json) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { error: storable(message.slice(0, 500)) || 'The tool failed.' };
    }
  }
}

export function resultFrame(toolCallId: string, outcome: ToolOutcome): ClientFrame {
  return { type: 'tool_result', toolCallId, ...outcome };
}
