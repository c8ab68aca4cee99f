import { Button, type ButtonProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CheckIcon, CopyIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { useNotice } from './notice.ts';

interface CopyButtonProps extends ButtonProps {
  readonly value: string;
  /** Instead of "Copy". */
  readonly label?: string;
}

export function CopyButton({ value, label, ...rest }: CopyButtonProps) {
  const { texts } = useLanguage();
  const notice = useNotice();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await writeToClipboard(value);
      setIsCopied(true);
    } catch {
      notice(texts.copyFailed, 'bad');
    }
  };
  return (
    <Button
      variant="default"
      leftSection={isCopied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      {...rest}
      onClick={copy}
    >
      <span aria-live="polite">{isCopied ? texts.copied : (label ?? texts.copy)}</span>
    </Button>
  );
}

/** The clipboard API needs https or localhost; the fallback also works over plain http. */
async function writeToClipboard(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Inside the open dialog, if any, because it traps the focus.
  (document.activeElement?.parentElement ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('The browser does not copy.');
}
