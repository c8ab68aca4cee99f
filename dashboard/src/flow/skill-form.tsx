import { Button, Tooltip } from '@mantine/core';
import { answerKinds } from '../../../src/contract/agents/settings/answer-kinds.ts';
import { CopyIcon, PlayIcon, TrashIcon } from '../icons.tsx';
import { CheckInput, ChoiceInput, FormHead, JsonInput, NumberInput, TextInput } from '../parts/form-inputs.tsx';
import { textOf } from '../parts/json-value.ts';
import { GuardedButton } from '../parts/scope-guard.tsx';
import classes from './flow.module.css';
import { type Skill, skillTypes } from './flow.ts';
import { OptionsInput } from './options-input.tsx';
import { RoutesInput } from './routes-input.tsx';
import { type SkillContext, TargetInput } from './target-input.tsx';
import { typeLabel } from './texts.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface SkillFormProps {
  readonly skill: Skill;
  readonly context: SkillContext;
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  /** The names of the numbers that its calls can be transferred to. */
  readonly transfers: readonly string[];
  readonly isStart: boolean;
  /** Null if the call would use something else than what is shown. */
  readonly onRun: (() => void) | null;
  readonly onRename: (id: string) => void;
  readonly onStartHere: () => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

/** One skill as a form. Its inputs have the paths of the agent as ids. */
export function SkillForm(props: SkillFormProps) {
  const { skill, context, isStart, onRun, onRename, onStartHere, onDuplicate, onRemove } = props;
  const texts = useFlowTexts();
  const { isReadOnly } = context;
  return (
    <section className={classes.form} aria-labelledby={`${context.place}-title`}>
      <FormHead
        context={context}
        title={texts.skillTitle(typeLabel(skill.type, texts), skill.id)}
        order={2}
        id={skill.id}
        idLabel={texts.id}
        idHint={texts.idHint}
        onRename={onRename}
      />
      {!(skillTypes as readonly string[]).includes(skill.type) && (
        <ChoiceInput
          context={context}
          path="type"
          label={texts.type}
          value={skill.type}
          options={skillTypes.map((type) => ({ value: type, label: texts[type] }))}
        />
      )}
      <Parts {...props} />
      <div className={classes.formActions}>
        <Tooltip label={texts.runUnsaved} disabled={onRun !== null}>
          <span>
            <GuardedButton
              scope="calls:write"
              size="xs"
              variant="default"
              leftSection={<PlayIcon size={14} />}
              disabled={onRun === null}
              onClick={() => onRun?.()}
            >
              {texts.runFromHere}
            </GuardedButton>
          </span>
        </Tooltip>
        {!isReadOnly && !isStart && (
          <Button size="xs" variant="default" onClick={onStartHere}>
            {texts.startHere}
          </Button>
        )}
        {!isReadOnly && (
          <Button size="xs" variant="default" leftSection={<CopyIcon size={14} />} onClick={onDuplicate}>
            {texts.duplicate}
          </Button>
        )}
        {!isReadOnly && (
          <Button
            size="xs"
            variant="subtle"
            color="var(--app-bad)"
            leftSection={<TrashIcon size={14} />}
            onClick={onRemove}
          >
            {texts.remove}
          </Button>
        )}
      </div>
    </section>
  );
}

/** The fields of each type, in the order in which a call uses them. */
function Parts({ skill, context, tools, transfers }: SkillFormProps) {
  const texts = useFlowTexts();
  const says = (isOptional = false) => (
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
  const target = (path: 'next' | 'otherwise', label: string) => (
    <TargetInput context={context} path={path} label={label} value={skill[path]} />
  );
  const named = (path: 'tool' | 'transfer', label: string, hint: string, names: readonly string[]) => (
    <TextInput context={context} path={path} label={label} hint={hint} value={skill[path]} suggestions={names} />
  );
  switch (skill.type) {
    case 'say':
      return (
        <>
          {says()}
          <CheckInput
            context={context}
            path="interruptible"
            label={texts.interruptible}
            value={skill.interruptible !== false}
          />
          {target('next', texts.next)}
        </>
      );
    case 'ask':
      return (
        <>
          {says()}
          <Answer skill={skill} context={context} />
          <Retry skill={skill} context={context} />
          {target('next', texts.next)}
          {target('otherwise', texts.otherwise)}
        </>
      );
    case 'choose':
      return (
        <>
          {says()}
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
          {target('otherwise', texts.otherwise)}
        </>
      );
    case 'branch':
      return (
        <>
          <RoutesInput skill={skill} context={context} />
          {target('otherwise', texts.otherwise)}
        </>
      );
    case 'set':
      return (
        <>
          <JsonInput context={context} path="variables" label={texts.variables} value={skill.variables} />
          {target('next', texts.next)}
        </>
      );
    case 'tool':
      return (
        <>
          {named('tool', texts.toolName, texts.toolHint, tools)}
          <JsonInput context={context} path="arguments" label={texts.arguments} value={skill.arguments} />
          <TextInput context={context} path="say" label={texts.toolSay} value={skill.say} isOptional />
          {target('next', texts.next)}
          {target('otherwise', texts.failed)}
        </>
      );
    case 'transfer':
      return (
        <>
          {says(true)}
          {named('transfer', texts.transferName, texts.transferHint, transfers)}
          {target('otherwise', texts.failed)}
        </>
      );
    case 'answer':
      return (
        <>
          {says(true)}
          <Limit skill={skill} context={context} path="minScore" min={0} max={1} placeholder="0.2" />
          {target('next', texts.next)}
          {target('otherwise', texts.notFound)}
        </>
      );
    case 'prompt':
      return (
        <>
          <TextInput context={context} path="prompt" label={texts.promptText} rows={5} value={skill.prompt} />
          <RoutesInput skill={skill} context={context} />
          <Limit skill={skill} context={context} path="maxTurns" min={1} max={1000} placeholder="50" />
          {target('next', texts.afterTurns)}
        </>
      );
    case 'end':
      return says(true);
    default:
      return null;
  }
}

interface PartProps {
  readonly skill: Skill;
  readonly context: SkillContext;
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
