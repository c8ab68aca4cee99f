import { Alert, Stack } from '@mantine/core';
import type { NewApiKey } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SecretValue } from '../../parts/secret-value.tsx';
import { keysTexts } from './texts.ts';

interface SecretProps {
  readonly apiKey: NewApiKey;
  readonly onClose: () => void;
}

/** Can only be closed with its button, because closing it by accident would lose the secret. */
export function Secret({ apiKey, onClose }: SecretProps) {
  const texts = useTexts(keysTexts);
  return (
    <Dialog
      onClose={onClose}
      title={texts.secretTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="orange">{texts.secretText}</Alert>
        <SecretValue label={texts.secretLabel} value={apiKey.key} done={texts.secretKept} onDone={onClose} />
      </Stack>
    </Dialog>
  );
}
