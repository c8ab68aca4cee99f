import { Title } from '@mantine/core';
import { useTexts } from '../../../language/language.tsx';
import { AgentsInput } from '../../../parts/agents-input.tsx';
import inputs from '../../../parts/form-inputs.module.css';
import { CheckInput, ChoiceInput, type FormContext, messagesAt } from '../../../parts/form-inputs.tsx';
import type { Trigger } from '../../../workflows/definition.ts';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import classes from './editor.module.css';
import { FilterInput } from './filter-input.tsx';
import { editorTexts } from './texts.ts';

interface TriggerFormProps {
  readonly trigger: Trigger;
  readonly context: FormContext;
}

/** What starts a run. */
export function TriggerForm({ trigger, context }: TriggerFormProps) {
  const texts = useTexts(editorTexts);
  const words = useWorkflowTexts();
  const agentIssues = messagesAt(context, 'agentIds');
  const agentIds = Array.isArray(trigger.agentIds) ? trigger.agentIds.map(String) : [];
  const isAnalyzed = trigger.event !== 'call_ended';
  const set = (name: string) => (_: string, value: unknown) => context.set(name, value === true ? true : undefined);
  return (
    <section className={classes.form} aria-labelledby={`${context.place}-title`}>
      <Title order={3} size="h5" id={`${context.place}-title`}>
        {words.trigger}
      </Title>
      <div id={context.place} tabIndex={-1} className={inputs.whole} />
      <ChoiceInput
        context={context}
        path="event"
        label={texts.event}
        hint={isAnalyzed ? texts.analyzedHint : texts.endedHint}
        value={trigger.event}
        options={[
          { value: 'call_analyzed', label: words.call_analyzed },
          { value: 'call_ended', label: words.call_ended },
        ]}
      />
      <div id={`${context.place}.agentIds`} tabIndex={-1} className={inputs.whole}>
        <AgentsInput
          label={texts.agents}
          description={texts.agentsHint}
          placeholder={texts.allAgents}
          agentIds={agentIds}
          error={agentIssues.length > 0 ? agentIssues.join(' · ') : undefined}
          onChange={(ids) => !context.isReadOnly && context.set('agentIds', ids.length === 0 ? undefined : ids)}
        />
      </div>
      <FilterInput context={context} path="filter" label={texts.onlyIf} value={trigger.filter} isOptional />
      {isAnalyzed && (
        <div>
          <CheckInput
            context={{ ...context, set: set('onEveryAnalysis') }}
            path="onEveryAnalysis"
            label={texts.onEveryAnalysis}
            value={trigger.onEveryAnalysis === true}
          />
          <p className={inputs.hint}>{texts.onEveryAnalysisHint}</p>
        </div>
      )}
      <CheckInput
        context={{ ...context, set: set('includeDrafts') }}
        path="includeDrafts"
        label={texts.includeDrafts}
        value={trigger.includeDrafts === true}
      />
    </section>
  );
}
