import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Call } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { callPageTexts } from './texts.ts';

export function EndCall({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const texts = useTexts(callPageTexts);
  const notice = useNotice();
  const { calls } = useClient();
  const queryClient = useQueryClient();
  const ending = useSingleMutation({
    mutationFn: async () => await calls.end(call.id),
    onSuccess: (ended) => {
      queryClient.setQueryData(['call', call.id], ended);
      queryClient.invalidateQueries({ queryKey: ['calls'] });
      notice(texts.endDone);
      onClose();
    },
  });
  return (
    <ActionDialog
      title={texts.endTitle}
      confirm={texts.end}
      action={ending}
      isDangerous
      onConfirm={ending.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.endText}</Text>
    </ActionDialog>
  );
}
