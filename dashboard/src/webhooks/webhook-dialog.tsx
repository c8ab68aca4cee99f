import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../language/language.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { describeError } from '../parts/error-state.tsx';

interface WebhookDialogProps {
  readonly title: string;
  readonly confirm: string;
  readonly isBusy: boolean;
  readonly isBarred?: boolean;
  readonly isDangerous?: boolean;
  readonly error: Error | null;
  /** In place of what is generally said about the error. */
  readonly explanation?: string | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function WebhookDialog(props: WebhookDialogProps) {
  const { title, confirm, isBusy, isBarred = false, isDangerous = false, error, explanation } = props;
  const { texts } = useLanguage();
  return (
    <Modal opened onClose={props.onClose} title={title} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack gap="md">
        {props.children}
        {error !== null && (
          <Alert color="red" role="alert" title={explanation === undefined ? describeError(error, texts).title : null}>
            {explanation ?? describeError(error, texts).advice}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.onClose} data-autofocus={isDangerous || undefined}>
            {texts.cancel}
          </Button>
          <BusyButton
            {...(isDangerous ? { color: 'red.8' } : {})}
            isBusy={isBusy}
            isBarred={isBarred}
            onClick={props.onConfirm}
          >
            {confirm}
          </BusyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
