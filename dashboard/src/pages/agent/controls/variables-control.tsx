import { Button, UnstyledButton } from '@mantine/core';
import { useRef } from 'react';
import { PlusIcon, TrashIcon } from '../../../icons.tsx';
import { useTexts } from '../../../language/language.tsx';
import { inBothLanguages } from '../../../language/texts.ts';
import classes from '../../../parts/controls.module.css';
import { isObject } from '../values.ts';
import type { ControlProps } from './control.ts';
import { JsonControl } from './json-control.tsx';
import { rowsOf } from './row-actions.tsx';

const variablesTexts = inBothLanguages(
  {
    none: 'No variables.',
    add: 'Add a variable',
    name: 'Name',
    value: 'Default',
    example: 'Example',
    description: 'Description',
    variable: (number: string, label: string) => `Variable ${number}: ${label}`,
    remove: (name: string) => `Remove variable ${name}`,
    valuePlaceholder: 'none',
  },
  {
    none: '変数はありません。',
    add: '変数を追加',
    name: '名前',
    value: '既定値',
    example: '例',
    description: '説明',
    variable: (number, label) => `変数${number}：${label}`,
    remove: (name) => `変数${name}を削除`,
    valuePlaceholder: 'なし',
  },
);

/** What the service and "Try" read. An item may have more, which stays. */
interface Variable extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

const parts = ['name', 'value', 'example', 'description'] as const;
type Part = (typeof parts)[number];

/** The variables of an agent as rows. A list that has anything else in it is shown as JSON. */
export function VariablesControl(props: ControlProps) {
  const { value } = props;
  const isShown = value === undefined || (Array.isArray(value) && value.every(isVariable));
  return isShown ? <Variables {...props} /> : <JsonControl {...props} />;
}

function isVariable(item: unknown): item is Variable {
  return isObject(item) && typeof item.name === 'string' && parts.every((part) => !isDeep(item[part]));
}

function isDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function Variables({ id, labelId, describedBy, value, isReadOnly, onChange }: ControlProps) {
  const texts = useTexts(variablesTexts);
  const addButton = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { rows, add, change } = rowsOf<Variable>(value, onChange);
  const remove = (index: number) => {
    const left = rows.filter((_, place) => place !== index);
    onChange(left.length === 0 ? undefined : left);
    // The button that had the focus is gone.
    addButton.current?.focus();
  };
  return (
    <fieldset className={classes.group as string} aria-labelledby={labelId} aria-describedby={describedBy}>
      {rows.length === 0 ? (
        <p className={classes.empty}>{texts.none}</p>
      ) : (
        <div className={classes.variableTitles} aria-hidden="true">
          {parts.map((part) => (
            <span key={part}>{texts[part]}</span>
          ))}
        </div>
      )}
      <ul className={classes.findings} ref={list}>
        {rows.map((variable, index) => (
          // Names may be empty or duplicated while editing, so the index is the only stable key.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above.
          <li key={index} className={classes.variable}>
            {parts.map((part) => (
              <VariablePart
                key={part}
                part={part}
                number={String(index + 1)}
                variable={variable}
                isReadOnly={isReadOnly}
                onChange={(changed) => change(index, changed)}
              />
            ))}
            {!isReadOnly && (
              <UnstyledButton
                className={classes.small as string}
                aria-label={texts.remove(variable.name || String(index + 1))}
                onClick={() => remove(index)}
              >
                <TrashIcon size={16} />
              </UnstyledButton>
            )}
          </li>
        ))}
      </ul>
      <Button
        ref={addButton}
        id={id}
        variant="default"
        leftSection={<PlusIcon size={16} />}
        disabled={isReadOnly}
        onClick={() => {
          add({ name: '' });
          setTimeout(() => list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus());
        }}
      >
        {texts.add}
      </Button>
    </fieldset>
  );
}

interface VariablePartProps {
  readonly part: Part;
  readonly number: string;
  readonly variable: Variable;
  readonly isReadOnly: boolean;
  readonly onChange: (variable: Variable) => void;
}

function VariablePart({ part, number, variable, isReadOnly, onChange }: VariablePartProps) {
  const texts = useTexts(variablesTexts);
  const value = variable[part];
  return (
    <label className={classes.variablePart}>
      <span className={classes.variableLabel}>{texts[part]}</span>
      <input
        type="text"
        className={classes.input}
        aria-label={texts.variable(number, texts[part])}
        placeholder={part === 'value' ? texts.valuePlaceholder : undefined}
        value={value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)}
        readOnly={isReadOnly}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => onChange(withPart(variable, part, currentTarget.value))}
      />
    </label>
  );
}

/** A number, true or false stays one; what was a text stays a text. Nothing removes the part, except the name. */
function withPart(variable: Variable, part: Part, text: string): Variable {
  if (part === 'name') return { ...variable, name: text };
  if (text === '') return Object.fromEntries(Object.entries(variable).filter(([name]) => name !== part)) as Variable;
  const before = variable[part];
  return { ...variable, [part]: before === undefined || typeof before === 'string' ? text : scalarOf(text, before) };
}

function scalarOf(text: string, before: unknown): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === typeof before ? value : text;
  } catch {
    return text;
  }
}
