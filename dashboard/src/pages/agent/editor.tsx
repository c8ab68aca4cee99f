import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState, useLocationProperty } from 'wouter/use-browser-location';
import { newHistory } from '../../flow/history.ts';
import { useScope } from '../../session/use-session.ts';
import { AgentHeader } from './agent-header.tsx';
import { AgentTabs } from './agent-tabs.tsx';
import { check } from './checks.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { EditorNotices } from './editor-notices.tsx';
import { EditorTab } from './editor-tab.tsx';
import { FlowHeader } from './flow-header.tsx';
import { focusAt, pathInHash } from './focus-at.ts';
import frame from './form.module.css';
import { FormFrame } from './form-frame.tsx';
import { usePublishing } from './publishing.tsx';
import { SaveFailure } from './save-failure.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { hrefOf, placeAt, type Tab, type TabName, tabsOf } from './tabs.ts';
import { useAgentTexts } from './texts.ts';
import { useDraft } from './use-draft.ts';
import { useIssues } from './use-issues.ts';
import { useSave } from './use-save.ts';
import { changedFields, type Values, valuesOf } from './values.ts';

interface EditorProps {
  /** The latest fetched agent; the form is based on the one from when it was opened or last saved. */
  readonly stored: StoredAgent;
  readonly tab: TabName;
}

/** An agent in tabs. It stays while the tab changes, and so does what is not saved. */
export function Editor({ stored: latest, tab }: EditorProps) {
  const texts = useAgentTexts();
  const { isAllowed, reason } = useScope('agents:write');
  const { id } = latest.agent;
  const editing = useEditing(latest);
  const { base, draft, issues, isDirty, isSaving, theirs } = editing;
  const { go, ...places } = usePlaces(id, draft.values);
  const tabs = tabsOf(draft, issues.all, texts);
  const isFull = tab === 'flow';
  const shown = isDirty ? base : latest;
  const publishing = usePublishing(shown, isDirty, go);
  return (
    <div className={isFull ? frame.full : undefined}>
      <Header stored={shown} hasUnsaved={isDirty} problems={publishing.problems} tabs={tabs} tab={tab} />
      <FormFrame
        isFull={isFull}
        within={hrefOf(id, 'prompt')}
        draft={draft}
        issues={issues}
        isReadOnly={!isAllowed}
        isSaving={isSaving}
        saveLabel={texts.save}
        onSave={editing.save}
        onDiscard={editing.discard}
        onGo={go}
        after={publishing.button}
        notices={
          <EditorNotices
            readOnlyReason={isAllowed ? null : reason}
            nextVersion={base.agent.isPublished && isDirty ? base.agent.version + 1 : null}
            onCompare={editing.isOutdated && isDirty && !isSaving ? editing.compare : null}
          />
        }
        failure={<SaveFailure error={editing.error} />}
      >
        <EditorTab
          tab={tab}
          stored={shown}
          base={base}
          draft={draft}
          issues={issues.all}
          check={publishing.check}
          isReadOnly={!isAllowed}
          places={places}
          onGo={go}
        />
      </FormFrame>
      {publishing.dialog}
      {theirs !== null && (
        <ConflictDialog
          base={draft.base}
          mine={draft.values}
          theirs={theirs}
          onClose={editing.closeConflict}
          onAdopt={(values) => editing.adopt(theirs, values)}
          onSave={(values) => editing.saveOver(theirs, values)}
        />
      )}
    </div>
  );
}

/** The form, based on the agent from when it was opened or last saved, and what happens when it is saved. */
function useEditing(latest: StoredAgent) {
  const texts = useAgentTexts();
  const [base, setBase] = useState(latest);
  const draft = useDraft(useMemo(() => valuesOf(base.agent), [base]));
  const issues = useIssues(draft.base, draft.values);
  const [theirs, setTheirs] = useState<StoredAgent | null>(null);
  const saving = useSave(latest.agent.id, {
    onSaved: (saved, sent) => {
      setBase(saved);
      draft.settle(sent, valuesOf(saved.agent));
    },
    onConflict: setTheirs,
    onRefused: issues.showAnswer,
  });
  const isDirty = draft.changed.length > 0;
  // Compared by `updatedAt`, which never decreases: a saved agent is newer than an earlier fetch.
  const isOutdated = latest.agent.updatedAt > base.agent.updatedAt;

  useEffect(() => {
    if (!isOutdated || isDirty || saving.isPending) return;
    setBase(latest);
    draft.restart(valuesOf(latest.agent));
  }, [isOutdated, isDirty, saving.isPending, latest, draft.restart]);

  const attempt = (before: Values, values: Values, etag: string) => {
    if (saving.isPending || changedFields(before, values).length === 0) return;
    if (issues.show(check(values, before, texts))) saving.mutate({ base: before, values, etag });
  };
  /** Rebases the form on what the other person saved, with `values` as its content. */
  const adopt = (next: StoredAgent, values: Values) => {
    setTheirs(null);
    setBase(next);
    draft.restart(valuesOf(next.agent), values);
  };
  return {
    base,
    draft,
    issues,
    theirs,
    isDirty,
    isOutdated,
    isSaving: saving.isPending,
    error: saving.error,
    adopt,
    save: () => attempt(draft.base, draft.values, base.etag),
    saveOver: (next: StoredAgent, values: Values) => {
      adopt(next, values);
      attempt(valuesOf(next.agent), values, next.etag);
    },
    discard: () => {
      draft.restart(draft.base);
      issues.clear();
    },
    compare: () => setTheirs(latest),
    closeConflict: () => setTheirs(null),
  };
}

interface HeaderProps {
  readonly stored: StoredAgent;
  readonly hasUnsaved: boolean;
  readonly problems: ReactNode;
  readonly tabs: readonly Tab[];
  readonly tab: TabName;
}

/** The flow editor has a header of one line, and no tabs. */
function Header({ tabs, tab, ...props }: HeaderProps) {
  if (tab === 'flow') return <FlowHeader {...props} />;
  return (
    <>
      <AgentHeader {...props} />
      <AgentTabs agentId={props.stored.agent.id} tabs={tabs} current={tab} />
    </>
  );
}

const noSteps: ReadonlySet<number> = new Set();

/** Shows any place of the agent: its tab, its step in the flow, and its field. */
function usePlaces(id: string, values: Values) {
  const [, navigate] = useLocation();
  const [steps, select] = useState(noSteps);
  const history = useRef(newHistory);
  const go = useCallback(
    (path: string) => {
      const href = hrefOf(id, placeAt(path));
      if (location.pathname !== href) navigate(href);
      const index = /^agentSettings\.flow\.skills\.(\d+)/.exec(path)?.[1];
      if (index !== undefined) select(new Set([Number(index)]));
      focusAt(path);
    },
    [id, navigate],
  );
  const hash = useLocationProperty(() => location.hash);
  const visit = useHistoryState();
  // biome-ignore lint/correctness/useExhaustiveDependencies: for the address that was opened, and each that is opened since.
  useEffect(() => {
    const path = pathInHash();
    // After the page has taken the focus itself.
    const timer = setTimeout(() => path !== null && go(path), 50);
    return () => clearTimeout(timer);
  }, [hash, visit]);
  // A step may be gone after a merge or an undo.
  const count = (values.agentSettings as { flow?: { skills?: unknown[] } } | undefined)?.flow?.skills?.length ?? 0;
  const there = useMemo(() => new Set([...steps].filter((position) => position < count)), [steps, count]);
  return { go, steps: there, select, history };
}
