import { isDeepStrictEqual } from 'node:util';
import type { Turn } from './ports.ts';
import type { ToolCall, ToolResult, ToolTurn } from './tools/tool.ts';

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
