import { Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { FailureAlert } from './failure-alert.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

/** Requires typing the name, because deleting cannot be undone. */
export function DeleteDialog({ stored, onClose }: { readonly stored: StoredAgent; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const client = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const { agent, etag } = stored;
  // Leading and trailing spaces are invisible, so they are not required.
  const isConfirmed = typed.trim() === agent.name.trim();
  const remove = useSingleMutation({
    mutationFn: () => deleteExisting(client.agents.delete(agent.id, { ifMatch: etag })),
    onSuccess: () => {
      notice(texts.deleteDone);
      navigate('/agents');
      queryClient.removeQueries({ queryKey: ['agent', agent.id] });
      queryClient.invalidateQueries({
        predicate: ({ queryKey }) => !['whoami', 'agent'].includes(String(queryKey[0])) && !queryKey.includes(agent.id),
      });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: ['agent', agent.id] }),
  });
  return (
    <ActionDialog
      title={texts.deleteTitle}
      confirm={texts.deleteDo}
      isForm
      isDangerous
      isBarred={!isConfirmed}
      action={remove}
      failure={<FailureAlert error={remove.error} />}
      onConfirm={remove.mutate}
      onClose={onClose}
    >
      <Text>{texts.deleteText}</Text>
      <TextInput
        label={texts.deleteType}
        description={agent.name}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
    </ActionDialog>
  );
}
