import { useState } from 'react';
import classes from '../../../parts/controls.module.css';
import { useAgentTexts } from '../texts.ts';
import { isSame, Unreadable } from '../values.ts';
import { type ControlProps, inputProps } from './control.ts';

/** Keeps the text as typed as long as it matches the value of the form. */
export function JsonControl(props: ControlProps) {
  const { value, onChange, isReadOnly } = props;
  const texts = useAgentTexts();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && isSame(read(typed), value) ? typed : textOf(value);
  return (
    <>
      <textarea
        {...inputProps(props)}
        className={`${classes.input} ${classes.json}`}
        rows={3}
        value={shown}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          onChange(read(event.currentTarget.value));
        }}
        readOnly={isReadOnly}
        spellCheck={false}
        autoComplete="off"
      />
      <p className={classes.hint}>{texts.jsonHint}</p>
    </>
  );
}

function read(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    // Null removes an optional field, so it is the same as empty.
    return JSON.parse(text) ?? undefined;
  } catch {
    return new Unreadable(text);
  }
}

function textOf(value: unknown): string {
  if (value instanceof Unreadable) return value.text;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
