import { ActionIcon, Button } from '@mantine/core';
import { type ReactNode, useId, useRef } from 'react';
import { PlusIcon, TrashIcon } from '../../../icons.tsx';
import { useTexts } from '../../../language/language.tsx';
import controls from '../../../parts/controls.module.css';
import inputs from '../../../parts/form-inputs.module.css';
import {
  attributes,
  ChoiceInput,
  type FormContext,
  JsonInput,
  messagesAt,
  TextInput,
} from '../../../parts/form-inputs.tsx';
import { isRecord } from '../../../parts/json-value.ts';
import { fieldValue } from '../../../workflows/completions.ts';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { opText } from '../../../workflows/words.ts';
import classes from './editor.module.css';
import { useStepOffers } from './editor-context.ts';
import {
  isLeaf,
  type Leaf,
  newLeaf,
  operators,
  typedValue,
  valuesOfField,
  valueTyped,
  withField,
  withOperator,
} from './filter-values.ts';
import { editorTexts } from './texts.ts';

interface FilterInputProps {
  readonly context: FormContext;
  readonly path: string;
  readonly value: unknown;
  readonly label: string;
  /** Whether there may be no condition. */
  readonly isOptional?: boolean;
}

/** A filter as conditions in groups: all of them, any of them, or none. */
export function FilterInput({ context, path, value, label, isOptional = false }: FilterInputProps) {
  const texts = useTexts(editorTexts);
  const addButton = useRef<HTMLButtonElement>(null);
  const set = (next: unknown) => context.set(path, next);
  const isNone = value === undefined || value === null;
  const onRemove =
    isOptional && !isNone
      ? () => {
          set(undefined);
          setTimeout(() => addButton.current?.focus());
        }
      : null;
  return (
    <fieldset className={classes.filter} id={`${context.place}.${path}`} tabIndex={-1}>
      <legend className={inputs.label}>{label}</legend>
      {isNone ? (
        <>
          <p className={inputs.hint}>{texts.noFilter}</p>
          {messagesAt(context, path).map((message) => (
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
              onClick={() => set(newLeaf)}
            >
              {texts.addCondition}
            </Button>
          )}
        </>
      ) : (
        <Part context={context} path={path} filter={value} depth={1} onChange={set} onRemove={onRemove} isTop />
      )}
    </fieldset>
  );
}

interface PartProps {
  readonly context: FormContext;
  readonly path: string;
  readonly filter: unknown;
  readonly depth: number;
  readonly isTop?: boolean;
  readonly onChange: (filter: unknown) => void;
  /** Null if it has to stay. */
  readonly onRemove: (() => void) | null;
}

function Part(props: PartProps) {
  const texts = useTexts(editorTexts);
  const { context, path, filter, isTop = false, onChange } = props;
  if (isLeaf(filter)) {
    return (
      <>
        <LeafInput {...props} leaf={filter} />
        {isTop && !context.isReadOnly && (
          <AddButtons
            onAdd={() => onChange({ all: [filter, newLeaf] })}
            onGroup={() => onChange({ all: [filter, { any: [newLeaf] }] })}
          />
        )}
      </>
    );
  }
  if (!isRecord(filter)) return <JsonInput context={context} path={path} label={texts.asJson} value={filter} />;
  if (Array.isArray(filter.all)) return <Group {...props} operator="all" items={filter.all} />;
  if (Array.isArray(filter.any)) return <Group {...props} operator="any" items={filter.any} />;
  if (filter.not !== undefined) return <Negation {...props} inner={filter.not} />;
  return <JsonInput context={context} path={path} label={texts.asJson} value={filter} />;
}

type Operator = 'all' | 'any' | 'not';

interface GroupProps extends PartProps {
  readonly operator: 'all' | 'any';
  readonly items: readonly unknown[];
  /** “None of these” is “not any of these”. */
  readonly isNegated?: boolean;
}

const maxDepth = 5;

function Group({ context, path, depth, operator, items, isNegated = false, onChange, onRemove }: GroupProps) {
  const change = (next: readonly unknown[]) =>
    onChange(isNegated ? { not: { [operator]: next } } : { [operator]: next });
  const inner = isNegated ? `${path}.not` : path;
  const box = useRef<HTMLDivElement>(null);
  const remove = (index: number) => {
    const left = items.filter((_, other) => other !== index);
    if (left.length > 0) change(left);
    else onRemove?.();
    // The button that had the focus is gone.
    setTimeout(() => box.current?.querySelector('select')?.focus());
  };
  const addGroup = () => change([...items, { [operator === 'all' ? 'any' : 'all']: [newLeaf] }]);
  return (
    <div className={classes.group} ref={box}>
      <GroupHead
        operator={isNegated ? 'not' : operator}
        isReadOnly={context.isReadOnly}
        onOperator={(next) => onChange(next === 'not' ? { not: { any: items } } : { [next]: items })}
        onRemove={depth === 1 ? null : onRemove}
      />
      {items.map((item, index) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is what is at its position.
          key={index}
          context={context}
          path={`${inner}.${operator}.${index}`}
          filter={item}
          depth={depth + (isNegated ? 2 : 1)}
          onChange={(next) => change(items.with(index, next))}
          onRemove={items.length > 1 || onRemove !== null ? () => remove(index) : null}
        />
      ))}
      <FieldIssues context={context} path={path} />
      {!context.isReadOnly && (
        <AddButtons onAdd={() => change([...items, newLeaf])} onGroup={depth + 1 < maxDepth ? addGroup : null} />
      )}
    </div>
  );
}

