export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the agent says while the tool runs, if anything. */
  readonly say?: string;
}

export type ToolResult =
  | { readonly isError: false; readonly result: unknown }
  /** `code`: `timeout`, `not_available`, `invalid_arguments`, `failed`. */
  | { readonly isError: true; readonly code: string; readonly message: string };
