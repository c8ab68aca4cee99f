import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Agent } from '../../../../sdk/src/index.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { FailureAlert } from './failure-alert.tsx';
import { stored, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

export function DuplicateDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const notice = useNotice();
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
    <ActionDialog
      title={texts.duplicateTitle}
      confirm={texts.duplicateTitle}
      isForm
      action={duplicate}
      failure={<FailureAlert error={duplicate.error} />}
      onConfirm={duplicate.mutate}
      onClose={onClose}
    >
      <Text>{texts.duplicateText}</Text>
      <TextInput
        label={texts.duplicateName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
    </ActionDialog>
  );
}
