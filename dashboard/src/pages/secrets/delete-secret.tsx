import { Alert, Anchor, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ConflictError, NotFoundError, type Secret } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { BusyButton } from '../../parts/busy-button.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { secretsTexts } from './texts.ts';

/** The service names at most this many agents. */
const maxNamed = 20;

interface DeleteSecretProps {
  readonly secret: Secret;
  readonly onClose: () => void;
}

export function DeleteSecret({ secret, onClose }: DeleteSecretProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(secretsTexts);
  const notice = useNotice();
  const client = useClient();
  const queryClient = useQueryClient();
  const deletion = useSingleMutation({
    mutationFn: async () => {
      try {
        await client.secrets.delete(secret.name);
      } catch (error) {
        // Already deleted by someone else, which is fine.
        if (!(error instanceof NotFoundError)) throw error;
      }
    },
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['secrets'] });
      notice(texts.deleteDone(secret.name), 'plain');
      onClose();
    },
  });
  const { error } = deletion;
  const isInUse = error instanceof ConflictError && error.code === 'RESOURCE_IN_USE';
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.deleteTitle(secret.name)}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <Stack gap="md">
        {isInUse ? <InUse agentIds={error.usedBy} /> : <Text size="sm">{texts.deleteText}</Text>}
        {error !== null && !isInUse && (
          <Alert color="red" role="alert" title={describeError(error, shared).title}>
            {describeError(error, shared).advice}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {isInUse ? shared.close : shared.cancel}
          </Button>
          {!isInUse && (
            <BusyButton color="red.8" isBusy={deletion.isPending} onClick={deletion.mutate}>
              {texts.delete}
            </BusyButton>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function InUse({ agentIds }: { readonly agentIds: readonly string[] }) {
  const texts = useTexts(secretsTexts);
  return (
    <Alert color="orange" role="alert" title={texts.inUse}>
      <Stack gap="xs">
        {texts.inUseText}
        <List size="sm">
          {agentIds.map((id) => (
            <List.Item key={id}>
              <AgentLink id={id} />
            </List.Item>
          ))}
        </List>
        {agentIds.length >= maxNamed && <Text size="xs">{texts.inUseMore}</Text>}
      </Stack>
    </Alert>
  );
}

function AgentLink({ id }: { readonly id: string }) {
  return (
    <Anchor component={Link} href={`/agents/${id}`} size="sm">
      {useAgentName(id) ?? id}
    </Anchor>
  );
}
