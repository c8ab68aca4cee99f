import { Alert, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog, Dialog } from '../../parts/dialog.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { SecretValue } from '../../parts/secret-value.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { webhookTexts } from './webhook-texts.ts';

interface SecretProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Reads the secret when it is opened, and forgets it when it is closed. */
export function ShowSecret({ webhook, onClose }: SecretProps) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const { webhooks } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook-secret', webhook.id],
    queryFn: ({ signal }) => webhooks.secret.get(webhook.id, { signal }),
    // Each request is an entry in the audit trail.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (data === undefined) {
    return (
      <SecretModal title={texts.secret} onClose={onClose}>
        {error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />}
      </SecretModal>
    );
  }
  const { secret, secretRotatedAt, previousSecretExpiresAt } = data;
  const facts = [
    secretRotatedAt === null ? null : texts.rotatedAt(format.ago(secretRotatedAt)),
    previousSecretExpiresAt === null ? null : texts.previousUntil(format.dateTime(previousSecretExpiresAt)),
  ].filter((fact) => fact !== null);
  return (
    <SecretModal title={texts.secret} onClose={onClose} secret={secret}>
      <Text size="sm">{[texts.secretText, ...facts].join(' ')}</Text>
    </SecretModal>
  );
}

/** A secret that has just been created. */
export function NewSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const texts = useTexts(webhookTexts);
  return (
    <SecretModal title={texts.secret} onClose={onClose} secret={secret}>
      <Alert color="accent">{texts.secretCreated}</Alert>
    </SecretModal>
  );
}

export function RotateSecret({ webhook, onClose }: SecretProps) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const [graceSeconds, setGraceSeconds] = useState('86400');
  const [rotated, setRotated] = useState<{ secret: string; previousSecretExpiresAt: string | null } | null>(null);
  const rotation = useSingleMutation({
    mutationFn: async () => await webhooks.secret.rotate(webhook.id, { graceSeconds: Number(graceSeconds) }),
    onSuccess: (made) => {
      setRotated(made);
      queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  if (rotated !== null) {
    const until = rotated.previousSecretExpiresAt;
    return (
      <SecretModal title={texts.secret} onClose={onClose} secret={rotated.secret}>
        <Alert color="accent">
          {texts.secretNew} {until !== null && texts.previousUntil(format.dateTime(until))}
        </Alert>
      </SecretModal>
    );
  }
  return (
    <ActionDialog
      title={texts.rotate}
      confirm={texts.rotate}
      action={rotation}
      onConfirm={rotation.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.rotateText}</Text>
      <NativeSelect
        label={texts.grace}
        data={[
          { value: '0', label: texts.graceNone },
          { value: '3600', label: texts.graceHour },
          { value: '86400', label: texts.graceDay },
          { value: '604800', label: texts.graceWeek },
        ]}
        value={graceSeconds}
        onChange={(event) => setGraceSeconds(event.currentTarget.value)}
        data-autofocus
      />
    </ActionDialog>
  );
}

interface SecretModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly secret?: string;
  readonly children: React.ReactNode;
}

function SecretModal({ title, onClose, secret, children }: SecretModalProps) {
  const { texts: shared } = useLanguage();
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack gap="md">
        {children}
        {secret !== undefined && <SecretValue label={title} value={secret} done={shared.close} onDone={onClose} />}
      </Stack>
    </Dialog>
  );
}
