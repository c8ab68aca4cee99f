import { Button, UnstyledButton } from '@mantine/core';
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react';
import { ChevronRightIcon, CloseIcon, PlusIcon } from '../../../icons.tsx';
import { useLanguage } from '../../../language/language.tsx';
import classes from '../../../parts/controls.module.css';
import type { Issues } from '../checks.ts';
import { labelOf } from '../field-texts.ts';
import { useAgentTexts } from '../texts.ts';
import { type ControlProps, inputProps, type Suggestion } from './control.ts';

/** More are shown on request: a thousand buttons would make the page slow. */
const firstShown = 100;

export function WordsControl(props: ControlProps & { readonly suggestions?: readonly Suggestion[] }) {
  const { field, labelId, value, onChange, issues, isReadOnly, suggestions = [] } = props;
  const { language } = useLanguage();
  return (
    <Words
      words={Array.isArray(value) ? value : []}
      onChange={onChange}
      label={labelOf(field.name, language)}
      labelId={labelId}
      path={field.name}
      issues={issues}
      isOrdered={field.control === 'voices'}
      isReadOnly={isReadOnly}
      input={inputProps(props)}
      suggestions={suggestions}
    />
  );
}

interface WordsProps {
  readonly words: readonly string[];
  readonly onChange: (words: readonly string[]) => void;
  readonly label: string;
  readonly labelId: string;
  readonly path: string;
  readonly issues: Issues;
  readonly isOrdered?: boolean;
  readonly isReadOnly: boolean;
  readonly input: ReturnType<typeof inputProps>;
  readonly suggestions?: readonly Suggestion[];
}

/** A list of short texts, typed one by one or pasted as lines. */
export function Words({
  words,
  onChange,
  label,
  labelId,
  path,
  issues,
  isOrdered = false,
  isReadOnly,
  input,
  suggestions = [],
}: WordsProps) {
  const texts = useAgentTexts();
  const { format } = useLanguage();
  const [typed, setTyped] = useState('');
  const [showsAll, setShowsAll] = useState(false);
  const add = (more: readonly string[]) => {
    if (more.length > 0) onChange([...words, ...more]);
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Ignore Enter that confirms an IME composition. Safari indicates that only by the key code.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (typed !== '') add([typed]);
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = event.clipboardData
      .getData('text')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
    if (lines.length < 2) return;
    event.preventDefault();
    add(lines);
  };
  const remove = (index: number) => onChange(words.filter((_, place) => place !== index));
  const swap = (index: number) =>
    onChange(words.with(index - 1, words[index] as string).with(index, words[index - 1] as string));
  const hidden = showsAll || Object.keys(issues).length > 0 ? 0 : Math.max(0, words.length - firstShown);
  return (
    <fieldset className={classes.group as string} aria-labelledby={labelId}>
      {words.length > 0 && (
        <ul className={classes.words}>
          {words.slice(0, words.length - hidden).map((word, index) => (
            // Words may be duplicated, so the index is the only stable key.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            <li key={index} className={classes.word} data-is-invalid={issues[`${path}.${index}`] && true}>
              <span className={classes.wordText}>{word}</span>
              {isOrdered && index > 0 && (
                <UnstyledButton
                  className={classes.small as string}
                  onClick={() => swap(index)}
                  aria-label={texts.moveUp(word)}
                  disabled={isReadOnly}
                  style={{ rotate: '180deg' }}
                >
                  <ChevronRightIcon size={14} />
                </UnstyledButton>
              )}
              <UnstyledButton
                className={classes.small as string}
                onClick={() => remove(index)}
                aria-label={texts.removeItem(word)}
                disabled={isReadOnly}
              >
                <CloseIcon size={14} />
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" mb="xs" onClick={() => setShowsAll(true)}>
          {texts.showAll(format.number(words.length))}
        </Button>
      )}
      {!isReadOnly && (
        <>
          <div className={classes.adder}>
            <input
              {...input}
              className={classes.input}
              type="text"
              aria-label={texts.addWordTo(label)}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onKeyDown={onKeyDown}
              onPaste={onPaste}
              // Add a typed word on blur, so that it is not silently lost.
              onBlur={() => typed !== '' && add([typed])}
              autoComplete="off"
              list={suggestions.length > 0 ? `${input.id}-suggestions` : undefined}
            />
            {suggestions.length > 0 && (
              <datalist id={`${input.id}-suggestions`}>
                {suggestions.map(({ value, name }) => (
                  <option key={value} value={value} label={name} />
                ))}
              </datalist>
            )}
            <Button
              variant="default"
              leftSection={<PlusIcon size={16} />}
              onClick={() => typed !== '' && add([typed])}
              style={{ flex: 'none' }}
            >
              {texts.addWord}
            </Button>
          </div>
          <p className={classes.hint}>{texts.wordsHint}</p>
        </>
      )}
      <ItemIssues path={path} issues={issues} words={words} />
    </fieldset>
  );
}

function ItemIssues({
  path,
  issues,
  words,
}: {
  readonly path: string;
  readonly issues: Issues;
  readonly words: readonly string[];
}) {
  return Object.entries(issues)
    .filter(([at]) => at !== path)
    .map(([at, messages]) => (
      <p key={at} className={classes.issue}>
        {words[Number(at.slice(path.length + 1))] ?? at}: {messages.join(' · ')}
      </p>
    ));
}
