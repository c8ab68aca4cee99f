import { Switch } from '@mantine/core';
import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { labelOf, meaningOf } from '../field-texts.ts';
import { type FieldRules, placeOf } from '../fields.ts';
import { useAgentTexts } from '../texts.ts';
import { isObject } from '../values.ts';
import { type ControlProps, inputProps } from './control.ts';
import { SliderWithNumber } from './number-control.tsx';

/** Unset, off, or on with its limits. When first turned on, it starts with the examples of the contract. */
export function SpeechRateControl(props: ControlProps) {
  const { field, labelId, value, onChange, isReadOnly } = props;
  const texts = useAgentTexts();
  const { language } = useLanguage();
  const parts = Object.entries(field.rules.parts ?? {});
  const rate = isObject(value) ? value : undefined;
  const turn = (enabled: boolean) => {
    const beginning = parts.flatMap(([name, rules]) => (rules.isOptional ? [] : [[name, rules.example]]));
    onChange({ ...(rate ?? Object.fromEntries(beginning)), enabled });
  };
  return (
    <fieldset className={classes.group as string} aria-labelledby={labelId}>
      <Switch
        {...inputProps(props)}
        checked={rate?.enabled === true}
        onChange={(event) => turn(event.currentTarget.checked)}
        disabled={isReadOnly}
        label={labelOf(`${field.name}.enabled`, language)}
        withThumbIndicator={false}
      />
      {rate === undefined ? (
        <p className={classes.hint}>{texts.rateNotSet}</p>
      ) : (
        <div className={classes.parts}>
          {parts
            .filter(([, { type }]) => type !== 'boolean')
            .map(([name, rules]) => (
              <Part
                key={name}
                {...props}
                part={name}
                rules={rules}
                value={rate[name]}
                onChange={(changed) => onChange(withPart(rate, name, changed))}
              />
            ))}
        </div>
      )}
    </fieldset>
  );
}

function withPart(rate: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _, ...rest } = rate;
  return value === undefined ? rest : { ...rest, [name]: value };
}

function Part({
  field,
  part,
  rules,
  value,
  issues,
  isReadOnly,
  onChange,
}: ControlProps & { readonly part: string; readonly rules: FieldRules }) {
  const texts = useAgentTexts();
  const { language } = useLanguage();
  const path = `${field.name}.${part}`;
  const id = placeOf(path);
  const messages = issues[path];
  const isWhole = rules.type === 'integer';
  return (
    <div>
      <label className={classes.partLabel} htmlFor={id}>
        {labelOf(path, language)}
      </label>
      <p className={classes.partMeaning} id={`${id}-meaning`}>
        {meaningOf(path, rules, language)} {texts.range(String(rules.minimum), String(rules.maximum))}
        {rules.isOptional && value === undefined && ` · ${texts.notSet}`}
      </p>
      <SliderWithNumber
        input={{
          id,
          'aria-describedby': `${id}-meaning ${id}-issues`,
          'aria-invalid': messages && true,
          'aria-required': rules.isOptional ? undefined : true,
        }}
        label={labelOf(path, language)}
        rules={rules}
        step={isWhole ? 1 : 0.05}
        unit={isWhole ? undefined : '×'}
        value={value}
        isReadOnly={isReadOnly}
        onChange={onChange}
      />
      <div id={`${id}-issues`}>{messages && <p className={classes.issue}>{messages.join(' · ')}</p>}</div>
    </div>
  );
}
