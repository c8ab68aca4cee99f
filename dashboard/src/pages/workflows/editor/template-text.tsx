import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useTexts } from '../../../language/language.tsx';
import controls from '../../../parts/controls.module.css';
import { type Completion, completed, matching, type Typed, typedAt } from '../../../workflows/completions.ts';
import classes from './editor.module.css';
import { useStepOffers } from './editor-context.ts';
import { editorTexts } from './texts.ts';

interface TemplateTextProps {
  readonly id: string;
  readonly value: string;
  /** 0: one line. */
  readonly rows?: number;
  readonly isReadOnly: boolean;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  /** For a field that has no visible label. */
  readonly label?: string | undefined;
  readonly acceptsSecrets?: boolean;
  /** A value that is inserted outside of a string becomes a string. */
  readonly isJson?: boolean;
  readonly placeholder?: string | undefined;
  readonly onChange: (value: string) => void;
  readonly onBlur?: () => void;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** A text with templates: `{{` offers the values that can be inserted, each with what it is in the chosen call. */
export function TemplateText(props: TemplateTextProps) {
  const { id, value, rows = 0, isReadOnly, isInvalid, describedBy, label, isJson = false, placeholder } = props;
  const texts = useTexts(editorTexts);
  const field = useRef<Field>(null);
  const completion = useCompletion(props, field);
  const listId = useId();
  const { typed, found, active } = completion;
  const isOpen = typed !== null && found.length > 0;
  const shared = {
    id,
    value,
    placeholder,
    readOnly: isReadOnly,
    className: `${controls.input} ${isJson ? controls.json : ''}`,
    autoComplete: 'off',
    spellCheck: false,
    'aria-label': label,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
    'aria-autocomplete': 'list' as const,
    'aria-controls': isOpen ? listId : undefined,
    'aria-activedescendant': isOpen ? `${listId}-${active}` : undefined,
    onChange: ({ currentTarget }: { currentTarget: Field }) => completion.type(currentTarget),
    onKeyDown: completion.press,
    onClick: ({ currentTarget }: { currentTarget: Field }) => completion.look(currentTarget),
    onBlur: () => {
      completion.close();
      props.onBlur?.();
    },
  };
  return (
    <div className={classes.template}>
      {rows === 0 ? (
        <input {...shared} ref={field as React.RefObject<HTMLInputElement>} type="text" />
      ) : (
        <textarea {...shared} ref={field as React.RefObject<HTMLTextAreaElement>} rows={rows} />
      )}
      {!isReadOnly && (
        <button
          type="button"
          className={classes.insert}
          aria-label={texts.insertValue(label ?? '')}
          title={texts.insert}
          // The field keeps the focus, and with it the place of the caret.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => completion.insert()}
        >
          {'{}'}
        </button>
      )}
      {isOpen && (
        <Options id={listId} found={found} active={active} onChoose={(option) => completion.choose(option.path)} />
      )}
    </div>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly found: readonly Completion[];
  readonly active: number;
  readonly onChoose: (option: Completion) => void;
}

function Options({ id, found, active, onChoose }: OptionsProps) {
  const texts = useTexts(editorTexts);
  return (
    <div
      id={id}
      role="listbox"
      aria-label={texts.values}
      className={classes.options}
      ref={(list) => list?.scrollIntoView({ block: 'nearest' })}
    >
      {found.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose.
        <div
          key={option.path}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classes.option}
          ref={index === active ? (item) => item?.scrollIntoView({ block: 'nearest' }) : undefined}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          <code>{option.path}</code>
          <span>{shownValue(option.value)}</span>
        </div>
      ))}
    </div>
  );
}

const maxShownLength = 80;

function shownValue(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}

function useCompletion(
  { isReadOnly, acceptsSecrets = false, isJson = false, onChange }: TemplateTextProps,
  field: React.RefObject<Field | null>,
) {
  const offers = useStepOffers();
  const [typed, setTyped] = useState<Typed | null>(null);
  const [active, setActive] = useState(0);
  const found =
    typed === null ? [] : matching([...offers.values, ...(acceptsSecrets ? offers.secrets : [])], typed.text);
  const look = (element: Field) => {
    setTyped(isReadOnly ? null : typedAt(element.value, element.selectionStart ?? 0));
    setActive(0);
  };
  const replace = (text: string, caret: number) => {
    onChange(text);
    // After the field has its new text.
    setTimeout(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
      if (field.current !== null) look(field.current);
    });
  };
  const choose = (path: string) => {
    if (typed === null || field.current === null) return;
    const next = completed(field.current.value, field.current.selectionStart ?? 0, typed, path, isJson);
    replace(next.text, next.caret);
  };
  const press = (event: KeyboardEvent) => {
    const option = found[active];
    if (option === undefined) return;
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[event.key];
    if (by !== undefined) setActive((active + by + found.length) % found.length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(option.path);
    else if (event.key === 'Escape') setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    typed,
    found,
    active,
    look,
    choose,
    press,
    close: () => setTyped(null),
    type: (element: Field) => {
      onChange(element.value);
      look(element);
    },
    insert: () => {
      const element = field.current;
      if (element === null) return;
      const caret = element.selectionStart ?? element.value.length;
      replace(`${element.value.slice(0, caret)}{{${element.value.slice(caret)}`, caret + 2);
    },
  };
}
