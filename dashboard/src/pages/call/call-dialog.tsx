import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';

interface CallDialogProps {
  readonly title: string;
  readonly confirm: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something that cannot be undone. */
export function CallDialog({ title, confirm, isBusy, error, onConfirm, onClose, children }: CallDialogProps) {
  const { texts } = useLanguage();
  useFocusReturn(true);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack gap="md">
        {children}
        {error !== null && (
          <Alert color="red" role="alert" title={describeError(error, texts).title}>
            {describeError(error, texts).advice}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {texts.cancel}
          </Button>
          <BusyButton color="red.8" isBusy={isBusy} onClick={onConfirm}>
            {confirm}
          </BusyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
