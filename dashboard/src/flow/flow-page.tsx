import { Alert, Anchor, Button, Loader, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Agent, AgentCheck } from '../../../sdk/src/index.ts';
import { WorkflowIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { lazyPart } from '../lazy-page.ts';
import { engineOf } from '../pages/agent/engines.ts';
import { type FieldName, placeOf } from '../pages/agent/fields.ts';
import { focusAt } from '../pages/agent/focus-at.ts';
import { hrefOf } from '../pages/agent/tabs.ts';
import { isObject, isSame, type Values } from '../pages/agent/values.ts';
import { LazyPart } from '../parts/lazy-part.tsx';
import { useIsCovering } from '../parts/narrow.ts';
import { State } from '../parts/state.tsx';
import { useTrial } from '../try/try-context.ts';
import { Canvas, type CanvasControls, type Wanted } from './canvas/canvas.tsx';
import { CreateMenu } from './create-menu.tsx';
import { hasPlaces, withPlaces } from './edits.ts';
import { connect, type Flow, flowIn, skillTypes, startOf } from './flow.ts';
import { FlowList } from './flow-list.tsx';
import classes from './flow-page.module.css';
import { FlowToolbar } from './flow-toolbar.tsx';
import type { FlowHistory } from './history.ts';
import { Inspector } from './inspector.tsx';
import type { Point } from './layout/geometry.ts';
import { layoutRequestOf } from './layout/request.ts';
import { useLayout } from './layout/use-layout.ts';
import { newSimulation, type Simulation, walkOf } from './simulate/simulation.ts';
import { StepPalette } from './step-palette.tsx';
import { useActive } from './use-active.ts';
import { useCanvasSteps } from './use-canvas-steps.ts';
import { useEditorKeys } from './use-editor-keys.ts';
import { useFindings } from './use-findings.ts';
import { useFlowActions } from './use-flow-actions.ts';
import { useFlowEdits } from './use-flow-edits.ts';
import { useFlowTexts } from './use-flow-texts.ts';

const SimulatePanel = lazyPart(async () => (await import('./simulate/simulate-panel.tsx')).SimulatePanel);

export interface FlowPageProps {
  readonly agent: Agent;
  readonly base: Values;
  readonly values: Values;
  /** What the service has found in the saved draft. */
  readonly check: AgentCheck | null;
  readonly isReadOnly: boolean;
  /** The positions of the selected steps. */
  readonly selected: ReadonlySet<number>;
  readonly history: RefObject<FlowHistory>;
  readonly onSelect: (positions: ReadonlySet<number>) => void;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

const noFlow: Flow = { skills: [] };
const nothing: ReadonlySet<number> = new Set();

/** The flow of an agent on a page of its own. */
export function FlowPage(props: FlowPageProps) {
  const texts = useFlowTexts();
  const { values, agent } = props;
  if (engineOf(values) !== 'conversation_flow') {
    const link = (
      <Anchor component={Link} href={hrefOf(agent.id, 'prompt')}>
        {texts.toSettings}
      </Anchor>
    );
    return (
      <State icon={<WorkflowIcon />} title={texts.notFlow} actions={link}>
        {texts.notFlowNext}
      </State>
    );
  }
  const settings = isObject(values.agentSettings) ? values.agentSettings : {};
  const flow = flowIn(settings);
  const isBroken =
    (flow === null && settings.flow !== undefined) ||
    (values.agentSettings !== undefined && !isObject(values.agentSettings));
  if (isBroken) {
    return (
      <Alert color="orange" variant="light" m="md">
        {texts.unreadable}
      </Alert>
    );
  }
  return <Editor {...props} flow={flow ?? noFlow} settings={settings} />;
}

interface EditorProps extends FlowPageProps {
  readonly flow: Flow;
  readonly settings: Record<string, unknown>;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the parts of the page, and what connects them.
function Editor(props: EditorProps) {
  const { agent, base, values, flow, settings, selected, isReadOnly, history, onSelect, onChange } = props;
  const texts = useFlowTexts();
  const isCovering = useIsCovering();
  const isSmall = useIsSmall();
  const [view, setView] = useState<'graph' | 'list' | null>(null);
  const [panel, setPanel] = useState<'step' | 'simulate'>('step');
  const [wanted, setWanted] = useState<{ readonly wanted: Wanted; readonly at: Point } | null>(null);
  const [simulation, setSimulation] = useState<Simulation>(newSimulation);
  const walk = useMemo(() => walkOf(simulation), [simulation]);
  const controls = useRef<CanvasControls>(null);
  const search = useRef<HTMLInputElement>(null);
  const isList = (view ?? (isCovering ? 'list' : 'graph')) === 'list';
  const edits = useFlowEdits({ values, settings, history, onChange });
  const findings = useFindings(props);
  const inCall = useActive(agent.id, flow);
  const start = startOf(flow, values.startSkillId);
  const watched = flow.skills.findIndex(({ id }) => id === walk.skillId);
  const active = watched === -1 ? inCall : watched;
  const steps = useCanvasSteps({ flow, start, active, findings, coverage: walk.coverage });
  const layout = useFlowLayout(flow, start);
  const actions = useFlowActions({ flow, selected, isReadOnly, onSelect, edits, places: layout.places, setPanel });
  const findStep = (position: number) => {
    onSelect(new Set([position]));
    setPanel('step');
    controls.current?.show(position);
    if (isList) focusAt(`agentSettings.flow.skills.${position}.id`);
    else setTimeout(() => document.querySelector<HTMLElement>(`.react-flow__node[data-id="${position}"]`)?.focus());
  };
  useEditorKeys({
    ...actions,
    undo: edits.undo,
    redo: edits.redo,
    selectAll: () => onSelect(new Set(flow.skills.keys())),
    clear: () => onSelect(nothing),
    fit: () => controls.current?.fit(),
    zoom: (by) => controls.current?.zoom(by),
    search: () => search.current?.focus(),
    isReadOnly,
  });
  const isWaiting = !layout.isCurrent && flow.skills.length > 0 && layout.places.every((place) => place === null);
  const isPanelShown = !isSmall || panel === 'simulate' || selected.size > 0;
  return (
    <div className={classes.editor} data-has-panel={isPanelShown || undefined}>
      <FlowToolbar
        flow={flow}
        isList={isList}
        isReadOnly={isReadOnly}
        isSmall={isSmall}
        search={search}
        selectedCount={selected.size}
        hasPlaces={hasPlaces(flow)}
        undo={edits.undo}
        redo={edits.redo}
        onView={setView}
        onFind={findStep}
        onAdd={actions.add}
        onDuplicate={actions.duplicate}
        onRemove={actions.remove}
        onTidy={actions.tidy}
        onFit={() => controls.current?.fit()}
        onZoom={(by) => controls.current?.zoom(by)}
      />
      <div className={classes.body}>
        {!isReadOnly && !isSmall && !isList && <StepPalette onAdd={actions.add} />}
        <section className={classes.view} id={placeOf('agentSettings.flow')} tabIndex={-1} aria-label={texts.canvas}>
          {flow.skills.length === 0 ? (
            <div className={classes.empty}>
              <strong>{texts.none}</strong>
              <p>{texts.noneNext}</p>
            </div>
          ) : isList ? (
            <FlowList
              flow={flow}
              start={start}
              selected={selected}
              active={active}
              findings={findings}
              onSelect={(position) => actions.select(new Set([position]))}
              onEdit={actions.editStep}
            />
          ) : (
            <Canvas
              controls={controls}
              steps={steps}
              places={layout.places}
              edges={layout.edges}
              isCurrent={layout.isCurrent}
              selected={selected}
              active={active}
              walking={walk.route}
              isAutomatic={!hasPlaces(flow)}
              isReadOnly={isReadOnly}
              onSelect={actions.select}
              onEdit={actions.editStep}
              onMove={(places) => edits.edit(withPlaces(flow, places))}
              onConnect={(position, path, to) => {
                const id = flow.skills[to]?.id;
                if (id !== undefined) edits.edit(connect(flow, position, path, id));
              }}
              onWanted={(place, at) => setWanted({ wanted: place, at })}
              onDropType={(type, place) => {
                const known = skillTypes.find((each) => each === type);
                if (known !== undefined) actions.create(known, { place, from: null });
              }}
            />
          )}
          {!isList && isWaiting && <Pending retry={layout.retry} />}
        </section>
        {isPanelShown ? (
          <section className={classes.panel} aria-label={texts.panel}>
            <SegmentedControl
              className={classes.panelChoice as string}
              size="xs"
              aria-label={texts.panel}
              value={panel}
              onChange={(chosen) => setPanel(chosen as 'step' | 'simulate')}
              data={[
                { value: 'step', label: texts.panelStep },
                { value: 'simulate', label: texts.panelSimulate },
              ]}
            />
            {panel === 'simulate' ? (
              <LazyPart fallback={<Loader size="sm" m="auto" />}>
                <SimulatePanel
                  agent={agent}
                  flow={flow}
                  startSkillId={values.startSkillId}
                  simulation={simulation}
                  onChange={setSimulation}
                  isSaved={isSame(base.agentSettings, values.agentSettings)}
                  onGo={actions.editStep}
                  onClose={isSmall ? () => setPanel('step') : null}
                />
              </LazyPart>
            ) : (
              <Inspector
                {...props}
                start={start}
                findings={findings}
                onGo={actions.editStep}
                onEdit={edits.edit}
                onLeave={edits.endEdit}
                onCreate={(position, path, type) => actions.create(type, { place: null, from: { position, path } })}
                onDuplicate={actions.duplicate}
                onRemove={actions.remove}
                onClose={() => onSelect(nothing)}
              />
            )}
          </section>
        ) : (
          <button type="button" className={classes.openSimulate} onClick={() => setPanel('simulate')}>
            {texts.panelSimulate}
          </button>
        )}
      </div>
      {wanted !== null && (
        <CreateMenu
          flow={flow}
          wanted={wanted.wanted}
          at={wanted.at}
          onChoose={(type) => actions.create(type, wanted.wanted)}
          onClose={() => setWanted(null)}
        />
      )}
    </div>
  );
}

/** The ids are those of the list, so that a step keeps its place when others come and go. */
function useFlowLayout(flow: Flow, start: number) {
  const request = useMemo(() => layoutRequestOf(flow, start), [flow, start]);
  const ids = useMemo(() => flow.skills.map(({ id }) => id), [flow]);
  return useLayout(request, ids);
}

/** Until the first layout is there; or that there is none. The list needs none. */
function Pending({ retry }: { readonly retry: (() => void) | null }) {
  const texts = useFlowTexts();
  const { texts: shared } = useLanguage();
  if (retry === null) return <Loader size="sm" className={classes.loading as string} />;
  return (
    <div className={classes.failed} role="alert">
      <p>{texts.layoutFailed}</p>
      <Button size="xs" variant="default" onClick={retry}>
        {shared.tryAgain}
      </Button>
    </div>
  );
}

/** Whether the form has no room beside the canvas, as in the style. The panel for trying an agent is 25em wide. */
function useIsSmall(): boolean {
  const { agent } = useTrial();
  const query = agent === null ? '(max-width: 48em)' : '(max-width: 73em)';
  return useMediaQuery(query, false, { getInitialValueInEffect: false });
}
