import { SegmentedControl, Switch } from '@mantine/core';
import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { optionLabel } from '../field-texts.ts';
import { useAgentTexts } from '../texts.ts';
import { type ControlProps, inputProps } from './control.ts';

export function ChoiceControl(props: ControlProps) {
  const texts = useAgentTexts();
  const { language } = useLanguage();
  const { field, value, onChange, isReadOnly } = props;
  return (
    <select
      {...inputProps(props)}
      className={classes.input}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      disabled={isReadOnly}
    >
      {field.rules.isNullable && <option value="">{texts.neutral}</option>}
      {field.rules.options?.map((option) => (
        <option key={option} value={option}>
          {optionLabel(option, language)}
        </option>
      ))}
    </select>
  );
}

export function SegmentsControl(props: ControlProps) {
  const { language } = useLanguage();
  const { field, id, labelId, describedBy, value, onChange, isReadOnly } = props;
  return (
    <SegmentedControl
      id={id}
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      data={(field.rules.options ?? []).map((option) => ({ value: option, label: optionLabel(option, language) }))}
      value={String(value)}
      onChange={onChange}
      disabled={isReadOnly}
    />
  );
}

export function SwitchControl(props: ControlProps) {
  const texts = useAgentTexts();
  const { value, onChange, isReadOnly, labelId } = props;
  return (
    <Switch
      {...inputProps(props)}
      aria-labelledby={labelId}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
      disabled={isReadOnly}
      label={value === true ? texts.yes : texts.no}
      withThumbIndicator={false}
    />
  );
}
