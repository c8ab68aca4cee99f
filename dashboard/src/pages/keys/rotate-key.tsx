import { Alert, NativeSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, NewApiKey } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useSession } from '../../session/use-session.ts';
import { keysTexts } from './texts.ts';

interface RotateKeyProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onRotated: (key: NewApiKey) => void;
}

export function RotateKey({ apiKey, onClose, onRotated }: RotateKeyProps) {
  const texts = useTexts(keysTexts);
  const { client, whoami, adopt } = useSession();
  const queryClient = useQueryClient();
  const [graceSeconds, setGraceSeconds] = useState('86400');
  const isOwn = apiKey.id === whoami.keyId;
  const rotation = useSingleMutation({
    mutationFn: async () => await client.apiKeys.rotate(apiKey.id, { graceSeconds: Number(graceSeconds) }),
    onSuccess: (key) => {
      if (isOwn) {
        // Before any other request: the old key may already be invalid, and signing out would lose the new secret.
        adopt(key.key);
        queryClient.setQueryData(['whoami'], { ...whoami, keyId: key.id });
      }
      queryClient.invalidateQueries({ queryKey: ['keys'] });
      onRotated(key);
    },
  });
  const graces = [
    { value: '0', label: texts.graceNone },
    { value: '3600', label: texts.graceHour },
    { value: '86400', label: texts.graceDay },
    { value: '604800', label: texts.graceWeek },
    { value: '2592000', label: texts.graceMonth },
  ];
  return (
    <ActionDialog
      title={texts.rotateTitle(apiKey.name || texts.unnamed)}
      confirm={texts.rotate}
      action={rotation}
      onConfirm={rotation.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.rotateText}</Text>
      {isOwn && <Alert color="accent">{texts.rotateOwn}</Alert>}
      <NativeSelect
        label={texts.grace}
        data={graces}
        value={graceSeconds}
        onChange={(event) => setGraceSeconds(event.currentTarget.value)}
        data-autofocus
      />
    </ActionDialog>
  );
}
