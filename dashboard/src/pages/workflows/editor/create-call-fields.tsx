import { useTexts } from '../../../language/language.tsx';
import inputs from '../../../parts/form-inputs.module.css';
import { ChoiceInput, type FormContext, messagesAt } from '../../../parts/form-inputs.tsx';
import { isRecord, textOf } from '../../../parts/json-value.ts';
import { AgentChoice } from '../../../phone/agent-choice.tsx';
import { usePhoneNumbers } from '../../../phone/use-phone.ts';
import classes from './editor.module.css';
import { PairsInput, type PairsInputProps } from './pairs-input.tsx';
import type { StepFieldsProps } from './target-input.tsx';
import { TemplateInput } from './template-inputs.tsx';
import { editorTexts } from './texts.ts';

/** What `calls.create` needs for a phone call, and what is often set. Everything else can be set in the code. */
export function CreateCallFields({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  const call = isRecord(step.call) ? step.call : {};
  const agentIssues = messagesAt(context, 'call.agentId');
  return (
    <>
      <div id={`${context.place}.call.agentId`} tabIndex={-1} className={inputs.whole}>
        <AgentChoice
          label={texts.agent}
          agentId={textOf(call.agentId) || null}
          error={agentIssues.length > 0 ? agentIssues.join(' · ') : undefined}
          onChange={(id) => !context.isReadOnly && context.set('call.agentId', id ?? '')}
        />
      </div>
      <NumberChoice context={context} value={textOf(call.fromPhoneNumberId)} />
      <TemplateInput context={context} path="call.to" label={texts.to} hint={texts.toHint} value={call.to} />
      <details className={classes.more} open={hasMore(call) || undefined}>
        <summary>{texts.more}</summary>
        <TemplateInput
          context={context}
          path="call.startAt"
          label={texts.startAt}
          hint={texts.startAtHint}
          value={call.startAt}
          isOptional
        />
        <PairsOrTemplate
          context={context}
          path="call.variables"
          label={texts.variables}
          value={call.variables}
          nameLabel={texts.fieldName}
          addLabel={texts.addVariable}
        />
        <PairsOrTemplate
          context={context}
          path="call.metadata"
          label={texts.metadata}
          value={call.metadata}
          nameLabel={texts.key}
          addLabel={texts.addKey}
        />
        <TemplateInput
          context={context}
          path="call.externalId"
          label={texts.externalId}
          value={call.externalId}
          isOptional
        />
      </details>
    </>
  );
}

/** An object as pairs, unless the code has a text with templates in its place. */
function PairsOrTemplate({ nameLabel, addLabel, ...props }: PairsInputProps) {
  if (typeof props.value === 'string') return <TemplateInput {...props} isOptional />;
  return <PairsInput {...props} nameLabel={nameLabel} addLabel={addLabel} />;
}

function hasMore(call: Readonly<Record<string, unknown>>): boolean {
  return ['startAt', 'variables', 'metadata', 'externalId'].some((name) => call[name] !== undefined);
}

function NumberChoice({ context, value }: { readonly context: FormContext; readonly value: string }) {
  const texts = useTexts(editorTexts);
  const { data = [] } = usePhoneNumbers();
  const numbers = data.map(({ id, number, name }) => ({
    value: id,
    label: name === number ? number : `${name} (${number})`,
  }));
  return (
    <ChoiceInput
      context={context}
      path="call.fromPhoneNumberId"
      label={texts.from}
      value={value}
      options={value === '' ? [{ value: '', label: texts.choose }, ...numbers] : numbers}
    />
  );
}
