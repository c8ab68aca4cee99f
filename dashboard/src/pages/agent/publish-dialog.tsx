import { Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConflictError } from '../../../../sdk/src/index.ts';
import { useLanguage } from '../../language/language.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useClient, useScope } from '../../session/session.tsx';
import { AgentDialog } from './agent-dialog.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { type StoredAgent, stored as storedFrom, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

/** Where it cannot be pressed, it says why. */
export function PublishButton({ stored, hasUnsaved }: { readonly stored: StoredAgent; readonly hasUnsaved: boolean }) {
  const texts = useAgentTexts();
  const { isAllowed } = useScope('agents:write');
  const [isOpen, setIsOpen] = useState(false);
  const { isPublished } = stored.agent;
  const reason = isPublished ? texts.alreadyPublished : hasUnsaved ? texts.saveFirst : null;
  if (isAllowed && reason !== null) {
    return (
      <Tooltip label={reason}>
        <Button variant="default" data-disabled aria-disabled="true">
          {texts.publish}
          <span className="visually-hidden">: {reason}</span>
        </Button>
      </Tooltip>
    );
  }
  return (
    <>
      <GuardedButton scope="agents:write" variant="default" onClick={() => setIsOpen(true)}>
        {texts.publish}
      </GuardedButton>
      {isOpen && <PublishDialog stored={stored} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PublishDialog({ stored, onClose }: { readonly stored: StoredAgent; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const client = useClient();
  const queryClient = useQueryClient();
  const afterWrite = useAfterWrite();
  const { agent, etag } = stored;
  const [description, setDescription] = useState(agent.versionDescription ?? '');
  const publish = useMutation({
    mutationFn: () => {
      const versionDescription = description === '' ? null : description;
      return client.agents.publish(agent.id, { versionDescription }, { ifMatch: etag }).withResponse();
    },
    onSuccess: (answer) => {
      afterWrite(storedFrom(answer));
      notifications.show({ color: 'green', message: texts.publishDone(answer.data.version) });
      onClose();
    },
    onError: (error) => {
      // So that the next try is about what is there now.
      if (error instanceof ConflictError) queryClient.invalidateQueries({ queryKey: ['agent', agent.id] });
    },
  });
  return (
    <AgentDialog onClose={onClose} title={texts.publishTitle(agent.version)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          publish.mutate();
        }}
      >
        <Stack gap="md">
          <Text>{texts.publishText}</Text>
          <Textarea
            label={texts.publishDescription}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            rows={3}
            data-autofocus
          />
          <FailureAlert error={publish.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <Button type="submit" loading={publish.isPending}>
              {texts.publish}
            </Button>
          </Group>
        </Stack>
      </form>
    </AgentDialog>
  );
}
