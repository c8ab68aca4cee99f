import { TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Call } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { useFinishedCalls } from '../../workflows/call-choice.tsx';
import type { Finding } from '../../workflows/findings.ts';
import { FormFrame } from '../agent/form-frame.tsx';
import { useAgentTexts } from '../agent/texts.ts';
import { DefinitionEditor } from './editor/definition-editor.tsx';
import { focusPart } from './editor/places.ts';
import type { Part } from './editor/workflow-graph.tsx';
import { FindingsAlert } from './findings-alert.tsx';
import { TestDrawer } from './test/test-drawer.tsx';
import { workflowsTexts } from './texts.ts';
import type { useFindings } from './use-findings.ts';
import type { WorkflowDraft } from './workflow-draft.ts';
import classes from './workflows.module.css';

interface WorkflowFormProps {
  /** The path of the form: see LeaveGuard. */
  readonly within: string;
  readonly draft: WorkflowDraft;
  readonly findings: ReturnType<typeof useFindings>;
  /** What prevented the last attempt to save. */
  readonly refused: readonly Finding[];
  readonly isReadOnly: boolean;
  readonly isSaving: boolean;
  readonly canSaveUnchanged?: boolean;
  readonly saveLabel: string;
  readonly isTesting: boolean;
  readonly onTested: () => void;
  readonly notices?: ReactNode;
  readonly failure?: ReactNode;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  /** In place of the editor, such as the runs. */
  readonly children?: (editor: () => ReactNode) => ReactNode;
}

const noIssues = { issues: {}, others: [], look: 0 };

/** The name, the definition and the bar that saves. */
export function WorkflowForm(props: WorkflowFormProps) {
  const { draft, findings, refused, isReadOnly, isTesting, onTested } = props;
  const [isBroken, setIsBroken] = useState(false);
  const [selected, select] = useState<Part | null>('trigger');
  const [call, setCall] = useSampleCall();
  const [reached, setReached] = useState<ReadonlySet<string> | null>(null);
  const { values, change } = draft;
  const { trigger, steps } = values;
  const definition = useMemo(() => ({ trigger, steps }), [trigger, steps]);
  const go = ({ part, path }: Finding) => {
    if (part === null) return document.getElementById(`workflow-${path}`)?.focus();
    select(part);
    focusPart(part, path);
  };
  useFocusOnRefusal(refused, go);
  const editor = () => (
    <>
      <Names draft={draft} findings={findings.all} isReadOnly={isReadOnly} />
      <DefinitionEditor
        definition={definition}
        findings={findings.all}
        isReadOnly={isReadOnly}
        selected={selected}
        onSelect={select}
        call={call}
        onCall={setCall}
        reached={reached}
        onChange={(changed) => {
          setReached(null);
          change({ trigger: changed.trigger, steps: changed.steps });
        }}
        onBroken={setIsBroken}
      />
    </>
  );
  return (
    <FormFrame
      {...props}
      scope="workflows:write"
      issues={noIssues}
      onSave={() => !isBroken && props.onSave()}
      onGo={() => {}}
      notices={
        <>
          {props.notices}
          <FindingsAlert
            findings={refused.filter((finding) =>
              findings.all.some((each) => JSON.stringify(each) === JSON.stringify(finding)),
            )}
            steps={values.steps}
            onGo={go}
          />
        </>
      }
    >
      <div className={classes.tab}>{props.children === undefined ? editor() : props.children(editor)}</div>
      {isTesting && (
        <TestDrawer
          values={values}
          call={call}
          onCall={setCall}
          onReached={setReached}
          onGo={(finding) => {
            onTested();
            go(finding);
          }}
          onClose={onTested}
        />
      )}
    </FormFrame>
  );
}

interface NamesProps {
  readonly draft: WorkflowDraft;
  readonly findings: readonly Finding[];
  readonly isReadOnly: boolean;
}

function Names({ draft: { values, change }, findings, isReadOnly }: NamesProps) {
  const texts = useTexts(workflowsTexts);
  const { saidByService } = useAgentTexts();
  const errorOf = (path: string) =>
    findings
      .filter((finding) => finding.part === null && finding.path === path)
      .map(({ message }) => saidByService(message))
      .join(' · ') || undefined;
  return (
    <div className={classes.names}>
      <TextInput
        id="workflow-name"
        label={texts.name}
        value={values.name}
        maxLength={255}
        readOnly={isReadOnly}
        error={errorOf('name')}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <TextInput
        id="workflow-description"
        label={texts.description}
        placeholder={texts.descriptionHint}
        value={values.description}
        maxLength={1000}
        readOnly={isReadOnly}
        error={errorOf('description')}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
    </div>
  );
}

/** The newest call that is over, until another one is chosen. */
function useSampleCall(): readonly [Call | null, (call: Call | null) => void] {
  const [chosen, choose] = useState<Call | null | undefined>();
  const { data } = useFinishedCalls();
  return [chosen === undefined ? (data?.[0] ?? null) : chosen, choose];
}

/** Shows the first problem after a failed attempt, but not again while the rest is being fixed. */
function useFocusOnRefusal(refused: readonly Finding[], go: (finding: Finding) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs after each attempt.
  useEffect(() => {
    const [first] = refused;
    if (first !== undefined) go(first);
  }, [refused]);
}
