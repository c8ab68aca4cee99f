import { Button, Group, Text } from '@mantine/core';
import { AgentDialog } from './agent-dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly cancel: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, text, confirm, cancel, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <AgentDialog onClose={onClose} title={title}>
      <Text mb="lg">{text}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {cancel}
        </Button>
        <Button color="red.8" onClick={onConfirm}>
          {confirm}
        </Button>
      </Group>
    </AgentDialog>
  );
}
