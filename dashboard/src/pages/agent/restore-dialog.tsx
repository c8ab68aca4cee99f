import { Alert, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConflictError } from '../../../../sdk/src/index.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
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
    <ActionDialog
      title={texts.restoreVersion(version)}
      confirm={texts.restore}
      action={restore}
      failure={<FailureAlert error={restore.error} />}
      onConfirm={restore.mutate}
      onClose={onClose}
    >
      <Text>{texts.restoreText(version)}</Text>
      {!agent.isPublished && <Alert color="orange">{texts.restoreDraftLost}</Alert>}
    </ActionDialog>
  );
}
