import { answerKinds } from '../../../src/contract/agents/settings/answer-kinds.ts';
import { CheckInput, ChoiceInput, JsonInput, NumberInput, TextInput } from '../parts/form-inputs.tsx';
import { textOf } from '../parts/json-value.ts';
import classes from './flow.module.css';
import type { Skill } from './flow.ts';
import { OptionsInput } from './options-input.tsx';
import { RoutesInput } from './routes-input.tsx';
import { type SkillContext, TargetInput } from './target-input.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

interface PartProps {
  readonly skill: Skill;
  readonly context: SkillContext;
}

export interface SkillFieldsProps extends PartProps {
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  /** The names of the numbers that its calls can be transferred to. */
  readonly transfers: readonly string[];
}

/** The fields of each type, in the order in which a call uses them. */
export function SkillFields({ skill, context, tools, transfers }: SkillFieldsProps) {
  const part = { skill, context };
  switch (skill.type) {
    case 'say':
      return <SayFields {...part} />;
    case 'ask':
      return <AskFields {...part} />;
    case 'choose':
      return <ChooseFields {...part} />;
    case 'branch':
      return <BranchFields {...part} />;
    case 'set':
      return <SetFields {...part} />;
    case 'tool':
      return <ToolFields {...part} tools={tools} />;
    case 'transfer':
      return <TransferFields {...part} transfers={transfers} />;
    case 'answer':
      return <AnswerFields {...part} />;
    case 'prompt':
      return <PromptFields {...part} />;
    case 'end':
      return <Says {...part} isOptional />;
    default:
      return null;
  }
}

function SayFields({ skill, context }: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <Says skill={skill} context={context} />
      <CheckInput
        context={context}
        path="interruptible"
        label={texts.interruptible}
        value={skill.interruptible !== false}
      />
      <Target skill={skill} context={context} path="next" label={texts.next} />
    </>
  );
}

function AskFields(props: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <Says {...props} />
      <Answer {...props} />
      <Retry {...props} />
      <Target {...props} path="next" label={texts.next} />
      <Target {...props} path="otherwise" label={texts.otherwise} />
    </>
  );
}

function ChooseFields({ skill, context }: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <Says skill={skill} context={context} />
      <ChoiceInput
        context={context}
        path="by"
        label={texts.by}
        value={skill.by ?? 'words'}
        options={[
          { value: 'words', label: texts.by_words },
          { value: 'model', label: texts.by_model },
        ]}
      />
      <RoutesInput skill={skill} context={context} />
      <Retry skill={skill} context={context} />
      <Target skill={skill} context={context} path="otherwise" label={texts.otherwise} />
    </>
  );
}

function BranchFields(props: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <RoutesInput {...props} />
      <Target {...props} path="otherwise" label={texts.otherwise} />
    </>
  );
}

function SetFields({ skill, context }: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <JsonInput context={context} path="variables" label={texts.variables} value={skill.variables} />
      <Target skill={skill} context={context} path="next" label={texts.next} />
    </>
  );
}

function ToolFields({ skill, context, tools }: PartProps & Pick<SkillFieldsProps, 'tools'>) {
  const texts = useFlowTexts();
  return (
    <>
      <TextInput
        context={context}
        path="tool"
        label={texts.toolName}
        hint={texts.toolHint}
        value={skill.tool}
        suggestions={tools}
      />
      <JsonInput context={context} path="arguments" label={texts.arguments} value={skill.arguments} />
      <TextInput context={context} path="say" label={texts.toolSay} value={skill.say} isOptional />
      <Target skill={skill} context={context} path="next" label={texts.next} />
      <Target skill={skill} context={context} path="otherwise" label={texts.failed} />
    </>
  );
}

function TransferFields({ skill, context, transfers }: PartProps & Pick<SkillFieldsProps, 'transfers'>) {
  const texts = useFlowTexts();
  return (
    <>
      <Says skill={skill} context={context} isOptional />
      <TextInput
        context={context}
        path="transfer"
        label={texts.transferName}
        hint={texts.transferHint}
        value={skill.transfer}
        suggestions={transfers}
      />
      <Target skill={skill} context={context} path="otherwise" label={texts.failed} />
    </>
  );
}

function AnswerFields(props: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <Says {...props} isOptional />
      <Limit {...props} path="minScore" min={0} max={1} placeholder="0.2" />
      <Target {...props} path="next" label={texts.next} />
      <Target {...props} path="otherwise" label={texts.notFound} />
    </>
  );
}

function PromptFields({ skill, context }: PartProps) {
  const texts = useFlowTexts();
  return (
    <>
      <TextInput context={context} path="prompt" label={texts.promptText} rows={5} value={skill.prompt} />
      <RoutesInput skill={skill} context={context} />
      <Limit skill={skill} context={context} path="maxTurns" min={1} max={1000} placeholder="50" />
      <Target skill={skill} context={context} path="next" label={texts.afterTurns} />
    </>
  );
}

function Says({ skill, context, isOptional = false }: PartProps & { readonly isOptional?: boolean }) {
  const texts = useFlowTexts();
  return (
    <TextInput
      context={context}
      path="text"
      label={texts.text}
      hint={texts.textHint}
      rows={2}
      value={skill.text}
      isOptional={isOptional}
    />
  );
}

interface TargetProps extends PartProps {
  readonly path: 'next' | 'otherwise';
  readonly label: string;
}

function Target({ skill, path, ...props }: TargetProps) {
  return <TargetInput {...props} path={path} value={skill[path]} />;
}

function Answer({ skill, context }: PartProps) {
  const texts = useFlowTexts();
  const within = Array.isArray(skill.within) ? skill.within.map(textOf) : ['', ''];
  const setWithin = (index: number, value: unknown) => {
    const changed = within.with(index, textOf(value));
    context.set('within', changed.every((time) => time === '') ? undefined : changed);
  };
  return (
    <>
      <div className={classes.pair}>
        <TextInput context={context} path="variable" label={texts.variable} value={skill.variable} />
        <ChoiceInput
          context={context}
          path="as"
          label={texts.as}
          value={skill.as}
          options={answerKinds.map((kind) => ({ value: kind, label: texts[`as_${kind}`] }))}
        />
      </div>
      {skill.as === 'choice' && <OptionsInput skill={skill} context={context} />}
      {skill.as === 'time' && (
        <div className={classes.pair}>
          {[texts.withinFrom, texts.withinTo].map((label, index) => (
            <TextInput
              key={label}
              context={{ ...context, set: (_, value) => setWithin(index, value) }}
              path={`within.${index}`}
              label={label}
              value={within[index]}
            />
          ))}
        </div>
      )}
      <CheckInput context={context} path="confirm" label={texts.confirm} value={skill.confirm === true} />
    </>
  );
}

function Retry({ skill, context }: PartProps) {
  const texts = useFlowTexts();
  const { text, max } = (skill.retry ?? {}) as { text?: unknown; max?: unknown };
  return (
    <>
      <TextInput context={context} path="retry.text" label={texts.retryText} rows={1} value={text} isOptional />
      <NumberInput
        context={context}
        path="retry.max"
        label={texts.retryMax}
        value={max}
        min={0}
        max={5}
        placeholder="2"
      />
    </>
  );
}

interface LimitProps extends PartProps {
  readonly path: 'maxTurns' | 'minScore';
  readonly min: number;
  readonly max: number;
  readonly placeholder: string;
}

function Limit({ skill, path, ...props }: LimitProps) {
  const texts = useFlowTexts();
  const step = path === 'minScore' ? 0.05 : 1;
  return <NumberInput {...props} path={path} label={texts[path]} value={skill[path]} step={step} />;
}
