import { Text, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type Call, StateConflictError, UnprocessableError, type Workflow } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { MoreItem, MoreMenu } from '../../parts/more-menu.tsx';
import { useNotice } from '../../parts/notice.ts';
import { type Period, PeriodSelect, startOfPeriod } from '../../parts/period-select.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient, useScope } from '../../session/use-session.ts';
import { CallChoice } from '../../workflows/call-choice.tsx';
import { workflowsTexts } from './texts.ts';
import { type StoredWorkflow, stored as storedOf, useAfterWrite } from './use-workflows.ts';

interface WorkflowActionsProps {
  readonly stored: StoredWorkflow;
  /** Whether there are changes that are not saved. */
  readonly isDirty: boolean;
  readonly onTest: () => void;
}

type OpenDialog = 'run' | 'resume' | 'delete';

/** What can be done with a workflow. */
export function WorkflowActions({ stored: { workflow }, isDirty, onTest }: WorkflowActionsProps) {
  const texts = useTexts(workflowsTexts);
  const { reason } = useScope('workflows:write');
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  return (
    <>
      <GuardedButton scope="workflows:write" variant="default" onClick={onTest}>
        {texts.test}
      </GuardedButton>
      <EnableButton workflow={workflow} isDirty={isDirty} />
      <MoreMenu label={texts.more}>
        <MoreItem reason={reason} onClick={() => setOpen('run')}>
          {texts.runOnCall}
        </MoreItem>
        <MoreItem reason={reason} onClick={() => setOpen('resume')}>
          {texts.resumeFailed}
        </MoreItem>
        <MoreItem reason={reason} isDangerous onClick={() => setOpen('delete')}>
          {texts.delete}
        </MoreItem>
      </MoreMenu>
      {open === 'run' && <RunDialog workflow={workflow} onClose={close} />}
      {open === 'resume' && <ResumeDialog workflow={workflow} onClose={close} />}
      {open === 'delete' && <DeleteWorkflow workflow={workflow} onClose={close} />}
    </>
  );
}

/** What is enabled is what was saved: changes have to be saved first. */
function EnableButton({ workflow, isDirty }: { readonly workflow: Workflow; readonly isDirty: boolean }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(workflowsTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const afterWrite = useAfterWrite();
  const { id, enabled } = workflow;
  const isBarred = isDirty && !enabled;
  const { mutate, isPending } = useSingleMutation({
    mutationFn: async () => storedOf(await workflows.update(id, { enabled: !enabled }).withResponse()),
    onSuccess: (written) => {
      afterWrite(written);
      notice(enabled ? texts.disabledDone : texts.enabledDone, enabled ? 'plain' : 'good');
    },
    onError: (error) => notice(describeError(error, shared).title, 'bad'),
  });
  return (
    <Tooltip label={texts.enableUnsaved} disabled={!isBarred}>
      <span>
        <GuardedButton
          scope="workflows:write"
          variant={enabled ? 'default' : 'filled'}
          disabled={isBarred}
          loading={isPending}
          onClick={() => mutate()}
        >
          {enabled ? texts.disable : texts.enable}
        </GuardedButton>
      </span>
    </Tooltip>
  );
}

interface DialogProps {
  readonly workflow: Workflow;
  readonly onClose: () => void;
}

function RunDialog({ workflow, onClose }: DialogProps) {
  const texts = useTexts(workflowsTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [call, setCall] = useState<Call | null>(null);
  const starting = useSingleMutation({
    mutationFn: async () => await workflows.runs.create(workflow.id, { callId: call?.id ?? '' }),
    onSuccess: ({ id }) => {
      queryClient.invalidateQueries({ queryKey: ['workflows'] });
      notice(texts.runStarted);
      navigate(`/workflows/runs/${id}`);
    },
  });
  const { error } = starting;
  const explanation =
    error instanceof StateConflictError
      ? texts.runOpenCall
      : error instanceof UnprocessableError
        ? texts.runGone
        : undefined;
  return (
    <ActionDialog
      title={texts.runOnCall}
      confirm={texts.runStart}
      isForm
      isBarred={call === null}
      action={starting}
      explanation={explanation}
      onConfirm={() => starting.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.runOnCallText}</Text>
      <CallChoice label={texts.runOnCall} call={call} onChange={setCall} />
    </ActionDialog>
  );
}

function ResumeDialog({ workflow, onClose }: DialogProps) {
  const { format } = useLanguage();
  const texts = useTexts(workflowsTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const queryClient = useQueryClient();
  const [period, setPeriod] = useState<Period>('day');
  const resuming = useSingleMutation({
    mutationFn: async () =>
      await workflows.resume(workflow.id, { since: new Date(startOfPeriod(period)).toISOString() }),
    onSuccess: ({ matched }) => {
      queryClient.invalidateQueries({ queryKey: ['workflows'] });
      notice(texts.resumed(format.number(matched)));
      onClose();
    },
  });
  return (
    <ActionDialog
      title={texts.resumeFailed}
      confirm={texts.resume}
      action={resuming}
      onConfirm={() => resuming.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.resumeText}</Text>
      <PeriodSelect label={texts.since} period={period} onPeriod={setPeriod} />
    </ActionDialog>
  );
}

function DeleteWorkflow({ workflow, onClose }: DialogProps) {
  const texts = useTexts(workflowsTexts);
  const { workflows } = useClient();
  const [, navigate] = useLocation();
  return (
    <DeleteDialog
      title={texts.deleteTitle}
      confirm={texts.delete}
      text={texts.deleteText}
      done={texts.deleteDone}
      queryKey={['workflows', 'list']}
      onDelete={() => workflows.delete(workflow.id)}
      onDone={() => navigate('/workflows', { replace: true })}
      onClose={onClose}
    />
  );
}
