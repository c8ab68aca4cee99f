import { Title, type TitleOrder } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLanguage } from '../language/language.tsx';
import controls from './controls.module.css';
import classes from './form-inputs.module.css';
import { textOf } from './json-value.ts';

/** What all inputs of a form know, such as that of a skill of a flow or a step of a workflow. */
export interface FormContext {
  /** The prefix of their ids, so that problems can lead to them. */
  readonly place: string;
  /** What is wrong, by its place in the form. */
  readonly findings: readonly { readonly path: string; readonly message: string }[];
  readonly isReadOnly: boolean;
  /** A message of the service in the language of the user. */
  readonly say: (message: string) => string;
  readonly set: (path: string, value: unknown) => void;
}

export interface InputProps {
  readonly context: FormContext;
  /** In the form, such as `routes.0.next`. */
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
}

/** A label, its input and what is wrong with it. */
export function Labelled({ context, path, label, hint, children }: InputProps & { readonly children: ReactNode }) {
  const id = `${context.place}.${path}`;
  const messages = messagesAt(context, path);
  return (
    <div className={classes.input}>
      <label className={classes.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {hint !== undefined && <p className={classes.hint}>{hint}</p>}
      <div id={`${id}-issues`}>{messages.length > 0 && <p className={classes.issue}>{messages.join(' · ')}</p>}</div>
    </div>
  );
}

/** Also what is wrong inside, such as one of many phrases. */
export function messagesAt({ findings, say }: FormContext, path: string): readonly string[] {
  const at = findings.filter((finding) => finding.path === path || finding.path.startsWith(`${path}.`));
  return [...new Set(at.map(({ message }) => say(message)))];
}

export function attributes(context: FormContext, path: string) {
  const id = `${context.place}.${path}`;
  const isInvalid = messagesAt(context, path).length > 0;
  return { id, 'aria-describedby': `${id}-issues`, 'aria-invalid': isInvalid || undefined } as const;
}

interface TextInputProps extends InputProps {
  readonly value: unknown;
  readonly rows?: number;
  /** Whether an empty text is removed. */
  readonly isOptional?: boolean;
  readonly suggestions?: readonly string[];
}

export function TextInput({ value, rows = 0, isOptional = false, suggestions, ...props }: TextInputProps) {
  const { context, path } = props;
  const shared = {
    ...attributes(context, path),
    className: controls.input,
    value: typeof value === 'string' ? value : '',
    readOnly: context.isReadOnly,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      context.set(path, currentTarget.value === '' && isOptional ? undefined : currentTarget.value),
  };
  const list = `${context.place}.${path}-list`;
  return (
    <Labelled {...props}>
      {rows > 0 ? (
        <textarea {...shared} rows={rows} />
      ) : (
        <input {...shared} type="text" autoComplete="off" spellCheck={false} list={suggestions && list} />
      )}
      {suggestions !== undefined && (
        <datalist id={list}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </Labelled>
  );
}

interface ChoiceInputProps extends InputProps {
  readonly value: unknown;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A value that is none of the options stays one. */
export function ChoiceInput({ value, options, ...props }: ChoiceInputProps) {
  const { context, path } = props;
  const current = typeof value === 'string' ? value : '';
  const isKnown = options.some((option) => option.value === current);
  return (
    <Labelled {...props}>
      <select
        {...attributes(context, path)}
        className={controls.input}
        value={current}
        disabled={context.isReadOnly}
        onChange={({ currentTarget }) =>
          context.set(path, currentTarget.value === '' ? undefined : currentTarget.value)
        }
      >
        {!isKnown && <option value={current}>{current}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface FormHeadProps {
  readonly context: FormContext;
  readonly title: string;
  readonly order: TitleOrder;
  readonly id: unknown;
  readonly idLabel: string;
  readonly idHint: string;
  readonly onRename: (id: string) => void;
}

/** The head of the form of a step: its title, what is wrong with the step as a whole, and its id. */
export function FormHead({ context, title, order, id, idLabel, idHint, onRename }: FormHeadProps) {
  const whole = context.findings.filter(({ path }) => path === '');
  return (
    <>
      <Title order={order} size="h5" id={`${context.place}-title`}>
        {title}
      </Title>
      <div id={context.place} tabIndex={-1} className={classes.whole}>
        {whole.map(({ message }) => (
          <p key={message} className={classes.issue}>
            {context.say(message)}
          </p>
        ))}
      </div>
      <TextInput
        context={{ ...context, set: (_, next) => onRename(textOf(next)) }}
        path="id"
        label={idLabel}
        hint={idHint}
        value={id}
      />
    </>
  );
}

/** A list of texts, one per line. */
export function LinesInput({ value, ...props }: InputProps & { readonly value: unknown }) {
  const { context, path } = props;
  const stored = Array.isArray(value) ? value.map(String) : [];
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(lines(typed)) === JSON.stringify(stored);
  return (
    <Labelled {...props}>
      <textarea
        {...attributes(context, path)}
        className={controls.input}
        rows={2}
        value={isTyped ? typed : stored.join('\n')}
        readOnly={context.isReadOnly}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          context.set(path, lines(currentTarget.value));
        }}
      />
    </Labelled>
  );
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

interface NumberInputProps extends InputProps {
  readonly value: unknown;
  readonly min: number;
  readonly max: number;
  readonly placeholder: string;
  /** Default: whole numbers. */
  readonly step?: number;
}

export function NumberInput({ value, min, max, placeholder, step, ...props }: NumberInputProps) {
  const { context, path } = props;
  return (
    <Labelled {...props}>
      <input
        {...attributes(context, path)}
        className={controls.input}
        type="number"
        min={min}
        max={max}
        step={step}
        placeholder={placeholder}
        value={typeof value === 'number' ? value : ''}
        readOnly={context.isReadOnly}
        onChange={({ currentTarget }) =>
          context.set(path, currentTarget.value === '' ? undefined : Number(currentTarget.value))
        }
      />
    </Labelled>
  );
}

export function CheckInput({ context, path, label, value }: InputProps & { readonly value: boolean }) {
  return (
    <label className={classes.check}>
      <input
        type="checkbox"
        id={`${context.place}.${path}`}
        checked={value}
        disabled={context.isReadOnly}
        onChange={({ currentTarget }) => context.set(path, currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** Kept as typed until it can be read. */
export function JsonInput({ value, ...props }: InputProps & { readonly value: unknown }) {
  const { texts } = useLanguage();
  const { context, path } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const isBroken = typed !== null && read(typed) === undefined;
  return (
    <Labelled {...props}>
      <textarea
        {...attributes(context, path)}
        {...(isBroken && { 'aria-invalid': true })}
        className={`${controls.input} ${controls.json}`}
        rows={2}
        spellCheck={false}
        value={typed ?? JSON.stringify(value ?? {}, null, 2)}
        readOnly={context.isReadOnly}
        onBlur={() => !isBroken && setTyped(null)}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          const changed = read(currentTarget.value);
          if (changed !== undefined) context.set(path, changed);
        }}
      />
      {isBroken && <p className={classes.issue}>{texts.invalidJson}</p>}
    </Labelled>
  );
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
