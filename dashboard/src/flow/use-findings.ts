import { useMemo } from 'react';
import type { AgentCheck } from '../../../sdk/src/index.ts';
import { isSame, type Values } from '../pages/agent/values.ts';
import { findingsHere, findingsOfCheck, type SkillFinding } from './findings.ts';
import type { Flow } from './flow.ts';

interface Options {
  readonly flow: Flow;
  readonly base: Values;
  readonly values: Values;
  /** What the service has found in the saved draft. */
  readonly check: AgentCheck | null;
}

/** Those of the service for what is saved, and those that can be seen here. */
export function useFindings({ flow, base, values, check }: Options): readonly SkillFinding[] {
  const isSaved = isSame(base.agentSettings, values.agentSettings) && isSame(base.startSkillId, values.startSkillId);
  return useMemo(() => {
    const here = findingsHere(flow, values.startSkillId);
    if (!isSaved || check === null) return here;
    // The service reports where routes lead only once every step has its fields.
    const found = findingsOfCheck(check);
    const isKnown = ({ skill, path }: SkillFinding) => found.some((each) => each.skill === skill && each.path === path);
    return [...found, ...here.filter((finding) => !isKnown(finding))];
  }, [isSaved, check, flow, values.startSkillId]);
}
