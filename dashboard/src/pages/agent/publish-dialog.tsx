import { Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConflictError } from '../../../../sdk/src/index.ts';
import { LockIcon } from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { type StoredAgent, stored as storedFrom, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

/** If disabled, it says why. */
export function PublishButton({ stored, hasUnsaved }: { readonly stored: StoredAgent; readonly hasUnsaved: boolean }) {
  const texts = useAgentTexts();
  const { isAllowed, reason: lacking } = useScope('agents:write');
  const [isOpen, setIsOpen] = useState(false);
  const { isPublished } = stored.agent;
  const reason = lacking ?? (isPublished ? texts.alreadyPublished : hasUnsaved ? texts.saveFirst : null);
  const isBarred = reason !== null;
  return (
    <>
      {/* One button for both states, so that it keeps the focus after it is pressed. */}
      <Tooltip label={reason} disabled={!isBarred}>
        <Button
          variant="default"
          leftSection={isAllowed ? undefined : <LockIcon size={16} />}
          data-disabled={isBarred}
          aria-disabled={isBarred || undefined}
          onClick={() => !isBarred && setIsOpen(true)}
        >
          {texts.publish}
          {isBarred && <span className="visually-hidden">: {reason}</span>}
        </Button>
      </Tooltip>
      {isOpen && <PublishDialog stored={stored} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PublishDialog({ stored, onClose }: { readonly stored: StoredAgent; readonly onClose: () => void }) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const { texts: shared } = useLanguage();
  const client = useClient();
  const queryClient = useQueryClient();
  const afterWrite = useAfterWrite();
  const { agent, etag } = stored;
  const [description, setDescription] = useState(agent.versionDescription ?? '');
  const publish = useSingleMutation({
    mutationFn: () => {
      const versionDescription = description === '' ? null : description;
      return client.agents.publish(agent.id, { versionDescription }, { ifMatch: etag }).withResponse();
    },
    onSuccess: (response) => {
      afterWrite(storedFrom(response));
      notice(texts.publishDone(response.data.version));
      onClose();
    },
    onError: (error) => {
      // Refetch, so that the next attempt uses the current version.
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
            <BusyButton type="submit" isBusy={publish.isPending}>
              {texts.publish}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </AgentDialog>
  );
}
