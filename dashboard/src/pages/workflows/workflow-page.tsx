import { Alert, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { NotFoundError } from '../../../../sdk/src/index.ts';
import { WarningIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PendingPage } from '../../parts/resource-state.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { ViewTabs } from '../../parts/view-tabs.tsx';
import { useScope } from '../../session/use-session.ts';
import { valuesOf, type WorkflowValues } from '../../workflows/definition.ts';
import type { Finding } from '../../workflows/findings.ts';
import { healthOf } from '../../workflows/health.ts';
import { useRecentRuns } from '../../workflows/runs/use-runs.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { HealthDot } from './health-dot.tsx';
import { FilteredRuns } from './runs/filtered-runs.tsx';
import { SaveFailure } from './save-failure.tsx';
import { workflowsTexts } from './texts.ts';
import { useFindings } from './use-findings.ts';
import { useSave } from './use-save.ts';
import { type StoredWorkflow, useStoredWorkflow } from './use-workflows.ts';
import { Versions } from './versions.tsx';
import { WorkflowActions } from './workflow-actions.tsx';
import { changedValues, useWorkflowDraft } from './workflow-draft.ts';
import { WorkflowForm } from './workflow-form.tsx';

export function WorkflowPage({ id }: { readonly id: string }) {
  return (
    <ScopeGuard scope="workflows:read">
      <Loader key={id} id={id} />
    </ScopeGuard>
  );
}

function Loader({ id }: { readonly id: string }) {
  const texts = useTexts(workflowsTexts);
  const { data, error, refetch } = useStoredWorkflow(id);
  if (data === undefined || error instanceof NotFoundError) {
    const list = { href: '/workflows', name: texts.toList };
    return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
  }
  return <Editor latest={data} />;
}

function Editor({ latest }: { readonly latest: StoredWorkflow }) {
  const texts = useTexts(workflowsTexts);
  const { isAllowed, reason } = useScope('workflows:write');
  const { id } = latest.workflow;
  const [isTesting, setIsTesting] = useState(false);
  const editing = useEditing(latest);
  const { draft, findings, refused, saving, theirs } = editing;
  const isDirty = draft.changed.length > 0;
  const views = (editor: () => React.ReactNode) => (
    <ViewTabs
      label={latest.workflow.name}
      views={{
        steps: { title: texts.steps, content: editor },
        runs: { title: texts.runs, content: () => <FilteredRuns workflowId={id} /> },
        versions: { title: texts.versions, content: () => <Versions workflow={latest.workflow} /> },
      }}
    />
  );
  return (
    <>
      <Header stored={latest} isDirty={isDirty} onTest={() => setIsTesting(true)} />
      <WorkflowForm
        within={`/workflows/${id}`}
        draft={draft}
        findings={findings}
        refused={refused}
        isReadOnly={!isAllowed}
        isSaving={saving.isPending}
        saveLabel={texts.save}
        isTesting={isTesting}
        onTested={() => setIsTesting(false)}
        onSave={editing.save}
        onDiscard={editing.discard}
        failure={<SaveFailure error={saving.error} isListed={refused.length > 0} />}
        notices={
          <Notices
            stored={latest}
            readOnlyReason={isAllowed ? null : reason}
            onCompare={editing.isOutdated && isDirty && !saving.isPending ? editing.compare : null}
          />
        }
      >
        {views}
      </WorkflowForm>
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
    </>
  );
}

/** The form, based on the workflow from when it was opened or last saved, and what happens when it is saved. */
function useEditing(latest: StoredWorkflow) {
  const [base, setBase] = useState(latest);
  const draft = useWorkflowDraft(valuesOf(base.workflow));
  const findings = useFindings(draft.values);
  const [refused, setRefused] = useState<readonly Finding[]>([]);
  const [theirs, setTheirs] = useState<StoredWorkflow | null>(null);
  const { restart } = draft;
  const saving = useSave(latest.workflow.id, {
    onSaved: (saved, sent) => {
      setBase(saved);
      setRefused([]);
      findings.clear();
      draft.settle(sent, valuesOf(saved.workflow));
    },
    onConflict: setTheirs,
    onRefused: (error) => setRefused(findings.show(error, draft.values)),
  });
  const isDirty = draft.changed.length > 0;
  const isNewer = latest.workflow.updatedAt > base.workflow.updatedAt;
  const isOutdated = isNewer && changedValues(draft.base, valuesOf(latest.workflow)).length > 0;
  useEffect(() => {
    if (!isNewer || isDirty || saving.isPending) return;
    setBase(latest);
    restart(valuesOf(latest.workflow));
  }, [isNewer, isDirty, saving.isPending, latest, restart]);
  const attempt = (before: WorkflowValues, values: WorkflowValues, etag: string) => {
    if (!saving.isPending && changedValues(before, values).length > 0) saving.mutate({ base: before, values, etag });
  };
  const adopt = (next: StoredWorkflow, values: WorkflowValues) => {
    setTheirs(null);
    setBase(next);
    draft.restart(valuesOf(next.workflow), values);
  };
  return {
    draft,
    findings,
    refused,
    saving,
    theirs,
    isOutdated,
    adopt,
    save: () => attempt(draft.base, draft.values, base.etag),
    saveOver: (next: StoredWorkflow, values: WorkflowValues) => {
      adopt(next, values);
      attempt(valuesOf(next.workflow), values, next.etag);
    },
    discard: () => {
      draft.restart(draft.base);
      setRefused([]);
      findings.clear();
    },
    compare: () => setTheirs(latest),
    closeConflict: () => setTheirs(null),
  };
}

interface HeaderProps {
  readonly stored: StoredWorkflow;
  readonly isDirty: boolean;
  readonly onTest: () => void;
}

function Header({ stored, isDirty, onTest }: HeaderProps) {
  const texts = useTexts(workflowsTexts);
  const { workflow } = stored;
  const { data: runs = [] } = useRecentRuns();
  return (
    <PageHeader
      title={workflow.name}
      above={<BackLink href="/workflows">{texts.toList}</BackLink>}
      description={
        <>
          <HealthDot health={healthOf(workflow, runs)} /> · {texts.versionOf(String(workflow.version))}
        </>
      }
      actions={<WorkflowActions stored={stored} isDirty={isDirty} onTest={onTest} />}
    />
  );
}

interface NoticesProps {
  readonly stored: StoredWorkflow;
  readonly readOnlyReason: string | null;
  readonly onCompare: (() => void) | null;
}

function Notices({ stored: { workflow }, readOnlyReason, onCompare }: NoticesProps) {
  const texts = useTexts(workflowsTexts);
  return (
    <>
      {workflow.disabledReason === 'failing' && (
        <Alert color="red" variant="light" icon={<WarningIcon />} mb="md" py="xs">
          {texts.disabledFailingText}
        </Alert>
      )}
      {readOnlyReason !== null && (
        <Alert variant="default" mb="md" py="xs">
          {texts.readOnly} {readOnlyReason}
        </Alert>
      )}
      {onCompare !== null && (
        <Alert color="orange" variant="light" icon={<WarningIcon />} mb="md" py="xs">
          {texts.outdated}{' '}
          <Button size="compact-xs" variant="default" onClick={onCompare}>
            {texts.compare}
          </Button>
        </Alert>
      )}
    </>
  );
}
