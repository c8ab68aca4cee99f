import { useState } from 'react';
import { useLocation } from 'wouter';
import { useNotice } from '../../parts/notice.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { BackToAgents } from './agent-header.tsx';
import { check } from './checks.ts';
import { CodeDrawer } from './code-drawer.tsx';
import { FormFrame } from './form-frame.tsx';
import { SaveFailure } from './save-failure.tsx';
import { stored, useAfterWrite } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import { useDraft } from './use-draft.ts';
import { useIssues } from './use-issues.ts';
import { createBody, defaultValues, type Values } from './values.ts';

export function NewAgent() {
  const texts = useAgentTexts();
  return (
    <>
      <PageHeader title={texts.newAgent} description={texts.newAgentHint} above={<BackToAgents />} />
      <ScopeGuard scope="agents:write">
        <NewAgentForm />
      </ScopeGuard>
    </>
  );
}

function NewAgentForm() {
  const texts = useAgentTexts();
  const notice = useNotice();
  const client = useClient();
  const afterWrite = useAfterWrite();
  const [, navigate] = useLocation();
  const draft = useDraft(useState(defaultValues)[0]);
  const issues = useIssues(draft.values);
  const [showsCode, setShowsCode] = useState(false);
  const create = useSingleMutation({
    mutationFn: (values: Values) => client.agents.create(createBody(values)).withResponse(),
    onSuccess: (response) => {
      afterWrite(stored(response));
      notice(texts.created);
      // Replaces the history entry, so that the back button skips the completed form.
      navigate(`/agents/${response.data.id}`, { replace: true });
    },
    onError: issues.showAnswer,
  });
  const save = () => {
    if (create.isPending) return;
    if (issues.show(check(draft.values, null, texts))) create.mutate(draft.values);
  };
  return (
    <>
      <FormFrame
        draft={draft}
        issues={issues}
        isReadOnly={false}
        isSaving={create.isPending}
        canSaveUnchanged
        saveLabel={texts.create}
        onSave={save}
        onDiscard={() => {
          draft.restart(draft.base);
          issues.clear();
        }}
        onShowCode={() => setShowsCode(true)}
      >
        <SaveFailure error={create.error} />
      </FormFrame>
      {showsCode && <CodeDrawer target={null} values={draft.values} onClose={() => setShowsCode(false)} />}
    </>
  );
}
