import { ActionIcon, Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { PlusIcon, TrashIcon } from '../icons.tsx';
import { useTexts } from '../language/language.tsx';
import controls from '../parts/controls.module.css';
import inputs from '../parts/form-inputs.module.css';
import { type FormContext, JsonInput, messagesAt } from '../parts/form-inputs.tsx';
import { textOf } from '../parts/json-value.ts';
import {
  choicesText,
  hasChoices,
  kindOf,
  kinds,
  type Parameter,
  parametersIn,
  withChoices,
  withKind,
  withParameters,
} from './parameters.ts';
import { kindLabel, toolsTexts } from './texts.ts';
import classes from './tools.module.css';

interface ParametersInputProps {
  readonly context: FormContext;
  readonly value: unknown;
}

/** The parameters of a tool as a table, or as the JSON Schema that they are. */
export function ParametersInput({ context, value }: ParametersInputProps) {
  const texts = useTexts(toolsTexts);
  const [wantsJson, setWantsJson] = useState(false);
  const rows = parametersIn(value);
  const isJson = wantsJson || rows === null;
  const messages = messagesAt(context, 'parameters');
  return (
    // The JSON has the id if it is shown.
    <fieldset className={classes.rows} {...(!isJson && { id: `${context.place}.parameters` })} tabIndex={-1}>
      <legend className={classes.legend}>
        <span className={inputs.label}>{texts.parameters}</span>
        {rows !== null && (
          <UnstyledButton className={classes.link as string} onClick={() => setWantsJson(!wantsJson)}>
            {isJson ? texts.asTable : texts.asJson}
          </UnstyledButton>
        )}
      </legend>
      <p className={inputs.hint}>{rows === null ? texts.onlyJson : texts.parametersHint}</p>
      {isJson ? (
        <JsonInput context={{ ...context, findings: [] }} path="parameters" label={texts.jsonSchema} value={value} />
      ) : (
        <ParameterTable
          rows={rows}
          isReadOnly={context.isReadOnly}
          onChange={(next) => context.set('parameters', withParameters(value, next))}
        />
      )}
      {messages.map((message) => (
        <p key={message} className={inputs.issue}>
          {message}
        </p>
      ))}
    </fieldset>
  );
}

interface ParameterTableProps {
  readonly rows: readonly Parameter[];
  readonly isReadOnly: boolean;
  readonly onChange: (rows: readonly Parameter[]) => void;
}

function ParameterTable({ rows: stored, isReadOnly, onChange }: ParameterTableProps) {
  const texts = useTexts(toolsTexts);
  const addButton = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [typed, setTyped] = useState<readonly Parameter[] | null>(null);
  // Rows without a name, or with the name of another, are only here.
  const isTyped = typed !== null && JSON.stringify(named(typed)) === JSON.stringify(stored);
  const rows = isTyped ? typed : stored;
  const change = (next: readonly Parameter[]) => {
    setTyped(next);
    onChange(named(next));
  };
  const add = () => {
    change([...rows, { name: '', schema: { type: 'string' }, isRequired: true }]);
    setTimeout(() => list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus());
  };
  const titles = [texts.name, texts.type, texts.required, texts.choices, texts.description];
  return (
    <>
      {rows.length === 0 ? (
        <p className={controls.empty}>{texts.noParameters}</p>
      ) : (
        <div className={classes.table}>
          <div className={classes.titles} aria-hidden="true">
            {titles.map((title) => (
              <span key={title}>{title}</span>
            ))}
          </div>
          <ul className={classes.list} ref={list}>
            {rows.map((row, index) => (
              <ParameterRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a row is what is at its position.
                key={index}
                row={row}
                number={String(index + 1)}
                issue={issueOf(rows, index, texts)}
                isReadOnly={isReadOnly}
                onChange={(changed) => change(rows.with(index, changed))}
                onRemove={() => {
                  change(rows.filter((_, other) => other !== index));
                  // The button that had the focus is gone.
                  addButton.current?.focus();
                }}
              />
            ))}
          </ul>
        </div>
      )}
      {!isReadOnly && (
        <div>
          <Button
            ref={addButton}
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon size={14} />}
            onClick={add}
          >
            {texts.addParameter}
          </Button>
        </div>
      )}
    </>
  );
}

/** The rows that a schema can have: the first one of each name. */
function named(rows: readonly Parameter[]): readonly Parameter[] {
  return rows.filter(({ name }, index) => name !== '' && rows.findIndex((other) => other.name === name) === index);
}

