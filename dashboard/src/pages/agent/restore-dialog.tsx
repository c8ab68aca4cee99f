import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConflictError } from '../../../../sdk/src/index.ts';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { type StoredAgent, stored as storedFrom, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

interface RestoreDialogProps {
  readonly stored: StoredAgent;
  readonly version: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RestoreDialog({ stored, version, onClose, onDone }: RestoreDialogProps) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const { texts: shared } = useLanguage();
  const client = useClient();
  const queryClient = useQueryClient();
  const afterWrite = useAfterWrite();
  const { agent, etag } = stored;
  const restore = useSingleMutation({
    mutationFn: () => client.agents.versions.restore(agent.id, version, {}, { ifMatch: etag }).withResponse(),
    onSuccess: (response) => {
      afterWrite(storedFrom(response));
      notice(texts.restoreDone(version));
      onDone();
      onClose();
    },
    onError: (error) => {
      if (!(error instanceof ConflictError)) return;
      queryClient.invalidateQueries({ queryKey: ['agent', agent.id] });
      queryClient.invalidateQueries({ queryKey: ['agent-versions', agent.id] });
    },
  });
  return (
    <AgentDialog onClose={onClose} title={texts.restoreVersion(version)}>
      <Stack gap="md">
        <Text>{texts.restoreText(version)}</Text>
        {!agent.isPublished && <Alert color="orange">{texts.restoreDraftLost}</Alert>}
        <FailureAlert error={restore.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <BusyButton isBusy={restore.isPending} onClick={() => restore.mutate()} data-autofocus>
            {texts.restore}
          </BusyButton>
        </Group>
      </Stack>
    </AgentDialog>
  );
}
