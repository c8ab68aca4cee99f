import { Radio } from '@mantine/core';
import { useState } from 'react';
import classes from '../../../parts/controls.module.css';
import { useAgentTexts } from '../texts.ts';
import { type ControlProps, inputProps } from './control.ts';

/** Null, the empty string and a text mean three different things, so the user chooses between labelled options. */
export function BeginMessageControl(props: ControlProps) {
  const { field, id, labelId, value, onChange, isReadOnly } = props;
  const texts = useAgentTexts();
  const [isWriting, setIsWriting] = useState(false);
  const [lastText, setLastText] = useState('');
  const saysText = typeof value === 'string' && (value !== '' || isWriting);
  const kind = saysText ? 'text' : value === '' ? 'wait' : 'model';
  const choose = (chosen: string) => {
    if (typeof value === 'string' && value !== '') setLastText(value);
    setIsWriting(chosen === 'text');
    if (chosen === 'model') onChange(null);
    else onChange(chosen === 'wait' ? '' : lastText);
  };
  return (
    <div role="radiogroup" aria-labelledby={labelId}>
      <div className={classes.radios}>
        {(
          [
            ['model', texts.modelWrites],
            ['wait', texts.agentWaits],
            ['text', texts.saysThis],
          ] as const
        ).map(([choice, label]) => (
          <Radio
            key={choice}
            id={choice === 'text' ? undefined : `${id}-${choice}`}
            name={field.name}
            label={label}
            checked={kind === choice}
            onChange={() => choose(choice)}
            disabled={isReadOnly}
            size="xs"
          />
        ))}
      </div>
      {kind === 'text' && (
        <textarea
          {...inputProps(props)}
          className={classes.input}
          aria-label={texts.beginMessageText}
          rows={2}
          value={value as string}
          onChange={(event) => {
            setIsWriting(true);
            onChange(event.currentTarget.value);
          }}
          readOnly={isReadOnly}
        />
      )}
    </div>
  );
}
