import { Button, Tooltip } from '@mantine/core';
import { CopyIcon, PlayIcon, TrashIcon } from '../icons.tsx';
import { ChoiceInput, FormHead } from '../parts/form-inputs.tsx';
import { GuardedButton } from '../parts/scope-guard.tsx';
import classes from './flow.module.css';
import { skillTypes } from './flow.ts';
import { SkillFields, type SkillFieldsProps } from './skill-fields.tsx';
import { typeLabel } from './texts.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface SkillFormProps extends SkillFieldsProps {
  readonly isStart: boolean;
  /** Null if the call would use something else than what is shown. */
  readonly onRun: (() => void) | null;
  readonly onRename: (id: string) => void;
  readonly onStartHere: () => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

/** One skill as a form. Its inputs have the paths of the agent as ids. */
export function SkillForm(props: SkillFormProps) {
  const { skill, context, onRename } = props;
  const texts = useFlowTexts();
  return (
    <section className={classes.form} aria-labelledby={`${context.place}-title`}>
      <FormHead
        context={context}
        title={texts.skillTitle(typeLabel(skill.type, texts), skill.id)}
        order={2}
        id={skill.id}
        idLabel={texts.id}
        idHint={texts.idHint}
        onRename={onRename}
      />
      {!(skillTypes as readonly string[]).includes(skill.type) && (
        <ChoiceInput
          context={context}
          path="type"
          label={texts.type}
          value={skill.type}
          options={skillTypes.map((type) => ({ value: type, label: texts[type] }))}
        />
      )}
      <SkillFields skill={skill} context={context} tools={props.tools} transfers={props.transfers} />
      <Actions {...props} />
    </section>
  );
}

function Actions({ context: { isReadOnly }, isStart, onRun, onStartHere, onDuplicate, onRemove }: SkillFormProps) {
  const texts = useFlowTexts();
  return (
    <div className={classes.formActions}>
      <Tooltip label={texts.runUnsaved} disabled={onRun !== null}>
        <span>
          <GuardedButton
            scope="calls:write"
            size="xs"
            variant="default"
            leftSection={<PlayIcon size={14} />}
            disabled={onRun === null}
            onClick={() => onRun?.()}
          >
            {texts.runFromHere}
          </GuardedButton>
        </span>
      </Tooltip>
      {!isReadOnly && !isStart && (
        <Button size="xs" variant="default" onClick={onStartHere}>
          {texts.startHere}
        </Button>
      )}
      {!isReadOnly && (
        <Button size="xs" variant="default" leftSection={<CopyIcon size={14} />} onClick={onDuplicate}>
          {texts.duplicate}
        </Button>
      )}
      {!isReadOnly && (
        <Button
          size="xs"
          variant="subtle"
          color="var(--app-bad)"
          leftSection={<TrashIcon size={14} />}
          onClick={onRemove}
        >
          {texts.remove}
        </Button>
      )}
    </div>
  );
}
