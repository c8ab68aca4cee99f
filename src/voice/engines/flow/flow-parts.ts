import type { AnytimeRoute, Skill } from '../../../contract/agents/settings/flow.ts';

/** The readable parts of a flow, with the index that each has in it. */
export interface FlowParts {
  readonly skills: readonly { readonly index: number; readonly skill: Skill }[];
  readonly anytime: readonly { readonly index: number; readonly route: AnytimeRoute }[];
}

export interface FlowIssue {
  /** From the agent: `['agentSettings', 'flow', 'skills', 3, 'next']` or `['startSkillId']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}
