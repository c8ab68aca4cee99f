import { ActionIcon, Button } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { PlusIcon, TrashIcon } from '../../../icons.tsx';
import { useTexts } from '../../../language/language.tsx';
import controls from '../../../parts/controls.module.css';
import inputs from '../../../parts/form-inputs.module.css';
import { attributes, type FormContext, messagesAt } from '../../../parts/form-inputs.tsx';
import { isRecord } from '../../../parts/json-value.ts';
import classes from './editor.module.css';
import { TemplateText } from './template-text.tsx';
import { editorTexts } from './texts.ts';

export interface PairsInputProps {
  readonly context: FormContext;
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: unknown;
  readonly nameLabel: string;
  readonly addLabel: string;
  readonly acceptsSecrets?: boolean;
  /** Beside the value of a row, such as a menu that fills it in. */
  readonly extra?: (value: string, onChange: (value: string) => void) => ReactNode;
}

interface Pair {
  readonly name: string;
  readonly value: unknown;
}

/** An object as rows of a name and a text. Values that are no texts are shown as JSON, and keep their type. */
export function PairsInput(props: PairsInputProps) {
  const { context, path, label, hint, value, addLabel } = props;
  const addButton = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState<readonly Pair[] | null>(null);
  const stored = Object.entries(isRecord(value) ? value : {}).map(([name, each]): Pair => ({ name, value: each }));
  // Rows without a name, or with the name of another, are only here.
  const isTyped = typed !== null && JSON.stringify(objectOf(typed)) === JSON.stringify(objectOf(stored));
  const pairs = isTyped ? typed : stored;
  const change = (next: readonly Pair[]) => {
    setTyped(next);
    context.set(path, next.some(({ name }) => name !== '') ? objectOf(next) : undefined);
  };
  const own = messagesAt(context, path);
  const ofRows = new Set(pairs.flatMap(({ name }) => messagesAt(context, `${path}.${name}`)));
  return (
    <fieldset className={classes.pairs} id={`${context.place}.${path}`} tabIndex={-1}>
      <legend className={inputs.label}>{label}</legend>
      {hint !== undefined && <p className={inputs.hint}>{hint}</p>}
      {pairs.map((pair, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is what is at its position.
          key={index}
          {...props}
          pair={pair}
          index={index}
          onChange={(changed) => change(pairs.with(index, changed))}
          onRemove={() => {
            change(pairs.filter((_, other) => other !== index));
            // The button that had the focus is gone.
            addButton.current?.focus();
          }}
        />
      ))}
      {own
        .filter((message) => !ofRows.has(message))
        .map((message) => (
          <p key={message} className={inputs.issue}>
            {message}
          </p>
        ))}
      {!context.isReadOnly && (
        <Button
          ref={addButton}
          size="compact-xs"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={() => change([...pairs, { name: '', value: '' }])}
        >
          {addLabel}
        </Button>
      )}
    </fieldset>
  );
}

interface RowProps extends PairsInputProps {
  readonly pair: Pair;
  readonly index: number;
  readonly onChange: (pair: Pair) => void;
  readonly onRemove: () => void;
}

function Row({ context, path, nameLabel, acceptsSecrets = false, extra, pair, index, onChange, onRemove }: RowProps) {
  const texts = useTexts(editorTexts);
  const at = `${path}.${pair.name}`;
  const { 'aria-invalid': isInvalid = false } = pair.name === '' ? {} : attributes(context, at);
  const messages = pair.name === '' ? [] : messagesAt(context, at);
  const id = `${context.place}.${at}`;
  const shown = typeof pair.value === 'string' ? pair.value : JSON.stringify(pair.value);
  const setValue = (value: string) =>
    onChange({ ...pair, value: typeof pair.value === 'string' ? value : read(value) });
  return (
    <div className={classes.pair}>
      <input
        type="text"
        className={controls.input}
        aria-label={texts.rowLabel(nameLabel, String(index + 1))}
        value={pair.name}
        readOnly={context.isReadOnly}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => onChange({ ...pair, name: currentTarget.value })}
      />
      <TemplateText
        id={pair.name === '' ? `${id}${index}` : id}
        label={texts.rowLabel(texts.value, String(index + 1))}
        value={shown}
        acceptsSecrets={acceptsSecrets}
        isReadOnly={context.isReadOnly}
        isInvalid={isInvalid}
        describedBy={messages.length > 0 ? `${id}-issues` : undefined}
        onChange={setValue}
      />
      {!context.isReadOnly && extra?.(shown, setValue)}
      {!context.isReadOnly && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.removeRow(pair.name === '' ? String(index + 1) : pair.name)}
          onClick={onRemove}
        >
          <TrashIcon size={14} />
        </ActionIcon>
      )}
      {messages.length > 0 && (
        <p id={`${id}-issues`} className={`${inputs.issue} ${classes.pairIssue}`}>
          {messages.join(' · ')}
        </p>
      )}
    </div>
  );
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function objectOf(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
}
