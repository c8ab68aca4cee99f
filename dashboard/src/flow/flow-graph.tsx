import '@xyflow/react/dist/style.css';
import { useComputedColorScheme } from '@mantine/core';
import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { useTexts } from '../language/language.tsx';
import type { SkillFinding } from './findings.ts';
import { connect, type Flow, type Skill, waysOf } from './flow.ts';
import classes from './flow-graph.module.css';
import { handlesOf, nodeHeight, nodeWidth, type Placed, placesOf } from './layout.ts';
import { previewOf, wayLabel } from './skill-preview.ts';
import { flowTexts, typeLabel } from './texts.ts';

export interface FlowViewProps {
  readonly flow: Flow;
  /** The position of the skill that a call starts with. */
  readonly start: number;
  readonly selected: number | null;
  /** Where the call in the panel is. */
  readonly active: number | null;
  readonly findings: readonly SkillFinding[];
  readonly isReadOnly: boolean;
  readonly onSelect: (position: number) => void;
  /** Selects it, and moves the focus to its form. */
  readonly onEdit: (position: number) => void;
  readonly onChange: (flow: Flow) => void;
}

interface SkillData extends Record<string, unknown> {
  readonly skill: Skill;
  readonly isStart: boolean;
  readonly isActive: boolean;
  readonly problems: number;
}

type SkillNode = Node<SkillData, 'skill'>;

const nodeTypes = { skill: SkillBox };
const smallestReadable = 0.7;
const margin = 16;

