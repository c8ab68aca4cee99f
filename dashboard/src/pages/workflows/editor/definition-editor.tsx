import { Button, Loader, Menu, SegmentedControl, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Call } from '../../../../../sdk/src/index.ts';
import { callFieldNames } from '../../../analytics/call-fields.ts';
import { withValue } from '../../../flow/flow.ts';
import { PlusIcon } from '../../../icons.tsx';
import { useTexts } from '../../../language/language.tsx';
import { lazyPart } from '../../../lazy-page.ts';
import { isRecord } from '../../../parts/json-value.ts';
import { LazyPart } from '../../../parts/lazy-part.tsx';
import { useIsNarrow } from '../../../parts/narrow.ts';
import list from '../../../parts/step-list.module.css';
import { useClient, useScope } from '../../../session/use-session.ts';
import { CallChoice } from '../../../workflows/call-choice.tsx';
import { callCompletions, runCompletions, secretCompletions, stepCompletions } from '../../../workflows/completions.ts';
import {
  addStep,
  type Definition,
  earlierSteps,
  maxSteps,
  moveStep,
  removeStep,
  renameStep,
  type Step,
  type StepType,
  stepTypes,
  withStep,
} from '../../../workflows/definition.ts';
import type { Finding } from '../../../workflows/findings.ts';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { useAgentTexts } from '../../agent/texts.ts';
import classes from './editor.module.css';
import { type StepOffers, StepOffersContext } from './editor-context.ts';
import { focusPart, placeOf } from './places.ts';
import { StepForm } from './step-form.tsx';
import { editorTexts } from './texts.ts';
import { TriggerForm } from './trigger-form.tsx';
import type { Part } from './workflow-graph.tsx';
import { WorkflowList } from './workflow-list.tsx';

const WorkflowGraph = lazyPart(async () => (await import('./workflow-graph.tsx')).WorkflowGraph);
const CodeEditor = lazyPart(async () => (await import('./code-editor.tsx')).CodeEditor);

type View = 'graph' | 'list' | 'json' | 'yaml';

interface DefinitionEditorProps {
  readonly definition: Definition;
  readonly findings: readonly Finding[];
  readonly isReadOnly: boolean;
  readonly selected: Part | null;
  readonly onSelect: (part: Part | null) => void;
  /** The call whose values are shown. */
  readonly call: Call | null;
  readonly onCall: (call: Call | null) => void;
  /** The ids of the steps that a test has reached. */
  readonly reached: ReadonlySet<string> | null;
  readonly onChange: (definition: Definition) => void;
  readonly onBroken: (isBroken: boolean) => void;
}

/** The trigger and the steps: as a graph or a list with a form beside it, or as code. */
export function DefinitionEditor(props: DefinitionEditorProps) {
  const { definition, findings, isReadOnly, selected, call, reached, onSelect, onCall, onChange, onBroken } = props;
  const texts = useTexts(editorTexts);
  const isNarrow = useIsNarrow();
  const [chosen, setChosen] = useState<View | null>(null);
  const view = chosen ?? (isNarrow ? 'list' : 'graph');
  const edit = (part: Part) => {
    onSelect(part);
    focusPart(part, part === 'trigger' ? 'event' : 'id');
  };
  const add = (type: StepType) => {
    const added = addStep(definition, type, afterOf(definition, selected));
    onChange(added.definition);
    edit(added.position);
  };
  const shown = { definition, selected, reached, findings, isReadOnly, onSelect, onEdit: edit, onChange };
  const isCode = view === 'json' || view === 'yaml';
  return (
    <section className={classes.frame} aria-labelledby="definition-title" id="workflow-definition" tabIndex={-1}>
      <h2 className="visually-hidden" id="definition-title">
        {texts.definition}
      </h2>
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label={texts.view}
          value={view}
          onChange={(next) => {
            setChosen(next as View);
            onBroken(false);
          }}
          data={(['graph', 'list', 'json', 'yaml'] as const).map((value) => ({ value, label: texts[value] }))}
        />
        <span className={classes.toolsHint}>{view === 'graph' && !isReadOnly && texts.graphHint}</span>
        {!isCode && <CallChoice size="xs" label={texts.sample} isLabelHidden call={call} onChange={onCall} />}
        {!isReadOnly && !isCode && <AddStep isFull={definition.steps.length >= maxSteps} onAdd={add} />}
      </div>
      {isCode ? (
        <LazyPart fallback={<Loader size="sm" m="lg" />}>
          <CodeEditor
            key={view}
            language={view}
            definition={definition}
            isReadOnly={isReadOnly}
            onChange={onChange}
            onBroken={onBroken}
          />
        </LazyPart>
      ) : (
        <div className={classes.split}>
          {view === 'list' ? (
            <WorkflowList {...shown} />
          ) : (
            <div className={classes.graph}>
              <LazyPart fallback={<Loader size="sm" m="auto" />}>
                <WorkflowGraph {...shown} />
              </LazyPart>
            </div>
          )}
          <Selected {...props} onEdit={edit} />
        </div>
      )}
    </section>
  );
}

