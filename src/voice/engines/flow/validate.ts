export interface FlowIssue {
  readonly path: (string | number)[];
  readonly message: string;
}

export interface FlowContext {
  readonly startSkillId?: string;
  readonly toolNames: readonly string[];
  readonly variableNames: readonly string[];
  readonly language: string;
}

export function flowIssues(
  _flow: unknown,
  _context: FlowContext,
): { readonly errors: readonly FlowIssue[]; readonly warnings: readonly FlowIssue[] } {
  return { errors: [], warnings: [] };
}