/** The skills as a graph. Places are computed, so they are the same for everyone. */
export function FlowGraph(props: FlowViewProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph({ flow, start, selected, active, findings, isReadOnly, onSelect, onEdit, onChange }: FlowViewProps) {
  const texts = useTexts(flowTexts);
  const scheme = useComputedColorScheme('light');
  const places = useMemo(() => placesOf(flow), [flow]);
  const nodes = flow.skills.map((skill, position): SkillNode => {
    const problems = findings.filter((finding) => finding.skill === position && !finding.isWarning).length;
    const isActive = position === active;
    const ways = waysOf(skill);
    return {
      id: String(position),
      type: 'skill',
      position: places[position] ?? { x: 0, y: 0 },
      width: nodeWidth,
      height: nodeHeight(ways.length),
      handles: handlesOf(ways),
      selected: position === selected,
      ariaLabel: [
        `${typeLabel(skill.type, texts)} ${skill.id}`,
        ...(position === start ? [texts.start] : []),
        ...(isActive ? [texts.activeNow] : []),
        ...(problems > 0 ? [texts.problems(problems)] : []),
      ].join(', '),
      data: { skill, isStart: position === start, isActive, problems },
    };
  });
  useActiveInView(active, places);
  const showFocused = useFocusedInView(places);
  const edges = useMemo(() => edgesOf(flow), [flow]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      colorMode={scheme}
      onInit={(instance) => void showStart(instance, places, selected ?? start)}
      minZoom={0.15}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={!isReadOnly}
      edgesFocusable={false}
      deleteKeyCode={null}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      preventScrolling={false}
      zoomOnScroll={false}
      panOnScroll={false}
      onNodeClick={(_, { id }) => onSelect(Number(id))}
      autoPanOnNodeFocus={false}
      onFocus={({ currentTarget, target }) => showFocused(currentTarget, target)}
      onKeyDown={(event) => {
        const position = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset.id;
        if (position === undefined || !['Enter', ' '].includes(event.key)) return;
        event.preventDefault();
        onEdit(Number(position));
      }}
      onConnect={({ source, sourceHandle, target }) => {
        const to = flow.skills[Number(target)]?.id;
        if (sourceHandle !== null && to !== undefined) onChange(connect(flow, Number(source), sourceHandle, to));
      }}
      ariaLabelConfig={{
        'node.a11yDescription.default': texts.nodeHint,
        'controls.zoomIn.ariaLabel': texts.zoomIn,
        'controls.zoomOut.ariaLabel': texts.zoomOut,
        'controls.fitView.ariaLabel': texts.zoomFit,
        'controls.ariaLabel': texts.zoom,
        'handle.ariaLabel': texts.handle,
      }}
    >
      <Controls showInteractive={false} position="top-left" orientation="horizontal" />
    </ReactFlow>
  );
}

/** Everything if it can be read then; otherwise the skill that is edited, or the beginning. */
async function showStart(
  instance: ReactFlowInstance<SkillNode>,
  places: readonly Placed[],
  position: number,
): Promise<void> {
  const place = places[position];
  await instance.fitView({ maxZoom: 1, padding: 0.06 });
  if (instance.getZoom() >= smallestReadable || place === undefined) return;
  await instance.setCenter(place.x + nodeWidth / 2, place.y + nodeWidth / 2, { zoom: smallestReadable });
  const viewport = instance.getViewport();
  // Nothing is left of the first column.
  const first = Math.min(...places.map(({ x }) => x));
  await instance.setViewport({ ...viewport, x: Math.min(viewport.x, margin - first * viewport.zoom) });
}

/** The graph follows the call. */
function useActiveInView(active: number | null, places: readonly Placed[]): void {
  const { setCenter, getZoom } = useReactFlow();
  const place = active === null ? undefined : places[active];
  useEffect(() => {
    if (place !== undefined) setCenter(place.x + nodeWidth / 2, place.y + nodeWidth / 4, { zoom: getZoom() });
  }, [place, setCenter, getZoom]);
}

/**
 * Also if the graph itself is out of view, or the skill is in view in part only. Places are those of the graph, because
 * the browser scrolls it for a moment to show what has the focus.
 */
function useFocusedInView(places: readonly Placed[]): (graph: HTMLElement, focused: HTMLElement) => void {
  const { setCenter, getViewport } = useReactFlow();
  return (graph, focused) => {
    const place = places[Number(focused.dataset.id)];
    if (place === undefined || !focused.matches('.react-flow__node:focus-visible')) return;
    graph.scrollIntoView({ block: 'nearest' });
    const { x, y, zoom } = getViewport();
    const [left, top] = [place.x * zoom + x, place.y * zoom + y];
    const right = left + focused.offsetWidth * zoom;
    const bottom = top + focused.offsetHeight * zoom;
    if (left >= 0 && top >= 0 && right <= graph.clientWidth && bottom <= graph.clientHeight) return;
    setCenter(place.x + focused.offsetWidth / 2, place.y + focused.offsetHeight / 2, { zoom });
  };
}

function edgesOf(flow: Flow): Edge[] {
  const positions = new Map(flow.skills.map(({ id }, position) => [id, position]));
  return flow.skills.flatMap((skill, position) =>
    waysOf(skill).flatMap(({ path, to }) => {
      const target = positions.get(to);
      if (target === undefined) return [];
      return {
        id: `${position} ${path}`,
        source: String(position),
        sourceHandle: path,
        target: String(target),
        className: (path === 'otherwise' ? classes.otherwise : classes.edge) as string,
      };
    }),
  );
}

function SkillBox({ data: { skill, isStart, isActive, problems }, selected }: NodeProps<SkillNode>) {
  const texts = useTexts(flowTexts);
  return (
    <div
      className={classes.node}
      data-type={skill.type}
      data-is-selected={selected || undefined}
      data-is-active={isActive || undefined}
      data-is-invalid={problems > 0 || undefined}
    >
      <Handle type="target" position={Position.Left} className={classes.target as string} />
      <div className={classes.head}>
        <span className={classes.type}>{typeLabel(skill.type, texts)}</span>
        <span className={classes.id}>{skill.id}</span>
        {isStart && <span className={classes.badge}>{texts.start}</span>}
        {problems > 0 && <span className={classes.problem}>{problems}</span>}
      </div>
      <div className={classes.text}>
        <span>{previewOf(skill)}</span>
      </div>
      {waysOf(skill).map(({ path, to }) => (
        <div key={path} className={classes.way} data-is-open={to === '' || undefined}>
          <span>{wayLabel(skill, path, texts)}</span>
          <Handle type="source" id={path} position={Position.Right} className={classes.source as string} />
        </div>
      ))}
    </div>
  );
}
