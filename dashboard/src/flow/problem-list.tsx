import { UnstyledButton } from '@mantine/core';
import { useLanguage } from '../language/language.tsx';
import { useAgentTexts } from '../pages/agent/texts.ts';
import classes from '../parts/step-list.module.css';
import type { SkillFinding } from './findings.ts';
import type { Flow } from './flow.ts';
import { nameProblem } from './problem-names.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface ProblemListProps {
  readonly flow: Flow;
  readonly findings: readonly SkillFinding[];
  readonly onGo: (position: number, path: string) => void;
}

/** What is wrong in the flow, by name. Each leads to its place. */
export function ProblemList({ flow, findings, onGo }: ProblemListProps) {
  const texts = useFlowTexts();
  const { texts: shared } = useLanguage();
  const { saidByService } = useAgentTexts();
  if (findings.length === 0) return null;
  return (
    <ul className={classes.problems}>
      {findings.map((finding) => {
        const { place, text } = nameProblem(flow.skills[finding.skill], finding, texts, saidByService);
        return (
          <li key={`${finding.skill} ${finding.path} ${finding.message}`}>
            <UnstyledButton
              className={classes.problem as string}
              data-is-warning={finding.isWarning || undefined}
              onClick={() => onGo(finding.skill, finding.path)}
            >
              <strong>{place}</strong>
              {shared.colon}
              {text}
            </UnstyledButton>
          </li>
        );
      })}
    </ul>
  );
}
