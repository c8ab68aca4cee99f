import { UnstyledButton } from '@mantine/core';
import { type FocusEvent, memo, type ReactNode, useCallback, useEffect, useRef } from 'react';
import { useLanguage } from '../../language/language.tsx';
import type { Issues } from './checks.ts';
import { AnalysisControl } from './controls/analysis-control.tsx';
import { BeginMessageControl } from './controls/begin-message-control.tsx';
import { ChoiceControl, SegmentsControl, SwitchControl } from './controls/choice-control.tsx';
import type { ControlProps } from './controls/control.ts';
import { JsonControl } from './controls/json-control.tsx';
import { DurationControl, NumberControl, SliderControl } from './controls/number-control.tsx';
import { PronunciationsControl } from './controls/pronunciations-control.tsx';
import { SpeechRateControl } from './controls/speech-rate-control.tsx';
import {
  LanguageControl,
  ModelControl,
  ProviderControl,
  VoiceControl,
  VoiceModelControl,
  VoicesControl,
} from './controls/suggested-control.tsx';
import { LongTextControl, PromptControl, TextControl } from './controls/text-control.tsx';
import { VariablesControl } from './controls/variables-control.tsx';
import { WordsControl } from './controls/words-control.tsx';
import { labelOf, meaningOf } from './field-texts.ts';
import { type ControlKind, type Field, type FieldName, placeOf } from './fields.ts';
import classes from './form.module.css';
import { shortValue } from './shown-value.ts';
import { useAgentTexts } from './texts.ts';
import { defaultOf, isSame } from './values.ts';

const controls: Readonly<Record<ControlKind, (props: ControlProps) => ReactNode>> = {
  text: TextControl,
  voice: VoiceControl,
  language: LanguageControl,
  'voice-model': VoiceModelControl,
  model: ModelControl,
  provider: ProviderControl,
  'long-text': LongTextControl,
  prompt: PromptControl,
  choice: ChoiceControl,
  segments: SegmentsControl,
  switch: SwitchControl,
  number: NumberControl,
  slider: SliderControl,
  duration: DurationControl,
  words: WordsControl,
  voices: VoicesControl,
  pronunciations: PronunciationsControl,
  analysis: AnalysisControl,
  'speech-rate': SpeechRateControl,
  'begin-message': BeginMessageControl,
  variables: VariablesControl,
  json: JsonControl,
};

/** Controls that are too wide to be placed next to their label. */
const wideControls: ReadonlySet<ControlKind> = new Set(['prompt', 'pronunciations', 'analysis', 'variables', 'json']);
/** Controls with a single input that a label can reference; the others are groups of inputs. */
const singleControls: ReadonlySet<ControlKind> = new Set([
  'text',
  'voice',
  'language',
  'voice-model',
  'model',
  'provider',
  'long-text',
  'prompt',
  'choice',
  'switch',
  'number',
  'slider',
  'duration',
  'json',
]);

interface FieldRowProps {
  readonly field: Field;
  readonly value: unknown;
  readonly isChanged: boolean;
  readonly issues: Issues;
  readonly isReadOnly: boolean;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

/** A field with its description, limits, default and reset button. */
export const FieldRow = memo(function FieldRow({
  field,
  value,
  isChanged,
  issues,
  isReadOnly,
  onChange,
}: FieldRowProps) {
  const { language } = useLanguage();
  const texts = useAgentTexts();
  const id = placeOf(field.name);
  const change = useCallback((changed: unknown) => onChange(field.name, changed), [field.name, onChange]);
  const Control = controls[field.control];
  const messages = issues[field.name];
  const isInvalid = Object.keys(issues).length > 0;
  const noteFocus = useKeptFocus(id);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes events of its children.
    <div
      className={classes.row}
      onFocus={noteFocus}
      data-field={field.name}
      data-is-wide={wideControls.has(field.control) || undefined}
      data-is-changed={isChanged || undefined}
      data-is-invalid={isInvalid || undefined}
    >
      <div>
        <Label field={field} isChanged={isChanged} />
        <p className={classes.meaning} id={`${id}-meaning`}>
          {meaningOf(field.name, field.rules, language)}
        </p>
        <Facts field={field} value={value} isReadOnly={isReadOnly} onReset={change} />
      </div>
      <div className={classes.control}>
        <Control
          field={field}
          id={id}
          labelId={`${id}-label`}
          describedBy={`${id}-meaning ${id}-facts ${id}-issues`}
          value={value}
          issues={issues}
          isReadOnly={isReadOnly}
          onChange={change}
        />
        <div id={`${id}-issues`}>
          {messages !== undefined && (
            <p className={classes.issue}>
              <span className="visually-hidden">{labelOf(field.name, language)}: </span>
              {messages.join(' · ')}
            </p>
          )}
        </div>
        {isChanged && <span className="visually-hidden">{texts.changed}</span>}
      </div>
    </div>
  );
});

