import { Button } from '@mantine/core';

import { ArrowDownIcon, ArrowUpIcon, TrashIcon } from '../../../icons.tsx';
import { useTexts } from '../../../language/language.tsx';
import { ChoiceInput, FormHead } from '../../../parts/form-inputs.tsx';
import { stepTypes } from '../../../workflows/definition.ts';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { typeText } from '../../../workflows/words.ts';
import { ConditionFields } from './condition-fields.tsx';
import { CreateCallFields } from './create-call-fields.tsx';
import classes from './editor.module.css';
import { RequestFields } from './request-fields.tsx';
import { type StepFieldsProps, TargetInput } from './target-input.tsx';
import { editorTexts } from './texts.ts';
import { UpdateCallFields } from './update-call-fields.tsx';
import { WaitFields } from './wait-fields.tsx';

interface StepFormProps extends StepFieldsProps {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onRename: (id: string) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

/** One step as a form. Its inputs have the paths of the definition as ids. */
export function StepForm(props: StepFormProps) {
  const { step, context, onRename } = props;
  const texts = useTexts(editorTexts);
  const words = useWorkflowTexts();
  return (
    <section className={classes.form} aria-labelledby={`${context.place}-title`}>
      <FormHead
        context={context}
        title={texts.stepTitle(typeText(step.type, words), step.id)}
        order={3}
        id={step.id}
        idLabel={texts.stepId}
        idHint={texts.stepIdHint}
        onRename={onRename}
      />
      <Fields step={step} context={context} />
      <Ways step={step} context={context} />
      {!context.isReadOnly && <Actions {...props} />}
    </section>
  );
}

function Fields({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  switch (step.type) {
    case 'http_request':
      return <RequestFields step={step} context={context} />;
    case 'wait':
      return <WaitFields step={step} context={context} />;
    case 'condition':
      return <ConditionFields step={step} context={context} />;
    case 'update_call':
      return <UpdateCallFields step={step} context={context} />;
    case 'create_call':
      return <CreateCallFields step={step} context={context} />;
    default:
      return (
        <ChoiceInput
          context={context}
          path="type"
          label={texts.type}
          value={step.type}
          options={stepTypes.map((type) => ({ value: type, label: type }))}
        />
      );
  }
}

/** Where the run goes from the step. */
function Ways({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  if (step.type === 'condition') {
    return <TargetInput context={context} path="otherwise" label={texts.otherwise} value={step.otherwise} />;
  }
  return (
    <div className={classes.columns}>
      <TargetInput context={context} path="next" label={texts.next} value={step.next} none={texts.following} />
      <TargetInput
        context={context}
        path="otherwise"
        label={texts.ifItFails}
        value={step.otherwise}
        none={texts.runFails}
      />
    </div>
  );
}

function Actions({ isFirst, isLast, onMove, onRemove }: StepFormProps) {
  const texts = useTexts(editorTexts);
  return (
    <div className={classes.actions}>
      <Button
        size="xs"
        variant="default"
        leftSection={<ArrowUpIcon size={14} />}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        {texts.moveUp}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<ArrowDownIcon size={14} />}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        {texts.moveDown}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="var(--app-bad)"
        leftSection={<TrashIcon size={14} />}
        onClick={onRemove}
      >
        {texts.remove}
      </Button>
    </div>
  );
}