/** After the step that is selected, otherwise at the end. */
function afterOf({ steps }: Definition, selected: Part | null): number {
  if (selected === 'trigger') return -1;
  return selected ?? steps.length - 1;
}

function AddStep({ isFull, onAdd }: { readonly isFull: boolean; readonly onAdd: (type: StepType) => void }) {
  const texts = useTexts(editorTexts);
  const words = useWorkflowTexts();
  return (
    <Menu position="bottom-end" width={300} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<PlusIcon size={14} />}>
          {texts.addStep}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.types as string}>
        {isFull && <Menu.Label>{texts.full}</Menu.Label>}
        {stepTypes.map((type) => (
          <Menu.Item key={type} disabled={isFull} onClick={() => onAdd(type)}>
            <strong>{words[type]}</strong>
            <span className={classes.about}>{texts[`${type}About`]}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface SelectedProps extends DefinitionEditorProps {
  readonly onEdit: (part: Part) => void;
}

/** The form of what is selected, or everything that is wrong. */
function Selected(props: SelectedProps) {
  const { definition, findings, selected, isReadOnly, onChange } = props;
  const { saidByService } = useAgentTexts();
  const offers = useOffers(props);
  const step = typeof selected === 'number' ? definition.steps[selected] : undefined;
  if (selected !== 'trigger' && step === undefined) return <Nothing {...props} />;
  const context = {
    place: placeOf(selected as Part),
    findings: findings.filter(({ part }) => part === selected),
    isReadOnly,
    say: saidByService,
  };
  return (
    <StepOffersContext value={offers}>
      {step === undefined ? (
        <TriggerForm
          trigger={definition.trigger}
          context={{
            ...context,
            set: (path, value) =>
              onChange({ ...definition, trigger: withValue(definition.trigger, path.split('.'), value) }),
          }}
        />
      ) : (
        <SelectedStep {...props} key={selected} step={step} position={selected as number} context={context} />
      )}
    </StepOffersContext>
  );
}

interface SelectedStepProps extends DefinitionEditorProps {
  readonly step: Step;
  readonly position: number;
  readonly context: Omit<Parameters<typeof StepForm>[0]['context'], 'later' | 'set'>;
}

function SelectedStep({ definition, step, position, context, onChange, onSelect }: SelectedStepProps) {
  const { steps } = definition;
  return (
    <StepForm
      step={step}
      isFirst={position === 0}
      isLast={position === steps.length - 1}
      context={{
        ...context,
        later: steps.slice(position + 1).map(({ id }) => id),
        set: (path, value) => {
          const changed = path === '' ? (value as Step) : withValue(step, namesIn(step, path), value);
          onChange(withStep(definition, position, changed));
        },
      }}
      onRename={(id) => onChange(renameStep(definition, position, id))}
      onMove={(by) => {
        onChange(moveStep(definition, position, by));
        onSelect(position + by);
      }}
      onRemove={() => {
        onChange(removeStep(definition, position));
        onSelect(null);
        // The button that had the focus is gone.
        focusPart(null, '');
      }}
    />
  );
}

/** Names of headers and keys may contain dots. */
function namesIn(step: Step, path: string): readonly string[] {
  const [first = '', ...rest] = path.split('.');
  const name = rest.join('.');
  return isRecord(step[first]) && Object.hasOwn(step[first], name) ? [first, name] : [first, ...rest];
}

function Nothing({ definition, findings, onEdit }: SelectedProps) {
  const texts = useTexts(editorTexts);
  const { saidByService } = useAgentTexts();
  return (
    <div className={classes.nothing}>
      {texts.choosePlease}
      <ul className={list.problems}>
        {findings.map(({ part, path, message }) => (
          <li key={JSON.stringify([part, path, message])}>
            <UnstyledButton className={list.problem as string} onClick={() => part !== null && onEdit(part)}>
              <code>
                {[typeof part === 'number' ? definition.steps[part]?.id : part, path]
                  .filter((name) => name !== undefined && name !== null && name !== '')
                  .join('.')}
              </code>{' '}
              {saidByService(message)}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the inputs of the selected step can offer. */
function useOffers({ definition, selected, call }: DefinitionEditorProps): StepOffers {
  const { secrets } = useClient();
  const { isAllowed } = useScope('secrets:read');
  const { data = [] } = useQuery({
    queryKey: ['secrets'],
    queryFn: async ({ signal }) => (await secrets.list({ signal })).items,
    enabled: isAllowed,
  });
  return useMemo(() => {
    const earlier = typeof selected === 'number' ? earlierSteps(definition.steps, selected) : [];
    const ofSteps = stepCompletions(earlier);
    const own = callCompletions(call).flatMap(({ path }) => {
      const [, name = ''] = /^call\.((?:analysis\.data|metadata|variables|collectedVariables)\..+)$/.exec(path) ?? [];
      return name === '' ? [] : [name];
    });
    return {
      values: [...callCompletions(call), ...ofSteps, ...runCompletions],
      secrets: secretCompletions(data),
      fields: [...own, ...callFieldNames, ...ofSteps.map(({ path }) => path)],
      call,
    };
  }, [definition.steps, selected, call, data]);
}
