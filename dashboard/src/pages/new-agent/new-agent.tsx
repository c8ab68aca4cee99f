import { Button } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { CodeIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useNotice } from '../../parts/notice.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { useVoices } from '../../speech/use-voices.ts';
import { BackToAgents } from '../agent/agent-header.tsx';
import { check } from '../agent/checks.ts';
import { CodeDrawer } from '../agent/code-drawer.tsx';
import { placeOf } from '../agent/fields.ts';
import { focusAt } from '../agent/focus-at.ts';
import { FormFrame } from '../agent/form-frame.tsx';
import { merge } from '../agent/merge.ts';
import { SaveFailure } from '../agent/save-failure.tsx';
import { stored, useAfterWrite } from '../agent/stored-agent.ts';
import { useAgentTexts } from '../agent/texts.ts';
import { type Draft, useDraft } from '../agent/use-draft.ts';
import { useIssues } from '../agent/use-issues.ts';
import { createBody, type Values } from '../agent/values.ts';
import { withFaq } from './faq-desk.ts';
import { firstFields, NewAgentFields } from './new-agent-fields.tsx';
import { TemplateChoice } from './template-choice.tsx';
import { askedTemplate, type ChosenTemplate } from './template-order.ts';
import { templateValues } from './templates.ts';
import { newAgentTexts } from './texts.ts';

const path = '/agents/new';

export function NewAgent() {
  const texts = useTexts(newAgentTexts);
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} above={<BackToAgents />} />
      <ScopeGuard scope="agents:write">
        <NewAgentForm />
      </ScopeGuard>
    </>
  );
}

function NewAgentForm() {
  const texts = useTexts(newAgentTexts);
  const agentTexts = useAgentTexts();
  const [isOpen, setIsOpen] = useState(false);
  const [showsCode, setShowsCode] = useState(false);
  const { template, choose, draft } = useTemplate();
  const issues = useIssues(null, draft.values);
  const create = useCreate(template, issues.showAnswer);
  const go = useCallback((place: string) => {
    if (!firstFields.some((name) => place === name || place.startsWith(`${name}.`))) setIsOpen(true);
    focusAt(place);
  }, []);
  useEffect(() => {
    // After the page has taken the focus itself.
    const timer = setTimeout(() => document.getElementById(placeOf('name'))?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  const save = () => {
    if (create.isPending) return;
    if (issues.show(check(draft.values, null, agentTexts))) create.mutate(draft.values);
  };
  const showCode = (
    <Button variant="subtle" color="gray" leftSection={<CodeIcon size={16} />} onClick={() => setShowsCode(true)}>
      {texts.code}
    </Button>
  );
  return (
    <>
      <FormFrame
        within={path}
        draft={draft}
        issues={issues}
        isReadOnly={false}
        isSaving={create.isPending}
        canSaveUnchanged
        saveLabel={agentTexts.create}
        onSave={save}
        onDiscard={() => {
          draft.restart(draft.base);
          issues.clear();
        }}
        onGo={go}
        before={showCode}
        failure={<SaveFailure error={create.error} />}
      >
        <TemplateChoice chosen={template} onChoose={choose} />
        <NewAgentFields draft={draft} issues={issues.all} isOpen={isOpen} onOpen={setIsOpen} />
      </FormFrame>
      {showsCode && <CodeDrawer values={draft.values} onClose={() => setShowsCode(false)} />}
    </>
  );
}

function useCreate(template: ChosenTemplate, onError: (error: unknown) => void) {
  const texts = useAgentTexts();
  const notice = useNotice();
  const client = useClient();
  const afterWrite = useAfterWrite();
  const [, navigate] = useLocation();
  return useSingleMutation({
    mutationFn: async (values: Values) => {
      const complete = template.name === 'faq-desk' ? await withFaq(client, values, template.language) : values;
      return client.agents.create(createBody(complete)).withResponse();
    },
    onSuccess: (response) => {
      afterWrite(stored(response));
      notice(texts.created);
      // Replaces the history entry, so that the back button skips the completed form.
      navigate(`/agents/${response.data.id}`, { replace: true });
    },
    onError,
  });
}

/** The template that was chosen, or that the address asks for. What was typed is kept. */
function useTemplate(): { template: ChosenTemplate; choose: (template: ChosenTemplate) => void; draft: Draft } {
  const { language } = useLanguage();
  const [parameters] = useSearchParams();
  const [template, setTemplate] = useState(() => askedTemplate(parameters, language));
  const draft = useDraft(useState(() => templateValues(template))[0]);
  const { base, values, restart } = draft;
  const choose = (chosen: ChosenTemplate) => {
    setTemplate(chosen);
    const next = templateValues(chosen);
    restart(next, merge(base, next, values));
  };
  useUsualVoice(draft);
  return { template, choose, draft };
}

/** The voice of an example may not exist here: the first voice of the language is used instead. */
function useUsualVoice({ base, values, restart }: Draft): void {
  const provider = typeof values.ttsProvider === 'string' ? values.ttsProvider : 'auto';
  const voices = useVoices(provider, typeof values.language === 'string' ? values.language : '');
  const [first] = voices;
  const isKnown = voices.some(({ voiceId }) => voiceId === values.voiceId);
  const isTyped = values.voiceId !== base.voiceId;
  useEffect(() => {
    if (first === undefined || isKnown || isTyped) return;
    const voice = { voiceId: first.voiceId };
    restart({ ...base, ...voice }, { ...values, ...voice });
  }, [first, isKnown, isTyped, base, values, restart]);
}
