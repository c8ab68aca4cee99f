import { useMemo } from 'react';
import { useAgentTexts } from '../pages/agent/texts.ts';
import type { CanvasStep } from './canvas/canvas-steps.ts';
import type { SkillFinding } from './findings.ts';
import { type Flow, waysOf } from './flow.ts';
import { nameProblem } from './problem-names.ts';
import { type Coverage, routeKey } from './simulate/walk.ts';
import { previewOf, wayLabel } from './skill-preview.ts';
import { typeLabel } from './texts.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface Options {
  readonly flow: Flow;
  readonly start: number;
  /** Where a call, or a simulation that is watched, is. */
  readonly active: number | null;
  readonly findings: readonly SkillFinding[];
  /** Null: nothing was simulated. */
  readonly coverage: Coverage | null;
}

/** The steps as they are on the canvas. */
export function useCanvasSteps({ flow, start, active, findings, coverage }: Options): readonly CanvasStep[] {
  const texts = useFlowTexts();
  const { saidByService } = useAgentTexts();
  return useMemo(() => {
    const positions = new Map(flow.skills.map(({ id }, position) => [id, position]));
    return flow.skills.map((skill, position): CanvasStep => {
      const found = findings.filter((finding) => finding.skill === position && !finding.isWarning);
      const problems = found.map((finding) => nameProblem(skill, finding, texts, saidByService));
      const problemAt = (path: string) => problems[found.findIndex((finding) => finding.path === path)]?.text ?? null;
      const typeName = typeLabel(skill.type, texts);
      const isStart = position === start;
      return {
        type: skill.type,
        typeName,
        id: skill.id,
        text: previewOf(skill),
        badge: isStart ? texts.start : null,
        isActive: position === active,
        problems,
        label: [
          `${typeName} ${skill.id}`,
          ...(isStart ? [texts.start] : []),
          ...(position === active ? [texts.activeNow] : []),
          ...(problems.length > 0 ? [texts.problems(problems.length)] : []),
        ].join(', '),
        ways: waysOf(skill).map(({ path, to }) => ({
          path,
          label: wayLabel(skill, path, texts),
          to: positions.get(to) ?? null,
          problem: problemAt(path),
          taken: coverage === null ? null : (coverage.get(routeKey(skill.id, path)) ?? 0),
        })),
      };
    });
  }, [flow, start, active, findings, coverage, texts, saidByService]);
}
