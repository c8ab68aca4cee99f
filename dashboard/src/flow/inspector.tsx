import { ActionIcon, Button, Title } from '@mantine/core';
import type { Agent } from '../../../sdk/src/index.ts';
import { CloseIcon, CopyIcon, TrashIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { placeOf } from '../pages/agent/fields.ts';
import { useAgentTexts } from '../pages/agent/texts.ts';
import { isSame, type Values } from '../pages/agent/values.ts';
import { isRecord, textOf } from '../parts/json-value.ts';
import { useTrial } from '../try/try-context.ts';
import { editorKeys } from './editor-keys.ts';
import type { SkillFinding } from './findings.ts';
import { type Flow, rename, type SkillType, withSkill, withValue } from './flow.ts';
import classes from './flow-page.module.css';
import { ProblemList } from './problem-list.tsx';
import { nameProblem } from './problem-names.ts';
import { SkillForm } from './skill-form.tsx';
import type { EditOptions } from './use-flow-edits.ts';
import { useFlowTexts } from './use-flow-texts.ts';

export interface InspectorProps {
  readonly agent: Agent;
  readonly base: Values;
  readonly values: Values;
  readonly flow: Flow;
  readonly settings: Record<string, unknown>;
  readonly selected: ReadonlySet<number>;
  readonly start: number;
  readonly findings: readonly SkillFinding[];
  readonly isReadOnly: boolean;
  readonly onGo: (position: number, path: string) => void;
  readonly onEdit: (flow: Flow, options?: EditOptions) => void;
  /** Letters that are typed after this are another edit. */
  readonly onLeave: () => void;
  /** A new step that a route of the step leads to. */
  readonly onCreate: (position: number, path: string, type: SkillType) => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** What is selected: the form of a step, what can be done with several, or what is wrong in the flow. */
export function Inspector(props: InspectorProps) {
  const { flow, selected } = props;
  const [position] = selected;
  const skill = selected.size === 1 && position !== undefined ? flow.skills[position] : undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes events of its children.
    <div className={classes.inspector} onBlur={props.onLeave}>
      {skill !== undefined && position !== undefined ? (
        <Step key={position} {...props} position={position} />
      ) : selected.size > 1 ? (
        <Several {...props} />
      ) : (
        <Nothing {...props} />
      )}
    </div>
  );
}

function Step(props: InspectorProps & { readonly position: number }) {
  const { agent, base, values, flow, settings, position, start, findings, isReadOnly, onEdit, onClose } = props;
  const texts = useFlowTexts();
  const { saidByService } = useAgentTexts();
  const { open } = useTrial();
  const skill = flow.skills[position];
  if (skill === undefined) return null;
  const isSaved = isSame(base.agentSettings, values.agentSettings);
  const own = findings.filter((finding) => finding.skill === position);
  // In the words of the list of problems, also next to the field.
  const named = own.map((finding) => ({ ...finding, message: nameProblem(skill, finding, texts, saidByService).text }));
  return (
    <>
      <ActionIcon
        className={classes.closeForm as string}
        variant="subtle"
        color="gray"
        aria-label={texts.closeForm}
        onClick={onClose}
      >
        <CloseIcon />
      </ActionIcon>
      <SkillForm
        skill={skill}
        tools={namesIn(settings.tools)}
        transfers={namesIn(isRecord(settings.phone) ? settings.phone.transfers : undefined)}
        isStart={position === start}
        context={{
          place: placeOf(`agentSettings.flow.skills.${position}`),
          findings: named,
          isReadOnly,
          ids: flow.skills.map(({ id }) => id),
          say: (message) => message,
          set: (path, value) =>
            onEdit(withSkill(flow, position, withValue(skill, path.split('.'), value)), {
              name: `${position} ${path}`,
            }),
          create: (path, type) => props.onCreate(position, path, type),
        }}
        onRun={isSaved ? () => open({ id: agent.id, name: agent.name, startSkillId: skill.id }) : null}
        onRename={(id) => {
          const isStart = values.startSkillId === skill.id;
          onEdit(rename(flow, position, id), { name: `${position} id`, ...(isStart && { startSkillId: id }) });
        }}
        onStartHere={() => onEdit(flow, { startSkillId: skill.id })}
        onDuplicate={props.onDuplicate}
        onRemove={props.onRemove}
      />
    </>
  );
}

function Several({ flow, selected, isReadOnly, onDuplicate, onRemove }: InspectorProps) {
  const texts = useFlowTexts();
  return (
    <section className={classes.nothing}>
      <Title order={2} size="h5">
        {texts.selected(selected.size)}
      </Title>
      <p>{texts.selectedHint}</p>
      <ul className={classes.selectedIds}>
        {[...selected].map((position) => (
          <li key={position}>{flow.skills[position]?.id}</li>
        ))}
      </ul>
      {!isReadOnly && (
        <div className={classes.actions}>
          <Button size="xs" variant="default" leftSection={<CopyIcon size={14} />} onClick={onDuplicate}>
            {texts.duplicate}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="var(--app-bad)"
            leftSection={<TrashIcon size={14} />}
            onClick={onRemove}
          >
            {texts.removeSeveral}
          </Button>
        </div>
      )}
    </section>
  );
}

function Nothing({ flow, findings, onGo }: InspectorProps) {
  const texts = useFlowTexts();
  const { language } = useLanguage();
  return (
    <section className={classes.nothing}>
      <p>{texts.choosePlease}</p>
      <Title order={2} size="h5">
        {texts.problemsTitle}
      </Title>
      {findings.length === 0 ? <p>{texts.noProblems}</p> : <ProblemList flow={flow} findings={findings} onGo={onGo} />}
      <Title order={2} size="h5" className={classes.keysTitle}>
        {texts.keys}
      </Title>
      <dl className={classes.keys}>
        {editorKeys[language].map(([keys, meaning]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter(isRecord).map(({ name }) => textOf(name)) : [];
}
