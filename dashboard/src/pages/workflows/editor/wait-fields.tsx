import { useState } from 'react';
import { useTexts } from '../../../language/language.tsx';
import { ChoiceInput, NumberInput, TextInput } from '../../../parts/form-inputs.tsx';
import classes from './editor.module.css';
import type { StepFieldsProps } from './target-input.tsx';
import { TemplateInput } from './template-inputs.tsx';
import { editorTexts } from './texts.ts';

const kinds = ['seconds', 'at', 'until'] as const;
type Kind = (typeof kinds)[number];

const units = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
type Unit = keyof typeof units;
const unitNames = Object.keys(units) as Unit[];

export function WaitFields({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  const kind = kinds.find((each) => step[each] !== undefined) ?? 'seconds';
  const choose = (next: Kind) => {
    const { seconds: _, at: __, until: ___, timeZone: ____, ...rest } = step;
    const starts = {
      seconds: { seconds: 3600 },
      at: { at: '10:00', timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      until: { until: '{{call.variables.appointmentAt}}' },
    };
    context.set('', { ...rest, ...starts[next] });
  };
  return (
    <>
      <ChoiceInput
        context={{ ...context, findings: [], set: (_, next) => choose(next as Kind) }}
        path="kind"
        label={texts.waitKind}
        value={kind}
        options={kinds.map((each) => ({ value: each, label: texts[`wait_${each}`] }))}
      />
      {kind === 'seconds' && <Length step={step} context={context} />}
      {kind === 'at' && (
        <div className={classes.columns}>
          <TemplateInput context={context} path="at" label={texts.timeOfDay} value={step.at} />
          <TextInput
            context={context}
            path="timeZone"
            label={texts.timeZone}
            value={step.timeZone ?? ''}
            isOptional
            suggestions={Intl.supportedValuesOf('timeZone')}
          />
        </div>
      )}
      {kind === 'until' && (
        <TemplateInput
          context={context}
          path="until"
          label={texts.untilTime}
          hint={texts.untilHint}
          value={step.until}
        />
      )}
    </>
  );
}

/** In the largest unit in which it is a whole number, unless another one was chosen. */
function Length({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  const seconds = typeof step.seconds === 'number' ? step.seconds : undefined;
  const [chosen, setChosen] = useState<Unit | null>(null);
  const usual = unitNames.findLast((name) => seconds !== undefined && seconds % units[name] === 0) ?? 'minutes';
  const unit = chosen ?? usual;
  return (
    <div className={classes.columns}>
      <NumberInput
        context={{
          ...context,
          set: (path, value) => {
            setChosen(unit);
            context.set(path, typeof value === 'number' ? Math.round(value * units[unit]) : undefined);
          },
        }}
        path="seconds"
        label={texts.length}
        value={seconds === undefined ? undefined : seconds / units[unit]}
        min={1}
        max={(30 * units.days) / units[unit]}
        placeholder="1"
      />
      <ChoiceInput
        context={{
          ...context,
          findings: [],
          set: (_, next) => {
            setChosen(next as Unit);
            if (seconds !== undefined)
              context.set('seconds', Math.round((seconds / units[unit]) * units[next as Unit]));
          },
        }}
        path="unit"
        label={texts.unit}
        value={unit}
        options={unitNames.map((name) => ({ value: name, label: texts[name] }))}
      />
    </div>
  );
}
