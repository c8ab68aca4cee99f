import { Slider } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import { duration } from '../duration.ts';
import { labelOf } from '../field-texts.ts';
import type { FieldRules } from '../fields.ts';
import { useAgentTexts } from '../texts.ts';
import { Unreadable } from '../values.ts';
import { type ControlProps, inputProps } from './control.ts';

interface NumberInputProps {
  readonly input: ReturnType<typeof inputProps> & { readonly 'aria-label'?: string };
  readonly rules: FieldRules;
  readonly step: number;
  readonly unit?: string | undefined;
  readonly value: unknown;
  readonly isReadOnly: boolean;
  readonly onChange: (value: unknown) => void;
}

/** Keeps the text as typed ("1." on the way to "1.5"); the value is set once it parses as a number. */
export function NumberInput({ input, rules, step, unit, value, isReadOnly, onChange }: NumberInputProps) {
  const [typed, setTyped] = useState('');
  const shown = typed !== '' && isRead(typed, value) ? typed : textOf(value);
  const change = (text: string) => {
    setTyped(text);
    onChange(read(text, rules));
  };
  const stepBy = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined || typeof value !== 'number' || isReadOnly) return;
    event.preventDefault();
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = rules;
    change(String(Math.min(maximum, Math.max(minimum, rounded(value + direction * step)))));
  };
  return (
    <div className={classes.number} data-has-unit={unit}>
      <input
        {...input}
        className={classes.input}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={shown}
        onChange={(event) => change(event.currentTarget.value)}
        onBlur={() => setTyped('')}
        onKeyDown={stepBy}
        readOnly={isReadOnly}
      />
      {unit !== undefined && (
        <span className={classes.unit} aria-hidden="true">
          {unit}
        </span>
      )}
    </div>
  );
}

function read(text: string, rules: FieldRules): unknown {
  const trimmed = text.trim();
  if (trimmed === '' && rules.isOptional) return undefined;
  const number = Number(trimmed);
  return trimmed === '' || !Number.isFinite(number) ? new Unreadable(text) : number;
}

function isRead(text: string, value: unknown): boolean {
  return value instanceof Unreadable ? value.text === text : Number(text) === value;
}

function textOf(value: unknown): string {
  if (value instanceof Unreadable) return value.text;
  return value === undefined || value === null ? '' : String(value);
}

/** Avoids floating-point noise, such as 0.1 + 0.2. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function useUnit(unit: ControlProps['field']['unit']): string | undefined {
  const texts = useAgentTexts();
  if (unit === 'ms') return texts.unitSeconds;
  return unit === 'times' ? texts.unitTimes : unit;
}

interface Scaled {
  readonly rules: FieldRules;
  readonly step: number;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Milliseconds as seconds. Everything else stays as it is. */
function scaled({ field, value, onChange }: ControlProps): Scaled {
  const { rules, step = 0.05, unit } = field;
  if (unit !== 'ms') return { rules, step, value, onChange };
  const { minimum, maximum } = rules;
  return {
    rules: {
      ...rules,
      ...(minimum !== undefined && { minimum: minimum / 1000 }),
      ...(maximum !== undefined && { maximum: maximum / 1000 }),
    },
    step: step / 1000,
    value: typeof value === 'number' ? rounded(value / 1000) : value,
    onChange: (changed) => onChange(typeof changed === 'number' ? rounded(changed * 1000) : changed),
  };
}

export function NumberControl(props: ControlProps) {
  const unit = useUnit(props.field.unit);
  return (
    <div className={classes.narrowNumber}>
      <NumberInput input={inputProps(props)} {...scaled(props)} unit={unit} isReadOnly={props.isReadOnly} />
    </div>
  );
}

/** Seconds, with minutes and hours next to them. */
export function DurationControl(props: ControlProps) {
  const texts = useAgentTexts();
  const { language } = useLanguage();
  const { value } = props;
  return (
    <div className={classes.duration}>
      <NumberControl {...props} />
      <span>{typeof value === 'number' && value >= 60_000 && texts.asDuration(duration(value, language))}</span>
    </div>
  );
}

export function SliderControl(props: ControlProps) {
  const { language } = useLanguage();
  const unit = useUnit(props.field.unit);
  return (
    <SliderWithNumber
      input={inputProps(props)}
      label={labelOf(props.field.name, language)}
      {...scaled(props)}
      unit={unit}
      isReadOnly={props.isReadOnly}
    />
  );
}

export function SliderWithNumber({ label, ...rest }: NumberInputProps & { readonly label: string }) {
  const { rules, step, value, isReadOnly, onChange } = rest;
  const { minimum = 0, maximum = 1 } = rules;
  const place = typeof value === 'number' ? Math.min(maximum, Math.max(minimum, value)) : minimum;
  return (
    <div className={classes.slider}>
      <Slider
        min={minimum}
        max={maximum}
        step={step}
        value={place}
        // A value between two steps is valid, so the slider changes it only when the user moves it.
        onChange={(moved) => moved !== place && onChange(rounded(moved))}
        thumbLabel={label}
        label={null}
        size={4}
        thumbSize={16}
        disabled={isReadOnly}
      />
      <NumberInput {...rest} />
    </div>
  );
}
