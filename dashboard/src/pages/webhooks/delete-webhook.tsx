import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConflictError, type Webhook } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { webhookTexts } from './webhook-texts.ts';

interface DeleteWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function DeleteWebhook({ webhook, onClose, onDone }: DeleteWebhookProps) {
  const texts = useTexts(webhookTexts);
  const notice = useNotice();
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const deletion = useSingleMutation({
    mutationFn: () => deleteExisting(webhooks.delete(webhook.id)),
    onSuccess: () => {
      notice(texts.deleteDone, 'plain');
      onDone();
      queryClient.invalidateQueries({ queryKey: ['webhooks', 'list'] });
    },
  });
  const isInUse = deletion.error instanceof ConflictError && deletion.error.code === 'RESOURCE_IN_USE';
  return (
    <ActionDialog
      title={texts.deleteTitle}
      confirm={texts.delete}
      isDangerous
      action={deletion}
      explanation={isInUse ? texts.deleteInUse : undefined}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </ActionDialog>
  );
}
