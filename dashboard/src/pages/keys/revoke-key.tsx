import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useSession } from '../../session/use-session.ts';
import { keysTexts } from './texts.ts';

interface RevokeKeyProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const { texts: shared } = useLanguage();
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
    <Modal opened onClose={onClose} title={texts.revokeTitle(name)} closeButtonProps={{ 'aria-label': shared.close }}>
      <Stack gap="md">
        <Text size="sm">{texts.revokeText}</Text>
        {isOwn && <Alert color="orange">{texts.revokeOwn}</Alert>}
        {revocation.error !== null && (
          <Alert color="red" role="alert" title={describeError(revocation.error, shared).title}>
            {describeError(revocation.error, shared).advice}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {shared.cancel}
          </Button>
          <BusyButton color="red.8" isBusy={revocation.isPending} onClick={() => revocation.mutate()}>
            {texts.revoke}
          </BusyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