function issueOf(
  rows: readonly Parameter[],
  index: number,
  texts: { readonly nameless: string; readonly duplicate: string },
): string | null {
  const name = rows[index]?.name;
  if (name === '') return texts.nameless;
  return rows.findIndex((other) => other.name === name) === index ? null : texts.duplicate;
}

interface ParameterRowProps {
  readonly row: Parameter;
  readonly number: string;
  readonly issue: string | null;
  readonly isReadOnly: boolean;
  readonly onChange: (row: Parameter) => void;
  readonly onRemove: () => void;
}

function ParameterRow(props: ParameterRowProps) {
  const texts = useTexts(toolsTexts);
  const { row, number, issue, isReadOnly, onChange, onRemove } = props;
  const { name, schema } = row;
  const label = (part: string) => texts.parameter(number, part);
  return (
    <li className={classes.parameter}>
      <Cell label={texts.name}>
        <input
          type="text"
          className={controls.input}
          aria-label={label(texts.name)}
          aria-invalid={issue !== null || undefined}
          value={name}
          readOnly={isReadOnly}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
        />
      </Cell>
      <Cell label={texts.type}>
        <KindInput {...props} label={label(texts.type)} />
      </Cell>
      <RequiredInput {...props} label={label(texts.required)} />
      <Cell label={texts.choices}>
        <ChoicesInput {...props} label={label(texts.choices)} />
      </Cell>
      <Cell label={texts.description}>
        <input
          type="text"
          className={controls.input}
          aria-label={label(texts.description)}
          value={textOf(schema.description)}
          readOnly={isReadOnly}
          autoComplete="off"
          onChange={({ currentTarget }) => onChange({ ...row, schema: withDescription(schema, currentTarget.value) })}
        />
      </Cell>
      {!isReadOnly && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={texts.removeParameter(name === '' ? number : name)}
          onClick={onRemove}
        >
          <TrashIcon size={16} />
        </ActionIcon>
      )}
      {issue !== null && <p className={`${inputs.issue} ${classes.wide}`}>{issue}</p>}
    </li>
  );
}

/** An input below its title, which is shown only where the table has no head. */
function Cell({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={classes.cell}>
      <CellLabel>{label}</CellLabel>
      {children}
    </div>
  );
}

/** Hidden from screen readers: the label of the input says the same. */
function CellLabel({ children }: { readonly children: ReactNode }) {
  return (
    <span className={classes.cellLabel} aria-hidden="true">
      {children}
    </span>
  );
}

interface RowInputProps extends Pick<ParameterRowProps, 'row' | 'isReadOnly' | 'onChange'> {
  readonly label: string;
}

function KindInput({ row, label, isReadOnly, onChange }: RowInputProps) {
  const texts = useTexts(toolsTexts);
  const kind = kindOf(row.schema);
  return (
    <select
      className={controls.input}
      aria-label={label}
      value={kind}
      disabled={isReadOnly}
      onChange={({ currentTarget }) =>
        onChange({ ...row, schema: withKind(row.schema, currentTarget.value as typeof kind) })
      }
    >
      {[...kinds, ...(kind === 'other' ? [kind] : [])].map((each) => (
        <option key={each} value={each}>
          {kindLabel(each, texts)}
        </option>
      ))}
    </select>
  );
}

function RequiredInput({ row, label, isReadOnly, onChange }: RowInputProps) {
  const texts = useTexts(toolsTexts);
  return (
    <label className={classes.check}>
      <input
        type="checkbox"
        aria-label={label}
        checked={row.isRequired}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => onChange({ ...row, isRequired: currentTarget.checked })}
      />
      <CellLabel>{texts.required}</CellLabel>
    </label>
  );
}

/** Kept as typed: a comma at the end is the start of another value. */
function ChoicesInput({ row, label, isReadOnly, onChange }: RowInputProps) {
  const texts = useTexts(toolsTexts);
  const [typed, setTyped] = useState<string | null>(null);
  const { schema } = row;
  const stored = choicesText(schema);
  const isTyped = typed !== null && JSON.stringify(withChoices(schema, typed)) === JSON.stringify(schema);
  const isPossible = hasChoices(kindOf(schema)) && stored !== null;
  return (
    <input
      type="text"
      className={controls.input}
      aria-label={label}
      placeholder={isPossible ? texts.choicesHint : stored === null ? texts.choicesInJson : '—'}
      value={isTyped ? typed : (stored ?? '')}
      readOnly={isReadOnly}
      disabled={!isPossible}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange({ ...row, schema: withChoices(schema, currentTarget.value) });
      }}
    />
  );
}

function withDescription(schema: Parameter['schema'], text: string): Parameter['schema'] {
  const { description: _, ...rest } = schema;
  return text === '' ? rest : { ...schema, description: text };
}
