import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConflictError } from '../../../sdk/src/index.ts';
import { deleteExisting } from './delete-existing.ts';
import { ActionDialog } from './dialog.tsx';
import { useNotice } from './notice.ts';
import { useSingleMutation } from './single-mutation.ts';

interface DeleteDialogProps {
  readonly title: string;
  readonly confirm: string;
  /** What is lost. */
  readonly text: string;
  /** Why it cannot be deleted while something uses it. */
  readonly inUse?: string;
  /** What is said afterwards. */
  readonly done: string;
  /** The list that it is then missing from. */
  readonly queryKey: readonly string[];
  readonly onDelete: () => Promise<unknown>;
  /** Default: the dialog closes. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** Asks before something is deleted. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { title, confirm, text, inUse, done, queryKey, onDelete, onClose, onDone = onClose } = props;
  const notice = useNotice();
  const queryClient = useQueryClient();
  const deletion = useSingleMutation({
    mutationFn: () => deleteExisting(onDelete()),
    onSuccess: () => {
      notice(done, 'plain');
      onDone();
      queryClient.invalidateQueries({ queryKey });
    },
  });
  const isInUse = deletion.error instanceof ConflictError && deletion.error.code === 'RESOURCE_IN_USE';
  return (
    <ActionDialog
      title={title}
      confirm={confirm}
      isDangerous
      action={deletion}
      explanation={isInUse ? inUse : undefined}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{text}</Text>
    </ActionDialog>
  );
}
