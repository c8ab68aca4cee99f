import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Agent } from '../../../../sdk/src/index.ts';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { stored, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

export function DuplicateDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const { texts: shared } = useLanguage();
  const client = useClient();
  const afterWrite = useAfterWrite();
  const [, navigate] = useLocation();
  const [name, setName] = useState(() => texts.copyOf(agent.name));
  const duplicate = useSingleMutation({
    mutationFn: () => client.agents.duplicate(agent.id, { name }).withResponse(),
    onSuccess: (response) => {
      const copy = stored(response);
      afterWrite(copy);
      notice(texts.duplicateDone);
      onClose();
      navigate(`/agents/${copy.agent.id}`);
    },
  });
  return (
    <AgentDialog onClose={onClose} title={texts.duplicateTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          duplicate.mutate();
        }}
      >
        <Stack gap="md">
          <Text>{texts.duplicateText}</Text>
          <TextInput
            label={texts.duplicateName}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <FailureAlert error={duplicate.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <BusyButton type="submit" isBusy={duplicate.isPending}>
              {texts.duplicateTitle}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </AgentDialog>
  );
}
