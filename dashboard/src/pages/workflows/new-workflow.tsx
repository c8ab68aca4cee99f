import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useTexts } from '../../language/language.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { useNotice } from '../../parts/notice.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import cards from '../../parts/template-cards.module.css';
import { useClient } from '../../session/use-session.ts';
import { requestOf, type WorkflowValues } from '../../workflows/definition.ts';
import type { Finding } from '../../workflows/findings.ts';
import { SaveFailure } from './save-failure.tsx';
import { type TemplateName, templateNamed, templateNames } from './templates.ts';
import { workflowsTexts } from './texts.ts';
import { useFindings } from './use-findings.ts';
import { useWorkflowDraft } from './workflow-draft.ts';
import { WorkflowForm } from './workflow-form.tsx';

const path = '/workflows/new';

export function NewWorkflow() {
  const texts = useTexts(workflowsTexts);
  const [isTesting, setIsTesting] = useState(false);
  return (
    <>
      <PageHeader
        title={texts.newTitle}
        description={texts.newAbout}
        above={<BackLink href="/workflows">{texts.toList}</BackLink>}
        actions={
          <GuardedButton scope="workflows:write" variant="default" onClick={() => setIsTesting(true)}>
            {texts.test}
          </GuardedButton>
        }
      />
      <ScopeGuard scope="workflows:write">
        <Form isTesting={isTesting} onTested={() => setIsTesting(false)} />
      </ScopeGuard>
    </>
  );
}

function Form({ isTesting, onTested }: { readonly isTesting: boolean; readonly onTested: () => void }) {
  const texts = useTexts(workflowsTexts);
  const [parameters] = useSearchParams();
  const asked = templateNames.find((name) => name === parameters.get('template')) ?? 'chat';
  const [template, setTemplate] = useState<TemplateName>(asked);
  const draft = useWorkflowDraft(templateNamed(template, texts));
  const findings = useFindings(draft.values);
  const [refused, setRefused] = useState<readonly Finding[]>([]);
  const creating = useCreate((error, values) => setRefused(findings.show(error, values)));
  const choose = (name: TemplateName) => {
    setTemplate(name);
    setRefused([]);
    findings.clear();
    draft.restart(templateNamed(name, texts));
  };
  return (
    <WorkflowForm
      within={path}
      key={template}
      draft={draft}
      findings={findings}
      refused={refused}
      isReadOnly={false}
      isSaving={creating.isPending}
      canSaveUnchanged
      saveLabel={texts.create}
      isTesting={isTesting}
      onTested={onTested}
      onSave={() => creating.mutate(draft.values)}
      onDiscard={() => choose(template)}
      failure={<SaveFailure error={creating.error} isListed={refused.length > 0} />}
      notices={<Templates chosen={template} onChoose={choose} />}
    />
  );
}

interface TemplatesProps {
  readonly chosen: TemplateName;
  readonly onChoose: (name: TemplateName) => void;
}

/** Radio buttons as cards. */
function Templates({ chosen, onChoose }: TemplatesProps) {
  const texts = useTexts(workflowsTexts);
  return (
    <fieldset className={cards.cards}>
      <legend className={cards.legend}>{texts.template}</legend>
      {templateNames.map((name) => (
        <label key={name} className={cards.card}>
          <input type="radio" name="template" value={name} checked={name === chosen} onChange={() => onChoose(name)} />
          <span className={cards.title}>{texts[name]}</span>
          <span className={cards.about}>{texts[`${name}About`]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function useCreate(onRefused: (error: unknown, values: WorkflowValues) => void) {
  const texts = useTexts(workflowsTexts);
  const notice = useNotice();
  const { workflows } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useSingleMutation({
    mutationFn: async (values: WorkflowValues) => await workflows.create(requestOf(values)),
    onSuccess: ({ id }) => {
      queryClient.invalidateQueries({ queryKey: ['workflows'] });
      notice(texts.createdDone);
      // Replaces the history entry, so that the back button skips the completed form.
      navigate(`/workflows/${id}`, { replace: true });
    },
    onError: (error, values) => onRefused(error, values),
  });
}
