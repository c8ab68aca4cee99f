import { Alert, Button, Loader, Menu, SegmentedControl, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Agent, AgentCheck } from '../../../sdk/src/index.ts';
import { PlusIcon } from '../icons.tsx';
import { lazyPart } from '../lazy-page.ts';
import { type FieldName, placeOf } from '../pages/agent/fields.ts';
import { focusAt } from '../pages/agent/focus-at.ts';
import { useAgentTexts } from '../pages/agent/texts.ts';
import { isObject, isSame, type Values } from '../pages/agent/values.ts';
import { LazyPart } from '../parts/lazy-part.tsx';
import { useIsCovering } from '../parts/narrow.ts';
import { useClient, useScope } from '../session/use-session.ts';
import { useTrial, useTrialCall } from '../try/try-context.ts';
import { findingsHere, findingsOfCheck, type SkillFinding } from './findings.ts';
import classes from './flow.module.css';
import {
  addSkill,
  type Flow,
  flowIn,
  isRecord,
  removeSkill,
  rename,
  type SkillType,
  skillTypes,
  startOf,
  textOf,
  withSkill,
  withValue,
} from './flow.ts';
import { FlowList } from './flow-list.tsx';
import { SkillForm } from './skill-form.tsx';
import { useFlowTexts } from './texts.ts';

const FlowGraph = lazyPart(async () => (await import('./flow-graph.tsx')).FlowGraph);

