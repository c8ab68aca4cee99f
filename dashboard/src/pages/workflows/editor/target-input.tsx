import { useTexts } from '../../../language/language.tsx';
import { ChoiceInput, type FormContext } from '../../../parts/form-inputs.tsx';
import { end, type Step } from '../../../workflows/definition.ts';
import { editorTexts } from './texts.ts';

export interface StepContext extends FormContext {
  /** The ids of the steps that follow. */
  readonly later: readonly string[];
}

export interface StepFieldsProps {
  readonly step: Step;
  readonly context: StepContext;
}

interface TargetInputProps {
  readonly context: StepContext;
  readonly path: string;
  readonly label: string;
  readonly value: unknown;
  /** What it means that nothing is chosen, if that is possible. */
  readonly none?: string;
}

/** One of the steps that follow, or the end. */
export function TargetInput({ context, path, label, value, none }: TargetInputProps) {
  const texts = useTexts(editorTexts);
  const options = [
    ...(none === undefined ? [] : [{ value: '', label: none }]),
    ...context.later.map((id) => ({ value: id, label: id })),
    { value: end, label: texts.endOfRun },
  ];
  return <ChoiceInput context={context} path={path} label={label} value={value} options={options} />;
}
