import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { NotFoundError } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { CallDialog } from './call-dialog.tsx';
import { callPageTexts } from './texts.ts';

export function DeleteCall({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const texts = useTexts(callPageTexts);
  const notice = useNotice();
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const deletion = useSingleMutation({
    mutationFn: async () => {
      try {
        await calls.delete(call.id);
      } catch (error) {
        // Already deleted by someone else, which is fine.
        if (!(error instanceof NotFoundError)) throw error;
      }
    },
    onSuccess: () => {
      notice(texts.deleteDone);
      navigate('/calls');
      queryClient.removeQueries({ queryKey: ['call', call.id] });
      queryClient.invalidateQueries({ queryKey: ['calls'] });
    },
  });
  return (
    <CallDialog
      title={texts.deleteTitle}
      confirm={texts.deleteDo}
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </CallDialog>
  );
}
