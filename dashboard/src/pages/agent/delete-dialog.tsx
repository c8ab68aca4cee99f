import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { NotFoundError } from '../../../../sdk/src/index.ts';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { FailureAlert } from './failure-alert.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

/** Requires typing the name, because deleting cannot be undone. */
export function DeleteDialog({ stored, onClose }: { readonly stored: StoredAgent; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const { texts: shared } = useLanguage();
  const client = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const { agent, etag } = stored;
  // Leading and trailing spaces are invisible, so they are not required.
  const isConfirmed = typed.trim() === agent.name.trim();
  const remove = useSingleMutation({
    mutationFn: async () => {
      try {
        await client.agents.delete(agent.id, { ifMatch: etag });
      } catch (error) {
        // Already deleted by someone else, which is fine.
        if (!(error instanceof NotFoundError)) throw error;
      }
    },
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
    <AgentDialog onClose={onClose} title={texts.deleteTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed) remove.mutate();
        }}
      >
        <Stack gap="md">
          <Text>{texts.deleteText}</Text>
          <TextInput
            label={texts.deleteType}
            description={agent.name}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <FailureAlert error={remove.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <BusyButton type="submit" color="red.8" isBarred={!isConfirmed} isBusy={remove.isPending}>
              {texts.deleteDo}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </AgentDialog>
  );
}
