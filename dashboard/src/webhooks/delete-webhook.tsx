import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConflictError, NotFoundError, type Webhook } from '../../../sdk/src/index.ts';
import { useTexts } from '../language/language.tsx';
import { useNotice } from '../parts/notice.ts';
import { useSingleMutation } from '../parts/single-mutation.ts';
import { useClient } from '../session/use-session.ts';
import { webhookTexts } from './texts.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

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
    mutationFn: async () => {
      try {
        await webhooks.delete(webhook.id);
      } catch (error) {
        // Already deleted by someone else, which is fine.
        if (!(error instanceof NotFoundError)) throw error;
      }
    },
    onSuccess: () => {
      notice(texts.deleteDone, 'plain');
      onDone();
      queryClient.invalidateQueries({ queryKey: ['webhooks', 'list'] });
    },
  });
  const isInUse = deletion.error instanceof ConflictError && deletion.error.code === 'RESOURCE_IN_USE';
  return (
    <WebhookDialog
      title={texts.deleteTitle}
      confirm={texts.delete}
      isDangerous
      isBusy={deletion.isPending}
      error={deletion.error}
      explanation={isInUse ? texts.deleteInUse : undefined}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </WebhookDialog>
  );
}
