import type { RefObject } from 'react';
import type { FlowHistory } from '../../flow/history.ts';
import { lazyPart } from '../../lazy-page.ts';
import { LazyPart } from '../../parts/lazy-part.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { AgentFields } from './agent-fields.tsx';
import type { Issues } from './checks.ts';
import { engineOf } from './engines.ts';
import { type FieldTab, groupsOf } from './fields.ts';
import classes from './form.module.css';
import type { StoredAgent } from './stored-agent.ts';
import type { TabName } from './tabs.ts';
import type { AgentCheckState } from './use-agent-check.ts';
import type { Draft } from './use-draft.ts';
import { isObject } from './values.ts';

// What is below a tab that is rarely opened is loaded with it.
const AgentWebhook = lazyPart(async () => (await import('./agent-webhook.tsx')).AgentWebhook);
const AgentCalls = lazyPart(async () => (await import('./agent-calls.tsx')).AgentCalls);
const Versions = lazyPart(async () => (await import('./versions.tsx')).Versions);
const Code = lazyPart(async () => (await import('./code.tsx')).Code);
const KnowledgeField = lazyPart(async () => (await import('./knowledge-field.tsx')).KnowledgeField);
const RecordingField = lazyPart(async () => (await import('./recording-field.tsx')).RecordingField);
const ToolsField = lazyPart(async () => (await import('../../tools/tools-field.tsx')).ToolsField);
const FlowPreview = lazyPart(async () => (await import('../../flow/flow-preview.tsx')).FlowPreview);
const FlowPage = lazyPart(async () => (await import('../../flow/flow-page.tsx')).FlowPage);

/** What the flow editor shows, which stays while the tab changes. */
interface FlowPlaces {
  /** The positions of the selected steps. */
  readonly steps: ReadonlySet<number>;
  readonly select: (positions: ReadonlySet<number>) => void;
  readonly history: RefObject<FlowHistory>;
}

interface EditorTabProps {
  readonly tab: TabName;
  readonly stored: StoredAgent;
  /** What the form is based on. */
  readonly base: StoredAgent;
  readonly draft: Draft;
  readonly issues: Issues;
  readonly check: AgentCheckState;
  readonly isReadOnly: boolean;
  readonly places: FlowPlaces;
  /** Shows a place of the agent. */
  readonly onGo: (path: string) => void;
}

export function EditorTab(props: EditorTabProps) {
  const { tab } = props;
  if (tab === 'flow') return <FlowTab {...props} />;
  return (
    <div className={classes.tab}>
      <LazyPart fallback={<PageSkeleton />} place={tab}>
        {tab === 'prompt' && <PromptTab {...props} />}
        {tab === 'voice' && <Fields {...props} tab="voice" />}
        {tab === 'analysis' && <AnalysisTab {...props} />}
        {tab === 'webhook' && (
          <>
            <Fields {...props} tab="webhook" />
            <AgentWebhook agentId={props.stored.agent.id} />
          </>
        )}
        {tab === 'calls' && <AgentCalls agentId={props.stored.agent.id} />}
        {tab === 'versions' && <Versions stored={props.stored} />}
        {tab === 'code' && <Code stored={props.base} draft={props.draft} />}
      </LazyPart>
    </div>
  );
}

type FieldsProps = Pick<EditorTabProps, 'draft' | 'issues' | 'isReadOnly'>;

function Fields({ tab, ...props }: FieldsProps & { readonly tab: FieldTab }) {
  return <Groups groups={groupsOf[tab]} {...props} />;
}

function Groups({ groups, draft, issues, isReadOnly }: FieldsProps & { readonly groups: (typeof groupsOf)[FieldTab] }) {
  return (
    <AgentFields
      groups={groups}
      base={draft.base}
      values={draft.values}
      issues={issues}
      isReadOnly={isReadOnly}
      onChange={draft.change}
    />
  );
}

function AnalysisTab(props: EditorTabProps) {
  const { draft, isReadOnly } = props;
  return (
    <>
      <Fields {...props} tab="analysis" />
      <RecordingField base={draft.base} values={draft.values} isReadOnly={isReadOnly} onChange={draft.change} />
    </>
  );
}

function FlowTab({ stored, draft, check, isReadOnly, places }: EditorTabProps) {
  return (
    <LazyPart fallback={<PageSkeleton />} place="flow">
      <FlowPage
        agent={stored.agent}
        base={draft.base}
        values={draft.values}
        check={check.result}
        isReadOnly={isReadOnly}
        selected={places.steps}
        history={places.history}
        onSelect={places.select}
        onChange={draft.change}
      />
    </LazyPart>
  );
}

function PromptTab({ stored, draft, issues, check, isReadOnly, onGo }: EditorTabProps) {
  const engine = engineOf(draft.values);
  const props = { draft, issues, isReadOnly };
  return (
    <div className={classes.groups}>
      <Groups groups={['basics']} {...props} />
      {engine === 'conversation_flow' && (
        <FlowPreview agent={stored.agent} base={draft.base} values={draft.values} check={check.result} onGo={onGo} />
      )}
      <Groups groups={['engine']} {...props} />
      {/* The server of a custom engine searches by itself. */}
      {engine !== 'custom_llm' && (
        <KnowledgeField values={draft.values} isReadOnly={isReadOnly} onChange={draft.change} />
      )}
      {/* The server of a custom engine has its own tools, too; those that are there can be seen and removed. */}
      {(engine !== 'custom_llm' || hasTools(draft.values)) && (
        <ToolsField
          agentId={stored.agent.id}
          base={draft.base}
          values={draft.values}
          check={check.result}
          isReadOnly={isReadOnly}
          onChange={draft.change}
        />
      )}
      <Groups groups={['advanced']} {...props} />
    </div>
  );
}

function hasTools({ agentSettings }: Draft['values']): boolean {
  return isObject(agentSettings) && agentSettings.tools !== undefined;
}
