import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';
import { useLanguage } from '../language/language.tsx';

type Tone = 'good' | 'bad' | 'plain';

/** Long enough to read a sentence; what went wrong stays longer. */
const shownMs: Readonly<Record<Tone, number>> = { good: 3000, plain: 3000, bad: 8000 };
const colors: Readonly<Record<Tone, string>> = { good: 'green', bad: 'red', plain: 'accent' };

/** Shows a temporary notification, which screen readers announce. Its close button is labelled. */
export function useNotice(): (message: string, tone?: Tone) => void {
  const { texts } = useLanguage();
  return useCallback(
    (message, tone = 'good') =>
      notifications.show({
        color: colors[tone],
        message,
        autoClose: shownMs[tone],
        closeButtonProps: { 'aria-label': texts.close },
      }),
    [texts],
  );
}
