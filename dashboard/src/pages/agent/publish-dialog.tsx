import { Alert, Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type AgentFinding, ConflictError, UnprocessableError } from '../../../../sdk/src/index.ts';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { findingsOf } from '../../parts/field-errors.ts';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { CheckResult } from './check-result.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { PublishChanges } from './publish-changes.tsx';
import { type StoredAgent, stored as storedFrom, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import type { AgentCheckState } from './use-agent-check.ts';

interface PublishDialogProps {
  readonly stored: StoredAgent;
  readonly check: AgentCheckState;
  readonly hasUnsaved: boolean;
  /** Why the version cannot be published, apart from what the check found. */
  readonly reason: string | null;
  /** Shows the field at a path. */
  readonly onGo: (path: string) => void;
  readonly onClose: () => void;
}

/** Publishes a draft, or shows what prevents it. The service decides: the check only says it before. */
export function PublishDialog({ stored, check, hasUnsaved, reason, onGo, onClose }: PublishDialogProps) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const { agent } = stored;
  const firstDescription = agent.versionDescription ?? '';
  const [description, setDescription] = useState(firstDescription);
  const publish = usePublish(stored, description, onClose);
  const rejected = publish.error instanceof UnprocessableError ? allFindings(publish.error) : [];
  const found = check.result?.errors ?? [];
  const errors = found.length > 0 ? found : rejected;
  const barring = reason ?? (found.length > 0 ? texts.fixFirst : null);
  const hasErrors = errors.length > 0;
  const form = useKeptFocus(hasErrors, check.isChecking);
  return (
    <Dialog onClose={onClose} title={texts.publishTitle(agent.version)} size="xl">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (barring === null) publish.mutate();
        }}
      >
        <Stack gap="md">
          {!hasErrors && <Text>{texts.publishText}</Text>}
          {hasUnsaved && (
            <Alert color="blue" variant="light">
              {texts.checkedIsSaved}
            </Alert>
          )}
          <CheckResult agent={agent} check={check} errors={errors} onGo={onGo} />
          <PublishChanges stored={stored} isBrief={hasErrors} />
          {/* What was typed stays, even if it cannot be published yet. */}
          {(!hasErrors || description !== firstDescription) && (
            <Textarea
              label={texts.publishDescription}
              value={description}
              onChange={(event) => setDescription(event.currentTarget.value)}
              rows={3}
              data-autofocus
            />
          )}
          {rejected.length === 0 && <FailureAlert error={publish.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <Tooltip label={barring} disabled={barring === null}>
              <BusyButton type="submit" isBusy={publish.isPending} isBarred={barring !== null}>
                {texts.publish}
                {barring !== null && <span className="visually-hidden">: {barring}</span>}
              </BusyButton>
            </Tooltip>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function allFindings({ fieldErrors, formErrors }: UnprocessableError): readonly AgentFinding[] {
  return [...findingsOf(fieldErrors), ...formErrors.map((message) => ({ field: '', path: '', message }))];
}

function usePublish({ agent, etag }: StoredAgent, description: string, onClose: () => void) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const client = useClient();
  const queryClient = useQueryClient();
  const afterWrite = useAfterWrite();
  return useSingleMutation({
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
      // Refetch, with the check, so that the next attempt uses the current version.
      const isOutdated = error instanceof ConflictError || error instanceof UnprocessableError;
      if (isOutdated) queryClient.invalidateQueries({ queryKey: ['agent', agent.id] });
    },
  });
}

/** The focused element may disappear when problems are found or fixed, or with the next check. Keep the focus here. */
function useKeptFocus(hasErrors: boolean, isChecking: boolean) {
  const form = useRef<HTMLFormElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the content changes.
  useEffect(() => {
    if (document.activeElement === document.body) form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, [hasErrors, isChecking]);
  return form;
}
