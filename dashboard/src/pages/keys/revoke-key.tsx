import { Alert, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useSession } from '../../session/use-session.ts';
import { keysTexts } from './texts.ts';

interface RevokeKeyProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const texts = useTexts(keysTexts);
  const notice = useNotice();
  const { client, whoami, signOut } = useSession();
  const queryClient = useQueryClient();
  const name = apiKey.name || texts.unnamed;
  const isOwn = apiKey.id === whoami.keyId;
  const revocation = useSingleMutation({
    mutationFn: async () => await client.apiKeys.revoke(apiKey.id),
    onSuccess: () => {
      notice(texts.revokedDone(name), 'plain');
      onClose();
      if (isOwn) signOut();
      else queryClient.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  return (
    <ActionDialog
      title={texts.revokeTitle(name)}
      confirm={texts.revoke}
      action={revocation}
      isDangerous
      onConfirm={revocation.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.revokeText}</Text>
      {isOwn && <Alert color="orange">{texts.revokeOwn}</Alert>}
    </ActionDialog>
  );
}
