import { Button, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { BusyButton } from '../../parts/busy-button.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import type { Scope } from '../../session/use-session.ts';
import type { Issues } from './checks.ts';
import classes from './form.module.css';
import { IssueSummary } from './issue-summary.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { useAgentTexts } from './texts.ts';
import type { useIssues } from './use-issues.ts';

interface FormFrameProps {
  /** Whether it fills the window: the content has the room between the notices and the bar. */
  readonly isFull?: boolean;
  /** The path of the form: see LeaveGuard. */
  readonly within: string;
  readonly draft: { readonly changed: readonly unknown[] };
  /** What saving needs. */
  readonly scope?: Scope;
  readonly issues: Pick<ReturnType<typeof useIssues>, 'issues' | 'others' | 'look'>;
  readonly isReadOnly: boolean;
  readonly isSaving: boolean;
  /** True even without changes: a new agent can be created with defaults. */
  readonly canSaveUnchanged?: boolean;
  readonly saveLabel: string;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  /** Shows the field at a path. */
  readonly onGo: (path: string) => void;
  /** Above the list of problems. */
  readonly notices?: ReactNode;
  /** Why saving failed, next to "Save". */
  readonly failure?: ReactNode;
  /** Further buttons of the bar, before and after "Save". */
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  readonly children: ReactNode;
}

/** A form with its error summary, the bar at its end and the guard against losing changes. */
export function FormFrame(props: FormFrameProps) {
  const { within, draft, isReadOnly, onSave, onGo, notices, children } = props;
  const { issues, others, look } = props.issues;
  useSaveShortcut(onSave, isReadOnly);
  useFocusOnIssue(issues, look, onGo);
  return (
    <form
      noValidate
      className={classes.form}
      data-is-full={props.isFull || undefined}
      onSubmit={(event) => {
        // In React, the events of a dialog also pass here.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onSave();
      }}
    >
      {notices}
      <IssueSummary issues={issues} others={others} onGo={onGo} />
      {children}
      <SaveBar {...props} />
      <LeaveGuard count={draft.changed.length} within={within} />
    </form>
  );
}

function SaveBar({
  draft,
  scope = 'agents:write',
  isReadOnly,
  isSaving,
  canSaveUnchanged,
  saveLabel,
  onSave,
  onDiscard,
  failure,
  before,
  after,
}: FormFrameProps) {
  const texts = useAgentTexts();
  const [isAsking, setIsAsking] = useState(false);
  const count = draft.changed.length;
  const isDirty = count > 0;
  return (
    <div className={classes.bar} data-is-save-bar>
      <div className={classes.barFailure}>{failure}</div>
      <span className={classes.barState} data-is-dirty={isDirty || undefined} role="status">
        {isDirty ? texts.unsaved(count) : canSaveUnchanged ? '' : texts.noChanges}
      </span>
      {before}
      {isDirty && (
        <Button variant="default" onClick={() => setIsAsking(true)} disabled={isSaving}>
          {texts.discard}
        </Button>
      )}
      {isReadOnly ? (
        <GuardedButton scope={scope}>{saveLabel}</GuardedButton>
      ) : (
        <BusyButton isBusy={isSaving} isBarred={!isDirty && !canSaveUnchanged} onClick={onSave}>
          {saveLabel}
        </BusyButton>
      )}
      {after}
      {isAsking && (
        <ActionDialog
          title={texts.discardTitle}
          confirm={texts.discard}
          isDangerous
          onConfirm={() => {
            setIsAsking(false);
            onDiscard();
          }}
          onClose={() => setIsAsking(false)}
        >
          <Text>{texts.leaveText(count)}</Text>
        </ActionDialog>
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

/** Shows the first invalid field after a failed save, but not again while the user is fixing the rest. */
function useFocusOnIssue(issues: Issues, look: number, onGo: (path: string) => void): void {
  const current = useRef({ issues, onGo });
  current.current = { issues, onGo };
  useEffect(() => {
    const [first] = Object.keys(current.current.issues);
    if (look > 0 && first !== undefined) current.current.onGo(first);
  }, [look]);
}