/** The focused element may be removed by a click, such as "Reset" or the last row of a list. Keep the focus on the field. */
function useKeptFocus(id: string): (event: FocusEvent) => void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    if (last.current === null || last.current.isConnected) return;
    last.current = null;
    if (document.activeElement === document.body) document.getElementById(id)?.focus({ preventScroll: true });
  });
  return useCallback((event) => {
    last.current = event.target;
  }, []);
}

function Label({ field }: Pick<FieldRowProps, 'field' | 'isChanged'>) {
  const { language } = useLanguage();
  const texts = useAgentTexts();
  const id = placeOf(field.name);
  const label = labelOf(field.name, language);
  return (
    <>
      {singleControls.has(field.control) ? (
        <label className={classes.label} id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
      ) : (
        <span className={classes.label} id={`${id}-label`}>
          {label}
        </span>
      )}
      {field.rules.isRequired && <span className={classes.required}>{texts.required}</span>}
    </>
  );
}

interface FactsProps {
  readonly field: Field;
  readonly value: unknown;
  readonly isReadOnly: boolean;
  readonly onReset: (value: unknown) => void;
}

/** The range of a number, other limits once they are close, and the default of what has another value. */
function Facts({ field, value, isReadOnly, onReset }: FactsProps) {
  const { language } = useLanguage();
  const texts = useAgentTexts();
  const usual = defaultOf(field);
  const bounds = useBounds(field, value);
  const isUsual = field.rules.isRequired || isSame(value, usual);
  const facts = [bounds, isUsual ? '' : texts.byDefault(shortValue(usual, field, texts, language))];
  return (
    <p className={classes.facts}>
      <span id={`${placeOf(field.name)}-facts`}>{facts.filter((fact) => fact !== '').join(' · ')}</span>
      {!isUsual && !isReadOnly && (
        <UnstyledButton
          className={classes.reset as string}
          onClick={() => onReset(usual)}
          aria-label={texts.resetField(labelOf(field.name, language))}
        >
          {texts.reset}
        </UnstyledButton>
      )}
    </p>
  );
}

/** The share of a limit from which on it is shown. */
const nearLimit = 0.8;

function useBounds({ rules, unit }: Field, value: unknown): string {
  const texts = useAgentTexts();
  const { format } = useLanguage();
  const { minimum, maximum, maxLength, maxItems } = rules;
  if (minimum !== undefined && maximum !== undefined) {
    const scale = unit === 'ms' ? 1000 : 1;
    const shown = { ms: ` ${texts.unitSeconds}`, times: ` ${texts.unitTimes}`, '×': texts.unitFactor };
    const range = texts.range(format.number(minimum / scale), format.number(maximum / scale));
    return `${range}${unit === undefined ? '' : shown[unit]}`;
  }
  if (maxLength !== undefined && typeof value === 'string' && value.length >= maxLength * nearLimit) {
    return texts.lengthUpTo(format.number(maxLength));
  }
  const isNear = maxItems !== undefined && Array.isArray(value) && value.length >= maxItems * nearLimit;
  return isNear ? texts.itemsUpTo(format.number(maxItems)) : '';
}
