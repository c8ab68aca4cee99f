import { ActionIcon, Textarea } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { SendIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { tryTexts } from './texts.ts';
import classes from './try.module.css';

const maxLength = 10_000;

interface ComposerProps {
  readonly isBusy: boolean;
  /** The chat is over, or has not begun. */
  readonly isClosed: boolean;
  readonly isOver?: boolean;
  readonly onSend: (text: string) => void;
}

/** A column, so that other ways to speak can have a row above the text. */
export function Composer({ isBusy, isClosed, isOver = false, onSend }: ComposerProps) {
  const { format } = useLanguage();
  const texts = useTexts(tryTexts);
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  const text = typed.trim();
  const isTooLong = [...text].length > maxLength;
  const isReady = text !== '' && !isTooLong && !isBusy && !isClosed;
  const send = () => {
    if (!isReady) return;
    onSend(text);
    setTyped('');
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method is composing, Enter chooses a word. Safari ends the composition first: 229 tells.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <div className={classes.composer}>
      <div className={classes.write}>
        <Textarea
          ref={input}
          className={classes.input as string}
          aria-label={texts.message}
          placeholder={texts.placeholder}
          description={isOver ? texts.overHint : texts.sendHint}
          inputWrapperOrder={['input', 'error', 'description']}
          error={isTooLong ? texts.tooLong(format.number(maxLength)) : undefined}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autosize
          minRows={1}
          maxRows={6}
          autoComplete="off"
        />
        <ActionIcon
          size={36}
          aria-label={texts.send}
          aria-disabled={!isReady || undefined}
          data-disabled={!isReady}
          onClick={send}
        >
          <SendIcon />
        </ActionIcon>
      </div>
    </div>
  );
}
