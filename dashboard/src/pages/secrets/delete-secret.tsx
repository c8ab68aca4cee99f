import { Alert, Anchor, Button, List, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ConflictError, type Secret } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog, Dialog } from '../../parts/dialog.tsx';
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
    mutationFn: () => deleteExisting(client.secrets.delete(secret.name)),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['secrets'] });
      notice(texts.deleteDone(secret.name), 'plain');
      onClose();
    },
  });
  const { error } = deletion;
  const isInUse = error instanceof ConflictError && error.code === 'RESOURCE_IN_USE';
  const title = texts.deleteTitle(secret.name);
  if (isInUse) {
    return (
      <Dialog onClose={onClose} title={title}>
        <Stack gap="md" align="flex-end">
          <InUse agentIds={error.usedBy} />
          <Button variant="default" onClick={onClose} data-autofocus>
            {shared.close}
          </Button>
        </Stack>
      </Dialog>
    );
  }
  return (
    <ActionDialog
      title={title}
      confirm={texts.delete}
      action={deletion}
      isDangerous
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </ActionDialog>
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
