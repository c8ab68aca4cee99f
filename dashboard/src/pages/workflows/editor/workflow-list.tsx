import { UnstyledButton } from '@mantine/core';
import { useTexts } from '../../../language/language.tsx';
import classes from '../../../parts/step-list.module.css';
import { type Step, targetOf, waysOf } from '../../../workflows/definition.ts';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { stepText, triggerText, typeText, wayText } from '../../../workflows/words.ts';
import editor from './editor.module.css';
import { editorTexts } from './texts.ts';
import type { DefinitionViewProps, Part } from './workflow-graph.tsx';

type WorkflowListProps = Omit<DefinitionViewProps, 'onChange' | 'isReadOnly'>;

/** The same as the graph, for those who cannot use one. */
export function WorkflowList(props: WorkflowListProps) {
  const { definition, reached } = props;
  const texts = useTexts(editorTexts);
  const words = useWorkflowTexts();
  return (
    <ol className={`${classes.list} ${editor.list}`} aria-label={texts.steps}>
      <Item
        {...props}
        part="trigger"
        title={words.trigger}
        id=""
        text={triggerText(definition.trigger, [], words)}
        ways={[]}
        isReached={false}
      />
      {definition.steps.map((step, position) => (
        <Item
          // biome-ignore lint/suspicious/noArrayIndexKey: ids may not be unique while they are edited.
          key={position}
          {...props}
          part={position}
          title={typeText(step.type, words)}
          id={step.id}
          text={stepText(step, words)}
          isReached={reached?.has(step.id) ?? false}
          ways={waysShown(definition.steps, position).map(({ path, target }) =>
            words.leadsTo(wayText(step, path, words), target === null ? words.toEnd : target),
          )}
        />
      ))}
    </ol>
  );
}

/** Those that do not just go on to the following step. */
function waysShown(steps: readonly Step[], position: number): readonly { path: string; target: string | null }[] {
  return waysOf(steps[position] as Step).flatMap((way) => {
    const target = targetOf(steps, position, way);
    if (target === 'none' || (way.path === 'next' && target === position + 1)) return [];
    return [{ path: way.path, target: target === 'end' ? null : way.to }];
  });
}

interface ItemProps extends WorkflowListProps {
  readonly part: Part;
  readonly title: string;
  readonly id: string;
  readonly text: string;
  readonly ways: readonly string[];
  readonly isReached: boolean;
}

function Item({ part, title, id, text, ways, isReached, selected, findings, onSelect, onEdit }: ItemProps) {
  const texts = useTexts(editorTexts);
  const problems = findings.filter((finding) => finding.part === part).length;
  return (
    <li>
      <UnstyledButton
        className={classes.item as string}
        aria-current={part === selected ? 'true' : undefined}
        // A click with the keyboard has no place.
        onClick={({ detail }) => (detail === 0 ? onEdit : onSelect)(part)}
      >
        <span className={classes.head}>
          <strong>{title}</strong> {id !== '' && <code className={classes.quiet}>{id}</code>}
          {isReached && <span className={classes.badge}>{texts.reached}</span>}
          {problems > 0 && <span className={classes.badBadge}>{texts.problems(problems)}</span>}
        </span>
        <span>{text}</span>
        {ways.map((way) => (
          <span key={way} className={classes.quiet}>
            {way}
          </span>
        ))}
      </UnstyledButton>
    </li>
  );
}
