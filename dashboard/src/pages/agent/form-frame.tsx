import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CodeIcon } from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { AgentForm } from './agent-form.tsx';
import type { Issues } from './checks.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { focusAt } from './focus-at.ts';
import classes from './form.module.css';
import { IssueSummary } from './issue-summary.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { useAgentTexts } from './texts.ts';
import type { Draft } from './use-draft.ts';
import type { useIssues } from './use-issues.ts';

interface FormFrameProps {
  readonly draft: Draft;
  readonly issues: Pick<ReturnType<typeof useIssues>, 'issues' | 'others' | 'look'>;
  readonly isReadOnly: boolean;
  readonly isSaving: boolean;
  /** True even without changes: a new agent can be created with defaults. */
  readonly canSaveUnchanged?: boolean;
  readonly saveLabel: string;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly onShowCode: () => void;
  /** Shown above the form. */
  readonly children?: ReactNode;
}

/** The form with its error summary, the save bar and the guard against losing changes. */
export function FormFrame(props: FormFrameProps) {
  const { draft, isReadOnly, onSave, children } = props;
  const { issues, others, look } = props.issues;
  useSaveShortcut(onSave, isReadOnly);
  useFocusOnIssue(issues, look);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {children}
      <IssueSummary issues={issues} others={others} />
      <AgentForm
        base={draft.base}
        values={draft.values}
        issues={issues}
        isReadOnly={isReadOnly}
        onChange={draft.change}
      />
      <SaveBar {...props} />
      <LeaveGuard count={draft.changed.length} />
    </form>
  );
}

function SaveBar({
  draft,
  isReadOnly,
  isSaving,
  canSaveUnchanged,
  saveLabel,
  onSave,
  onDiscard,
  onShowCode,
}: FormFrameProps) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const [isAsking, setIsAsking] = useState(false);
  const count = draft.changed.length;
  const isDirty = count > 0;
  return (
    <div className={classes.bar}>
      <span className={classes.barState} data-is-dirty={isDirty || undefined} role="status">
        {isDirty ? texts.unsaved(count) : texts.noChanges}
      </span>
      <Button variant="subtle" color="gray" leftSection={<CodeIcon size={16} />} onClick={onShowCode}>
        {texts.showCode}
      </Button>
      {isDirty && (
        <Button variant="default" onClick={() => setIsAsking(true)} disabled={isSaving}>
          {texts.discard}
        </Button>
      )}
      {isReadOnly ? (
        <GuardedButton scope="agents:write">{saveLabel}</GuardedButton>
      ) : (
        <BusyButton isBusy={isSaving} isBarred={!isDirty && !canSaveUnchanged} onClick={onSave}>
          {saveLabel}
        </BusyButton>
      )}
      {isAsking && (
        <ConfirmDialog
          title={texts.discardTitle}
          text={texts.leaveText(count)}
          confirm={texts.discard}
          cancel={shared.cancel}
          onConfirm={() => {
            setIsAsking(false);
            onDiscard();
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

/** Ctrl+S or Cmd+S. */
function useSaveShortcut(onSave: () => void, isReadOnly: boolean): void {
  const save = useRef(onSave);
  save.current = onSave;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      const isInDialog = document.querySelector('[role="dialog"]') !== null;
      if (!isReadOnly && !isInDialog) save.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isReadOnly]);
}

/** Focuses the first invalid field after a failed save, but not again while the user is fixing the rest. */
function useFocusOnIssue(issues: Issues, look: number): void {
  const current = useRef(issues);
  current.current = issues;
  useEffect(() => {
    const [first] = Object.keys(current.current);
    if (look > 0 && first !== undefined) focusAt(first);
  }, [look]);
}