interface NegationProps extends PartProps {
  readonly inner: unknown;
}

function Negation({ inner, ...props }: NegationProps) {
  const { context, path, depth, onChange, onRemove } = props;
  if (isRecord(inner) && Array.isArray(inner.any))
    return <Group {...props} operator="any" items={inner.any} isNegated />;
  return (
    <div className={classes.group}>
      <GroupHead
        operator="not"
        isReadOnly={context.isReadOnly}
        onOperator={(next) => onChange(next === 'not' ? { not: inner } : { [next]: [inner] })}
        onRemove={onRemove}
      />
      <Part
        context={context}
        path={`${path}.not`}
        filter={inner}
        depth={depth + 1}
        onChange={(next) => onChange({ not: next })}
        onRemove={null}
      />
    </div>
  );
}

interface GroupHeadProps {
  readonly operator: Operator;
  readonly isReadOnly: boolean;
  readonly onOperator: (operator: Operator) => void;
  readonly onRemove: (() => void) | null;
}

function GroupHead({ operator, isReadOnly, onOperator, onRemove }: GroupHeadProps) {
  const texts = useTexts(editorTexts);
  return (
    <div className={classes.groupHead}>
      <select
        className={controls.input}
        aria-label={texts.groupOperator}
        value={operator}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => onOperator(currentTarget.value as Operator)}
      >
        <option value="all">{texts.allOf}</option>
        <option value="any">{texts.anyOf}</option>
        <option value="not">{texts.noneOf}</option>
      </select>
      {onRemove !== null && !isReadOnly && <RemoveButton label={texts.removeGroup} onClick={onRemove} />}
    </div>
  );
}

function AddButtons({ onAdd, onGroup }: { readonly onAdd: () => void; readonly onGroup: (() => void) | null }) {
  const texts = useTexts(editorTexts);
  return (
    <div className={classes.adds}>
      <Button size="compact-xs" variant="default" leftSection={<PlusIcon size={14} />} onClick={onAdd}>
        {texts.addCondition}
      </Button>
      {onGroup !== null && (
        <Button size="compact-xs" variant="subtle" leftSection={<PlusIcon size={14} />} onClick={onGroup}>
          {texts.addGroup}
        </Button>
      )}
    </div>
  );
}

function RemoveButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
      <TrashIcon size={14} />
    </ActionIcon>
  );
}

/** What is wrong with a group itself, not with its conditions. */
function FieldIssues({ context, path }: { readonly context: FormContext; readonly path: string }) {
  const own = context.findings.filter((finding) => finding.path === path);
  return own.map(({ message }) => (
    <p key={message} className={inputs.issue}>
      {context.say(message)}
    </p>
  ));
}