interface FlowFieldProps {
  readonly agent: Agent;
  readonly base: Values;
  readonly values: Values;
  /** What the service has found in the saved draft. */
  readonly check: AgentCheck | null;
  readonly isReadOnly: boolean;
  /** The position of the selected skill. */
  readonly selected: number | null;
  readonly onSelect: (position: number | null) => void;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

const noFlow: Flow = { skills: [] };

/** The flow of an agent: the skills as a graph or a list, next to a form for one of them. */
export function FlowField(props: FlowFieldProps) {
  const texts = useFlowTexts();
  const { values } = props;
  const settings = isObject(values.agentSettings) ? values.agentSettings : {};
  const flow = flowIn(settings);
  const isBroken =
    (flow === null && settings.flow !== undefined) ||
    (values.agentSettings !== undefined && !isObject(values.agentSettings));
  return (
    <section className={classes.field} id={placeOf('agentSettings.flow')} tabIndex={-1} aria-labelledby="flow-title">
      <h2 className="visually-hidden" id="flow-title">
        {texts.title}
      </h2>
      {isBroken ? (
        <Alert color="orange" variant="light" m="md">
          {texts.unreadable}
        </Alert>
      ) : (
        <FlowEditor {...props} flow={flow ?? noFlow} settings={settings} />
      )}
    </section>
  );
}

interface FlowEditorProps extends FlowFieldProps {
  readonly flow: Flow;
  readonly settings: Record<string, unknown>;
}

function FlowEditor(props: FlowEditorProps) {
  const { flow, settings, values, selected, isReadOnly, onSelect, onChange } = props;
  const texts = useFlowTexts();
  const isCovering = useIsCovering();
  const [view, setView] = useState<'graph' | 'list' | null>(null);
  const change = (next: Flow) => onChange('agentSettings', { ...settings, flow: next });
  const findings = useFindings(props);
  const active = useActive(props);
  const edit = (position: number) => {
    onSelect(position);
    focusAt(`agentSettings.flow.skills.${position}.id`);
  };
  const add = (type: SkillType) => {
    const added = addSkill(flow, type, selected);
    change(added.flow);
    edit(added.position);
  };
  const shown = {
    flow,
    start: startOf(flow, values.startSkillId),
    selected,
    active,
    findings,
    isReadOnly,
    onSelect,
    onEdit: edit,
    onChange: change,
  };
  const isList = (view ?? (isCovering ? 'list' : 'graph')) === 'list';
  return (
    <>
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label={texts.view}
          value={isList ? 'list' : 'graph'}
          onChange={(chosen) => setView(chosen as 'graph' | 'list')}
          data={[
            { value: 'graph', label: texts.graph },
            { value: 'list', label: texts.list },
          ]}
        />
        <span className={classes.toolsHint}>{!isList && flow.skills.length > 0 && !isReadOnly && texts.hint}</span>
        {!isReadOnly && <AddSkill onAdd={add} />}
      </div>
      {flow.skills.length === 0 ? (
        <div className={classes.empty}>
          <strong>{texts.none}</strong>
          <p>{texts.noneNext}</p>
        </div>
      ) : (
        <div className={classes.split}>
          {isList ? (
            <FlowList {...shown} />
          ) : (
            <div className={classes.graph}>
              <LazyPart fallback={<Loader size="sm" m="auto" />}>
                <FlowGraph {...shown} />
              </LazyPart>
            </div>
          )}
          <Selected {...props} findings={findings} onFlow={change} start={shown.start} />
        </div>
      )}
    </>
  );
}

function AddSkill({ onAdd }: { readonly onAdd: (type: SkillType) => void }) {
  const texts = useFlowTexts();
  return (
    <Menu position="bottom-end" width={300} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<PlusIcon size={14} />}>
          {texts.add}
        </Button>
      </Menu.Target>
      {/* Scrolls by itself: scrolling the page would move the button out of view, and the menu is hidden with it. */}
      <Menu.Dropdown className={classes.types as string}>
        {skillTypes.map((type) => (
          <Menu.Item key={type} onClick={() => onAdd(type)}>
            <strong>{texts[type]}</strong>
            <span className={classes.about}>{texts[`${type}About`]}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface SelectedProps extends FlowEditorProps {
  readonly findings: readonly SkillFinding[];
  readonly start: number;
  readonly onFlow: (flow: Flow) => void;
}

function Selected(props: SelectedProps) {
  const { agent, base, flow, settings, values, selected, findings, start, isReadOnly, onFlow, onSelect, onChange } =
    props;
  const texts = useFlowTexts();
  const { saidByService } = useAgentTexts();
  const { open } = useTrial();
  const skill = selected === null ? undefined : flow.skills[selected];
  if (skill === undefined || selected === null) {
    return (
      <div className={classes.nothing}>
        {texts.choosePlease}
        {findings.length > 0 && (
          <ul className={classes.problems}>
            {findings.map((finding) => (
              <li key={`${finding.skill} ${finding.path} ${finding.message}`}>
                <UnstyledButton
                  className={classes.problem as string}
                  data-is-warning={finding.isWarning || undefined}
                  onClick={() => onSelect(finding.skill)}
                >
                  <code>{[flow.skills[finding.skill]?.id, finding.path].filter((part) => part !== '').join('.')}</code>{' '}
                  {saidByService(finding.message)}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        )}
      </div>
    );
  }
  const isSaved = isSame(base.agentSettings, values.agentSettings);
  return (
    <SkillForm
      key={selected}
      skill={skill}
      tools={namesIn(settings.tools)}
      transfers={namesIn(isRecord(settings.phone) ? settings.phone.transfers : undefined)}
      isStart={selected === start}
      context={{
        place: placeOf(`agentSettings.flow.skills.${selected}`),
        findings: findings.filter((finding) => finding.skill === selected),
        isReadOnly,
        ids: flow.skills.map(({ id }) => id),
        say: saidByService,
        set: (path, value) => onFlow(withSkill(flow, selected, withValue(skill, path.split('.'), value))),
      }}
      onRun={isSaved ? () => open({ id: agent.id, name: agent.name, startSkillId: skill.id }) : null}
      onRename={(id) => {
        onFlow(rename(flow, selected, id));
        if (values.startSkillId === skill.id) onChange('startSkillId', id);
      }}
      onStartHere={() => onChange('startSkillId', skill.id)}
      onRemove={() => {
        onFlow(removeSkill(flow, selected));
        onSelect(null);
        // The button that had the focus is gone.
        focusAt('agentSettings.flow');
      }}
    />
  );
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter(isRecord).map(({ name }) => textOf(name)) : [];
}

/** Those of the service for what is saved; those that can be seen here for what is not. */
function useFindings({ flow, base, values, check }: FlowEditorProps): readonly SkillFinding[] {
  const isSaved = isSame(base.agentSettings, values.agentSettings) && isSame(base.startSkillId, values.startSkillId);
  return useMemo(
    () => (isSaved && check !== null ? findingsOfCheck(check) : findingsHere(flow, values.startSkillId)),
    [isSaved, check, flow, values.startSkillId],
  );
}

/** Where the call in the panel is, if it is with this agent. */
function useActive({ agent, flow }: FlowEditorProps): number | null {
  const client = useClient();
  const trial = useTrial();
  const call = useTrialCall();
  const { isAllowed } = useScope('calls:read');
  const isShown = isAllowed && call !== null && trial.agent?.id === agent.id;
  const { data } = useQuery({
    queryKey: ['call-skill', call?.id, call?.turns],
    enabled: isShown,
    queryFn: ({ signal }) => client.calls.skill.get(call?.id ?? '', { signal }),
    placeholderData: keepPreviousData,
    // A spoken call is stored a little after its words are shown.
    refetchInterval: call?.isSpoken ? 1000 : false,
  });
  const position = isShown ? flow.skills.findIndex(({ id }) => id === data?.skillId) : -1;
  return position === -1 ? null : position;
}
