import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { StateConflictError, type WorkflowRun } from '../../../../../sdk/src/index.ts';
import { RotateIcon } from '../../../icons.tsx';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { ActionDialog } from '../../../parts/dialog.tsx';
import { describeError } from '../../../parts/error-state.tsx';
import { useFocusReturn } from '../../../parts/focus-return.ts';
import { useNotice } from '../../../parts/notice.ts';
import { GuardedButton } from '../../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../../parts/single-mutation.ts';
import { useClient } from '../../../session/use-session.ts';
import { isOpenRun } from '../../../workflows/runs/statuses.ts';
import { runPageTexts } from './texts.ts';

interface RunActionsProps {
  readonly run: WorkflowRun;
  /** Whether it has not been deleted. */
  readonly hasWorkflow: boolean;
}

/** What can be done with a run. */
export function RunActions({ run, hasWorkflow }: RunActionsProps) {
  const texts = useTexts(runPageTexts);
  const [open, setOpen] = useState<'cancel' | 'again' | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  const isRemoved = run.reason === 'content_removed' || run.reason === 'workflow_deleted';
  return (
    <>
      {run.status === 'failed' && <ResumeButton run={run} />}
      {isOpenRun(run) && (
        <GuardedButton scope="workflows:write" variant="default" onClick={() => setOpen('cancel')}>
          {texts.cancel}
        </GuardedButton>
      )}
      {!isOpenRun(run) && hasWorkflow && !isRemoved && (
        <GuardedButton scope="workflows:write" variant="default" onClick={() => setOpen('again')}>
          {texts.again}
        </GuardedButton>
      )}
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'again' && <AgainDialog run={run} onClose={close} />}
    </>
  );
}

function ResumeButton({ run }: { readonly run: WorkflowRun }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(runPageTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const changed = useChanged();
  const { mutate, isPending } = useSingleMutation({
    mutationFn: async () => await workflows.runs.resume(run.id),
    onSuccess: (resumed) => {
      changed(resumed);
      notice(texts.resumeDone);
    },
    onError: (error) =>
      notice(error instanceof StateConflictError ? texts.resumeBarred : describeError(error, shared).title, 'bad'),
  });
  return (
    <GuardedButton
      scope="workflows:write"
      leftSection={<RotateIcon size={16} />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {texts.resume}
    </GuardedButton>
  );
}

interface DialogProps {
  readonly run: WorkflowRun;
  readonly onClose: () => void;
}

function CancelDialog({ run, onClose }: DialogProps) {
  const texts = useTexts(runPageTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const changed = useChanged();
  const canceling = useSingleMutation({
    mutationFn: async () => await workflows.runs.cancel(run.id),
    onSuccess: (canceled) => {
      changed(canceled);
      notice(texts.cancelDone, 'plain');
      onClose();
    },
  });
  return (
    <ActionDialog
      title={texts.cancelTitle}
      confirm={texts.cancel}
      isDangerous
      action={canceling}
      onConfirm={() => canceling.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.cancelText}</Text>
    </ActionDialog>
  );
}

function AgainDialog({ run, onClose }: DialogProps) {
  const texts = useTexts(runPageTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const changed = useChanged();
  const [, navigate] = useLocation();
  const starting = useSingleMutation({
    mutationFn: async () => await workflows.runs.create(run.workflowId, { callId: run.callId }),
    onSuccess: (started) => {
      changed(started);
      notice(texts.againDone);
      onClose();
      navigate(`/workflows/runs/${started.id}`);
    },
  });
  return (
    <ActionDialog
      title={texts.again}
      confirm={texts.again}
      action={starting}
      onConfirm={() => starting.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.againText}</Text>
    </ActionDialog>
  );
}

function useChanged(): (run: WorkflowRun) => void {
  const queryClient = useQueryClient();
  return (run) => {
    queryClient.setQueryData(['workflows', 'run', run.id], run);
    queryClient.invalidateQueries({ queryKey: ['workflows', 'runs'] });
    queryClient.invalidateQueries({ queryKey: ['workflows', 'recent'] });
  };
}
