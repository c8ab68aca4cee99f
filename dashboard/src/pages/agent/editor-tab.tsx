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

// What is below a tab that is rarely opened is loaded with it.
const AgentWebhook = lazyPart(async () => (await import('./agent-webhook.tsx')).AgentWebhook);
const AgentCalls = lazyPart(async () => (await import('./agent-calls.tsx')).AgentCalls);
const Versions = lazyPart(async () => (await import('./versions.tsx')).Versions);
const Code = lazyPart(async () => (await import('./code.tsx')).Code);
const KnowledgeField = lazyPart(async () => (await import('./knowledge-field.tsx')).KnowledgeField);
const FlowField = lazyPart(async () => (await import('../../flow/flow-field.tsx')).FlowField);

interface EditorTabProps {
  readonly tab: TabName;
  readonly stored: StoredAgent;
  /** What the form is based on. */
  readonly held: StoredAgent;
  readonly draft: Draft;
  readonly issues: Issues;
  readonly check: AgentCheckState;
  readonly isReadOnly: boolean;
  /** The position of the selected skill. */
  readonly skill: number | null;
  readonly onSelectSkill: (position: number | null) => void;
}

export function EditorTab(props: EditorTabProps) {
  const { tab } = props;
  return (
    <div className={classes.tab}>
      <LazyPart fallback={<PageSkeleton />} place={tab}>
        {tab === 'prompt' && <PromptTab {...props} />}
        {(tab === 'voice' || tab === 'analysis') && <Fields {...props} tab={tab} />}
        {tab === 'webhook' && (
          <>
            <Fields {...props} tab="webhook" />
            <AgentWebhook agentId={props.stored.agent.id} />
          </>
        )}
        {tab === 'calls' && <AgentCalls agentId={props.stored.agent.id} />}
        {tab === 'versions' && <Versions stored={props.stored} />}
        {tab === 'code' && <Code stored={props.held} draft={props.draft} />}
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

function PromptTab({ stored, draft, issues, check, isReadOnly, skill, onSelectSkill }: EditorTabProps) {
  const engine = engineOf(draft.values);
  const props = { draft, issues, isReadOnly };
  return (
    <div className={classes.groups}>
      <Groups groups={['basics']} {...props} />
      {engine === 'conversation_flow' && (
        <FlowField
          agent={stored.agent}
          base={draft.base}
          values={draft.values}
          check={check.result}
          isReadOnly={isReadOnly}
          selected={skill}
          onSelect={onSelectSkill}
          onChange={draft.change}
        />
      )}
      <Groups groups={['engine']} {...props} />
      {/* The server of a custom engine searches by itself. */}
      {engine !== 'custom_llm' && (
        <KnowledgeField values={draft.values} isReadOnly={isReadOnly} onChange={draft.change} />
      )}
      <Groups groups={['advanced']} {...props} />
    </div>
  );
}
