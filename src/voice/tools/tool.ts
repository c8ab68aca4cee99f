export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the agent says while the tool runs, if anything. */
  readonly say?: string;
}

export type ToolResult = (
  | { readonly isError: false; readonly result: unknown }
  /** `code`: `timeout`, `not_available`, `invalid_arguments`, `failed`. */
  | { readonly isError: true; readonly code: string; readonly message: string }
) & {
  /** The tool was not called. */
  readonly isExample?: true;
};

/** A call of a tool in the transcript. */
export interface ToolTurn {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  readonly isError: boolean;
  /** The result is the example of the tool, which was not called. */
  readonly isExample: boolean;
  readonly durationMs: number;
}

/** A tool that was called, and whose result is not known. */
export function isUnfinished({ result, isError, durationMs }: ToolTurn): boolean {
  return result === null && !isError && durationMs === 0;
}

/** Whether it is the result of a transfer that succeeded. */
export function isTransferred(result: ToolResult): boolean {
  return !result.isError && (result.result as { readonly transferred?: unknown } | null)?.transferred === true;
}
