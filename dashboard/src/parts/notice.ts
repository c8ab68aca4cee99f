import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';
import { useLanguage } from '../language/language.tsx';

type Tone = 'good' | 'bad' | 'plain';

const colours: Readonly<Record<Tone, string>> = { good: 'green', bad: 'red', plain: 'accent' };

/** Says something at the edge of the screen, for a while, and to those who listen. Its way out has a name. */
export function useNotice(): (message: string, tone?: Tone) => void {
  const { texts } = useLanguage();
  return useCallback(
    (message, tone = 'good') =>
      notifications.show({
        color: colours[tone],
        message,
        closeButtonProps: { 'aria-label': texts.close },
      }),
    [texts],
  );
}
