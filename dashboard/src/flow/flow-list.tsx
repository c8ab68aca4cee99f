import { UnstyledButton } from '@mantine/core';
import { useAgentTexts } from '../pages/agent/texts.ts';
import classes from '../parts/step-list.module.css';
import type { SkillFinding } from './findings.ts';
import { type Flow, waysOf } from './flow.ts';
import { nameProblem } from './problem-names.ts';
import { previewOf, wayLabel } from './skill-preview.ts';
import { StepIcon } from './step-icons.tsx';
import { typeLabel } from './texts.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface FlowListProps {
  readonly flow: Flow;
  /** The position of the step that a call starts with. */
  readonly start: number;
  readonly selected: ReadonlySet<number>;
  /** Where the call in the panel is. */
  readonly active: number | null;
  readonly findings: readonly SkillFinding[];
  readonly onSelect: (position: number) => void;
  /** Selects it, and moves the focus to its form. */
  readonly onEdit: (position: number) => void;
}

/** The same as the canvas, for those who cannot use one, and for small screens. */
export function FlowList({ flow, start, selected, active, findings, onSelect, onEdit }: FlowListProps) {
  const texts = useFlowTexts();
  const { saidByService } = useAgentTexts();
  return (
    <ol className={classes.list} aria-label={texts.steps}>
      {flow.skills.map((skill, position) => {
        const own = findings.filter((finding) => finding.skill === position && !finding.isWarning);
        const named = own.map((finding) => ({
          path: finding.path,
          text: nameProblem(skill, finding, texts, saidByService).text,
        }));
        const problemAt = (path: string) => named.find((each) => each.path === path)?.text;
        const ways = waysOf(skill);
        const others = named.filter(({ path }) => !ways.some((way) => way.path === path));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids of a draft may not be unique.
          <li key={position}>
            <UnstyledButton
              className={classes.item as string}
              aria-current={selected.has(position) ? 'true' : undefined}
              data-is-active={position === active || undefined}
              // A click with the keyboard has no place.
              onClick={({ detail }) => (detail === 0 ? onEdit : onSelect)(position)}
            >
              <span className={classes.head}>
                <StepIcon type={skill.type} size={15} />
                <strong>{skill.id}</strong> <span className={classes.quiet}>{typeLabel(skill.type, texts)}</span>
                {position === start && <span className={classes.badge}>{texts.start}</span>}
                {position === active && <span className={classes.badge}>{texts.activeNow}</span>}
                {named.length > 0 && <span className={classes.badBadge}>{texts.problems(named.length)}</span>}
              </span>
              <span className={classes.text}>{previewOf(skill)}</span>
              {others.map(({ path, text }) => (
                <span key={`${path} ${text}`} className={classes.issue}>
                  {text}
                </span>
              ))}
              {ways.map(({ path, to }) => (
                <span key={path} className={problemAt(path) === undefined ? classes.quiet : classes.issue}>
                  {wayLabel(skill, path, texts)} → {problemAt(path) ?? (to === '' ? texts.nowhere : to)}
                </span>
              ))}
            </UnstyledButton>
          </li>
        );
      })}
    </ol>
  );
}
