import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { callPageTexts } from './texts.ts';

export function DeleteCall({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const texts = useTexts(callPageTexts);
  const notice = useNotice();
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const deletion = useSingleMutation({
    mutationFn: () => deleteExisting(calls.delete(call.id)),
    onSuccess: () => {
      notice(texts.deleteDone);
      navigate('/calls');
      queryClient.removeQueries({ queryKey: ['call', call.id] });
      queryClient.invalidateQueries({ queryKey: ['calls'] });
    },
  });
  return (
    <ActionDialog
      title={texts.deleteTitle}
      confirm={texts.deleteDo}
      action={deletion}
      isDangerous
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </ActionDialog>
  );
}
