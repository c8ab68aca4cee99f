import { UnstyledButton } from '@mantine/core';
import classes from './flow.module.css';
import { waysOf } from './flow.ts';
import type { FlowViewProps } from './flow-graph.tsx';
import { previewOf, wayLabel } from './skill-preview.ts';
import { typeLabel, useFlowTexts } from './texts.ts';

/** The same as the graph, for those who cannot use one. */
export function FlowList({
  flow,
  start,
  selected,
  active,
  findings,
  onSelect,
  onEdit,
}: Omit<FlowViewProps, 'onChange'>) {
  const texts = useFlowTexts();
  return (
    <ol className={classes.list} aria-label={texts.skills}>
      {flow.skills.map((skill, position) => {
        const problems = findings.filter((finding) => finding.skill === position && !finding.isWarning).length;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids of a draft may not be unique.
          <li key={position}>
            <UnstyledButton
              className={classes.item as string}
              aria-current={position === selected ? 'true' : undefined}
              data-is-active={position === active || undefined}
              // A click with the keyboard has no place.
              onClick={({ detail }) => (detail === 0 ? onEdit : onSelect)(position)}
            >
              <span className={classes.itemHead}>
                <strong>{typeLabel(skill.type, texts)}</strong> <code>{skill.id}</code>
                {position === start && <span className={classes.badge}>{texts.start}</span>}
                {position === active && <span className={classes.badge}>{texts.activeNow}</span>}
                {problems > 0 && <span className={classes.badBadge}>{texts.problems(problems)}</span>}
              </span>
              <span className={classes.itemText}>{previewOf(skill)}</span>
              {waysOf(skill).map(({ path, to }) => (
                <span key={path} className={classes.itemWay}>
                  {wayLabel(skill, path, texts)} → {to === '' ? texts.nowhere : to}
                </span>
              ))}
            </UnstyledButton>
          </li>
        );
      })}
    </ol>
  );
}