interface LeafInputProps extends PartProps {
  readonly leaf: Leaf;
}

function LeafInput({ context, path, leaf, onChange, onRemove }: LeafInputProps) {
  const texts = useTexts(editorTexts);
  const words = useWorkflowTexts();
  const { fields } = useStepOffers();
  const at = (part: keyof Leaf) => `${path}.${part}`;
  const whole = context.findings.filter((finding) => finding.path === path);
  return (
    <div className={classes.leaf}>
      <TextInput
        context={{ ...context, set: (_, field) => onChange(withField(leaf, String(field))) }}
        path={at('field')}
        label={texts.field}
        value={leaf.field}
        suggestions={fields}
      />
      <ChoiceInput
        context={{ ...context, set: (_, op) => onChange(withOperator(leaf, String(op))) }}
        path={at('op')}
        label={texts.operator}
        value={leaf.op}
        options={operators.map((op) => ({ value: op, label: opText(op, words) }))}
      />
      <ValueInput context={context} path={at('value')} leaf={leaf} onChange={onChange} />
      {onRemove !== null && !context.isReadOnly && (
        <RemoveButton label={texts.removeCondition(leaf.field)} onClick={onRemove} />
      )}
      <InCall field={leaf.field} />
      {whole.map(({ message }) => (
        <p key={message} className={inputs.issue}>
          {context.say(message)}
        </p>
      ))}
    </div>
  );
}

interface ValueInputProps {
  readonly context: FormContext;
  readonly path: string;
  readonly leaf: Leaf;
  readonly onChange: (leaf: Leaf) => void;
}

function ValueInput({ context, path, leaf, onChange }: ValueInputProps): ReactNode {
  const texts = useTexts(editorTexts);
  if (leaf.op === 'exists') {
    return (
      <ChoiceInput
        context={{ ...context, set: (_, value) => onChange({ ...leaf, value: value === 'true' }) }}
        path={path}
        label={texts.value}
        value={String(leaf.value)}
        options={[
          { value: 'true', label: texts.yes },
          { value: 'false', label: texts.no },
        ]}
      />
    );
  }
  return <TypedValue context={context} path={path} leaf={leaf} onChange={onChange} />;
}

/** A text field: what is typed is read as the field takes it. */
function TypedValue({ context, path, leaf, onChange }: ValueInputProps) {
  const texts = useTexts(editorTexts);
  const typed = useRef('');
  const listId = useId();
  const isTyped = JSON.stringify(valueTyped(typed.current, leaf)) === JSON.stringify(leaf.value);
  const messages = messagesAt(context, path);
  const known = valuesOfField(leaf.field);
  return (
    <div className={inputs.input}>
      <label className={inputs.label} htmlFor={`${context.place}.${path}`}>
        {leaf.op === 'in' ? texts.valuesOfIn : texts.value}
      </label>
      <input
        {...attributes(context, path)}
        type="text"
        className={controls.input}
        value={isTyped ? typed.current : typedValue(leaf.value)}
        readOnly={context.isReadOnly}
        autoComplete="off"
        spellCheck={false}
        list={known.length > 0 ? listId : undefined}
        onChange={({ currentTarget }) => {
          typed.current = currentTarget.value;
          onChange({ ...leaf, value: valueTyped(currentTarget.value, leaf) });
        }}
      />
      {known.length > 0 && (
        <datalist id={listId}>
          {known.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      <div id={`${context.place}.${path}-issues`}>
        {messages.length > 0 && <p className={inputs.issue}>{messages.join(' · ')}</p>}
      </div>
    </div>
  );
}

/** What the field is in the chosen call. */
function InCall({ field }: { readonly field: string }) {
  const texts = useTexts(editorTexts);
  const { call } = useStepOffers();
  if (call === null || field.startsWith('steps.')) return null;
  const value = fieldValue(call, field);
  return <p className={classes.inCall}>{value === undefined ? texts.notInCall : texts.inCall(typedValue(value))}</p>;
}
