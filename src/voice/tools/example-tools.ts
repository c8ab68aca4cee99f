import type { Tools } from '../ports.ts';
import type { ToolDefinition } from './definition.ts';
import type { ToolResult } from './tool.ts';
import { urlRefusal } from './tool-url.ts';

/** Tools that return their examples, wherever they run otherwise. Nothing is called. */
export function createExampleTools(tools: readonly ToolDefinition[]): Tools & { close(): void } {
  return {
    run(_toolCallId, call, onResult) {
      const tool = tools.find(({ name }) => name === call.name);
      const result = tool === undefined ? unknownTool : (urlRefusal(tools, call) ?? exampleOf(tool));
      onResult({ ...result, isExample: true });
    },
    close: () => {},
  };
}

const unknownTool: ToolResult = { isError: true, code: 'not_available', message: 'the agent has no such tool' };

function exampleOf({ name, example }: ToolDefinition): ToolResult {
  if (example !== null) return { isError: false, result: example.result };
  const message = `the tool ${name} has no example, and this call uses example results: it was not called`;
  return { isError: true, code: 'not_available', message };
}
