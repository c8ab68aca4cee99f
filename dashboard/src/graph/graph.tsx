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
import type { GraphBox, GraphWay } from './boxes.ts';
import classes from './graph.module.css';
import { handlesOf, nodeHeight, nodeWidth, type Placed, placesOf } from './layout.ts';

interface GraphTexts {
  readonly nodeHint: string;
  readonly zoom: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly zoomFit: string;
  readonly handle: string;
}

export interface GraphProps {
  readonly boxes: readonly GraphBox[];
  /** Where it begins. */
  readonly start: number;
  readonly selected: number | null;
  /** What is brought into view. */
  readonly active: number | null;
  readonly isReadOnly: boolean;
  readonly texts: GraphTexts;
  readonly onSelect: (position: number) => void;
  /** Selects it, and moves the focus to its form. */
  readonly onEdit: (position: number) => void;
  readonly onConnect: (position: number, path: string, to: number) => void;
}

interface BoxData extends Record<string, unknown> {
  readonly box: GraphBox;
}

type BoxNode = Node<BoxData, 'box'>;

const nodeTypes = { box: Box };
const smallestReadable = 0.7;
const margin = 16;

/** Boxes and the ways between them. Places are computed, so they are the same for everyone. */
export function Graph(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Inner {...props} />
    </ReactFlowProvider>
  );
}

function Inner(props: GraphProps) {
  const { boxes, start, selected, active, isReadOnly, texts, onSelect, onEdit, onConnect } = props;
  const scheme = useComputedColorScheme('light');
  const places = useMemo(() => placesOf(boxes), [boxes]);
  const nodes = boxes.map(
    (box, position): BoxNode => ({
      id: String(position),
      type: 'box',
      position: places[position] ?? { x: 0, y: 0 },
      width: nodeWidth,
      height: nodeHeight(box),
      handles: handlesOf(box),
      selected: position === selected,
      ariaLabel: box.label,
      data: { box },
    }),
  );
  useActiveInView(active, places);
  const showFocused = useFocusedInView(places);
  const edges = useMemo(() => edgesOf(boxes), [boxes]);
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
        if (sourceHandle !== null) onConnect(Number(source), sourceHandle, Number(target));
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
      <Controls showInteractive={false} position="top-right" orientation="horizontal" />
    </ReactFlow>
  );
}

/** Everything if it can be read then; otherwise the box that is edited, or the beginning. */
async function showStart(
  instance: ReactFlowInstance<BoxNode>,
  places: readonly Placed[],
  position: number,
): Promise<void> {
  const place = places[position];
  await instance.fitView({ maxZoom: 1, padding: 0.06 });
  if (instance.getZoom() >= smallestReadable || place === undefined) return;
  await instance.setCenter(place.x + nodeWidth / 2, place.y + nodeWidth / 2, { zoom: smallestReadable });
  const viewport = instance.getViewport();
  // Nothing is above the first row.
  const first = Math.min(...places.map(({ y }) => y));
  await instance.setViewport({ ...viewport, y: Math.min(viewport.y, margin - first * viewport.zoom) });
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
 * Also if the graph itself is out of view, or the box is in view in part only. Places are those of the graph, because
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

function edgesOf(boxes: readonly GraphBox[]): Edge[] {
  const edge = (position: number, { path, to }: GraphWay): Edge[] => {
    if (to === null) return [];
    return [
      {
        id: `${position} ${path}`,
        source: String(position),
        sourceHandle: path,
        target: String(to),
        type: 'smoothstep',
        className: (path === 'otherwise' ? classes.otherwise : classes.edge) as string,
      },
    ];
  };
  return boxes.flatMap(({ ways, following }, position) =>
    (following === undefined ? ways : [following, ...ways]).flatMap((way) => edge(position, way)),
  );
}

function Box({ data: { box }, selected }: NodeProps<BoxNode>) {
  const { kind, title, id, text, badge, isActive, problems, ways, following, isRoot = false } = box;
  return (
    <div
      className={classes.node}
      style={{ width: nodeWidth }}
      data-type={kind}
      data-is-selected={selected || undefined}
      data-is-active={isActive || undefined}
      data-is-invalid={problems > 0 || undefined}
    >
      {!isRoot && <Handle type="target" position={Position.Top} className={classes.target as string} />}
      <div className={classes.head}>
        <span className={classes.type}>{title}</span>
        <span className={classes.id}>{id}</span>
        {badge !== null && <span className={classes.badge}>{badge}</span>}
        {problems > 0 && <span className={classes.problem}>{problems}</span>}
      </div>
      <div className={classes.text}>
        <span>{text}</span>
      </div>
      {ways.map(({ path, label, isOpen }) => (
        <div key={path} className={classes.way} data-is-open={isOpen || undefined}>
          <span>{label}</span>
          <Handle type="source" id={path} position={Position.Right} className={classes.source as string} />
        </div>
      ))}
      {following !== undefined && (
        <Handle type="source" id={following.path} position={Position.Bottom} className={classes.source as string} />
      )}
    </div>
  );
}
