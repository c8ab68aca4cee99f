import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import type { NewApiKey } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import classes from './keys.module.css';
import { keysTexts } from './texts.ts';

interface SecretProps {
  readonly apiKey: NewApiKey;
  readonly onClose: () => void;
}

/** Can only be closed with its button, because closing it by accident would lose the secret. */
export function Secret({ apiKey, onClose }: SecretProps) {
  const texts = useTexts(keysTexts);
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.secretTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="orange">{texts.secretText}</Alert>
        <output className={classes.secret} aria-label={texts.secretLabel}>
          {apiKey.key}
        </output>
        <Group justify="space-between" gap="sm">
          <CopyButton value={apiKey.key} data-autofocus />
          <Button onClick={onClose}>{texts.secretKept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
