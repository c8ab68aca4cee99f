import '@xyflow/react/dist/style.css';
import { useComputedColorScheme } from '@mantine/core';
import {
  type Connection,
  type FinalConnectionState,
  MarkerType,
  MiniMap,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { type DragEvent, type RefObject, useCallback, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { edgeId, type Layout, nodeWidth, type Point } from '../layout/geometry.ts';
import { routeKey } from '../simulate/walk.ts';
import { useFlowTexts } from '../use-flow-texts.ts';
import classes from './canvas.module.css';
import { type CanvasStep, handlesOf, sizeOf } from './canvas-steps.ts';
import { directions, isDirection, neighborOf } from './neighbors.ts';
import { RouteEdge, type RouteEdgeType } from './route-edge.tsx';
import { StepBox, type StepNode } from './step-node.tsx';
import { useView } from './use-view.ts';

/** Where a new step is wanted, and the route that leads to it. */
export interface Wanted {
  readonly place: Point;
  readonly from: { readonly position: number; readonly path: string } | null;
}

/** What the toolbar does with the view. */
export interface CanvasControls {
  fit(): void;
  zoom(by: number): void;
  /** Shows a step, large enough to be read. */
  show(position: number): void;
}

export interface CanvasProps {
  readonly controls: RefObject<CanvasControls | null>;
  readonly steps: readonly CanvasStep[];
  readonly places: readonly (Point | null)[];
  readonly edges: Layout['edges'];
  /** Whether places and edges are those of these steps. */
  readonly isCurrent: boolean;
  /** Nobody has moved a step. */
  readonly isAutomatic: boolean;
  readonly selected: ReadonlySet<number>;
  /** What is brought into view. */
  readonly active: number | null;
  /** The route that a simulation takes just now. */
  readonly walking: string | null;
  readonly isReadOnly: boolean;
  readonly onSelect: (positions: ReadonlySet<number>) => void;
  /** Selects it, and moves the focus to its form, or to a place in it. */
  readonly onEdit: (position: number, path?: string) => void;
  readonly onMove: (places: readonly (Point | null)[]) => void;
  readonly onConnect: (position: number, path: string, to: number) => void;
  /** A route was dropped on the empty canvas, at a point of the window. */
  readonly onWanted: (wanted: Wanted, at: Point) => void;
  /** A type was dragged from the palette. */
  readonly onDropType: (type: string, place: Point) => void;
}

export const draggedType = 'application/x-flow-step';
const nodeTypes = { step: StepBox };
const edgeTypes = { route: RouteEdge };
const nudge = 16;

/** The steps and their routes. Everything here can also be done with the keyboard. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Inner {...props} />
    </ReactFlowProvider>
  );
}

function Inner(props: CanvasProps) {
  const { controls, steps, places, selected, active, isReadOnly, isCurrent, isAutomatic, onSelect, onEdit } = props;
  const texts = useFlowTexts();
  const scheme = useComputedColorScheme('light');
  const flow = useReactFlow();
  const wrapper = useRef<HTMLDivElement>(null);
  const view = useView(wrapper, places, steps, { active, isCurrent, isAutomatic });
  useImperativeHandle(controls, () => ({
    fit: view.fit,
    show: (position) => view.center(position, 0.85),
    zoom: (by) => {
      view.leave();
      flow.zoomTo(flow.getZoom() * by);
    },
  }));
  const { shown, onNodesChange, onDragEnd } = usePlaces(props);
  const nodes = useMemo(() => nodesOf(steps, shown, selected), [steps, shown, selected]);
  const edges = useEdges(props);
  const connecting = useConnecting(props, wrapper);
  const onDrop = (event: DragEvent) => {
    const type = event.dataTransfer.getData(draggedType);
    if (type === '' || isReadOnly) return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    props.onDropType(type, { x: x - nodeWidth / 2, y: y - 20 });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys are those of the steps inside.
    <div
      ref={wrapper}
      className={classes.canvas}
      data-is-laid-out={isCurrent || undefined}
      onKeyDownCapture={(event) => {
        const position = positionAt(event.target);
        if (position === null || event.ctrlKey || event.metaKey) return;
        if (!handleKey(event.key, event.altKey, { ...props, position, places: shown })) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onDragOver={(event) => event.dataTransfer.types.includes(draggedType) && event.preventDefault()}
      onDrop={onDrop}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={scheme}
        minZoom={0.1}
        maxZoom={1.6}
        nodesDraggable={!isReadOnly}
        nodesConnectable={!isReadOnly}
        nodeDragThreshold={3}
        connectionRadius={0}
        edgesFocusable={false}
        deleteKeyCode={null}
        selectionKeyCode="Shift"
        multiSelectionKeyCode={['Shift', 'Meta', 'Control']}
        panActivationKeyCode={null}
        panOnScroll
        autoPanOnNodeFocus={false}
        elevateEdgesOnSelect={false}
        onNodesChange={onNodesChange}
        onNodeDragStop={onDragEnd}
        onSelectionDragStop={onDragEnd}
        onNodeDoubleClick={(_, { id }) => onEdit(Number(id))}
        onEdgeClick={(_, { source, sourceHandle }) => onEdit(Number(source), sourceHandle ?? undefined)}
        onPaneClick={() => onSelect(new Set())}
        onFocus={({ currentTarget, target }) => view.showFocused(currentTarget, target)}
        onMoveStart={(event) => event !== null && view.leave()}
        {...connecting}
        ariaLabelConfig={{
          'node.a11yDescription.default': texts.nodeHint,
          'node.a11yDescription.keyboardDisabled': texts.nodeHint,
          'minimap.ariaLabel': texts.minimap,
          'handle.ariaLabel': texts.handle,
        }}
      >
        <Overview />
      </ReactFlow>
    </div>
  );
}

function Overview() {
  const texts = useFlowTexts();
  return (
    <MiniMap
      className={classes.minimap as string}
      ariaLabel={texts.minimap}
      pannable
      zoomable
      nodeColor={(node) => (node.selected ? 'var(--mantine-primary-color-filled)' : 'var(--mantine-color-dimmed)')}
      nodeBorderRadius={24}
      maskColor="rgb(127 137 150 / 22%)"
      bgColor="var(--app-surface)"
      style={{ width: 168, height: 112 }}
    />
  );
}

/** The places of the steps, also of those that are dragged just now. */
function usePlaces({ places, selected, onSelect, onMove }: CanvasProps) {
  const [dragged, setDragged] = useState<ReadonlyMap<number, Point>>(new Map());
  const shown = useMemo(() => places.map((place, position) => dragged.get(position) ?? place), [places, dragged]);
  const onNodesChange = useCallback(
    (changes: NodeChange<StepNode>[]) => {
      const next = new Set(selected);
      for (const change of changes) {
        if (change.type !== 'select') continue;
        if (change.selected) next.add(Number(change.id));
        else next.delete(Number(change.id));
      }
      if (next.size !== selected.size || [...next].some((position) => !selected.has(position))) onSelect(next);
      const moved = changes.flatMap((change) =>
        change.type === 'position' && change.position !== undefined && change.dragging === true
          ? [[Number(change.id), change.position] as const]
          : [],
      );
      if (moved.length > 0) setDragged((before) => new Map([...before, ...moved]));
    },
    [selected, onSelect],
  );
  const onDragEnd = () => {
    if (dragged.size > 0) onMove(shown);
    setDragged(new Map());
  };
  return { shown, onNodesChange, onDragEnd };
}

function nodesOf(
  steps: readonly CanvasStep[],
  places: readonly (Point | null)[],
  selected: ReadonlySet<number>,
): StepNode[] {
  return steps.flatMap((step, position) => {
    const place = places[position];
    if (place == null) return [];
    return [
      {
        id: String(position),
        type: 'step' as const,
        position: place,
        ...sizeOf(step),
        handles: handlesOf(step),
        selected: selected.has(position),
        ariaLabel: step.label,
        data: { step },
      },
    ];
  });
}

const colors = {
  plain: 'var(--mantine-color-dimmed)',
  near: 'var(--mantine-primary-color-filled)',
  taken: 'var(--app-good)',
} as const;

/** In widths of the line. */
const arrows = {
  plain: { width: 14, height: 14 },
  near: { width: 10, height: 10 },
  taken: { width: 9, height: 9 },
} as const;

function useEdges({ steps, edges, selected, walking, places }: CanvasProps): RouteEdgeType[] {
  return useMemo(
    () =>
      steps.flatMap((step, position) =>
        step.ways.flatMap(({ path, label, to, taken }): RouteEdgeType[] => {
          if (to === null || places[position] == null || places[to] == null) return [];
          const id = edgeId(position, path);
          const isNear = selected.has(position) || selected.has(to);
          const state = taken !== null && taken > 0 ? 'taken' : isNear ? 'near' : 'plain';
          const names = [
            classes.edge,
            path === 'otherwise' && classes.otherwise,
            state !== 'plain' && classes[state],
            taken === 0 && classes.untaken,
            routeKey(step.id, path) === walking && classes.walking,
          ];
          return [
            {
              id,
              type: 'route',
              source: String(position),
              sourceHandle: path,
              target: String(to),
              selectable: false,
              ...(state !== 'plain' && { zIndex: 1 }),
              className: names.filter((name) => typeof name === 'string').join(' '),
              ariaLabel: `${step.id} · ${label} → ${steps[to]?.id ?? ''}`,
              markerEnd: { ...arrows[state], type: MarkerType.ArrowClosed, color: colors[state] },
              data: { points: edges[id] },
            },
          ];
        }),
      ),
    [steps, edges, selected, walking, places],
  );
}

/** A route can be dropped anywhere on a step, or on the empty canvas. */
function useConnecting({ onConnect, onWanted }: CanvasProps, wrapper: { readonly current: HTMLElement | null }) {
  const { screenToFlowPosition } = useReactFlow();
  const mark = (isConnecting: boolean) => wrapper.current?.toggleAttribute('data-is-connecting', isConnecting);
  return {
    // The end of the gesture decides, wherever it is: see `onConnectEnd`.
    isValidConnection: (_: unknown) => true,
    onConnect: (_: Connection) => {},
    onConnectStart: () => mark(true),
    onConnectEnd: (event: MouseEvent | TouchEvent, { fromNode, fromHandle }: FinalConnectionState) => {
      mark(false);
      const path = fromHandle?.id;
      if (fromNode === null || path == null) return;
      const { clientX: x, clientY: y } = 'changedTouches' in event ? (event.changedTouches[0] as Touch) : event;
      const under = document.elementFromPoint(x, y);
      const from = Number(fromNode.id);
      const to = positionAt(under);
      if (to !== null && (to !== from || under?.closest('.target') !== null)) onConnect(from, path, to);
      else if (to === null && under?.closest('.react-flow__pane') != null) {
        onWanted({ place: screenToFlowPosition({ x, y }), from: { position: from, path } }, { x, y });
      }
    },
  };
}

function positionAt(target: EventTarget | null): number | null {
  const id = target instanceof Element ? target.closest<HTMLElement>('.react-flow__node')?.dataset.id : undefined;
  return id === undefined ? null : Number(id);
}

function toggled(selected: ReadonlySet<number>, position: number): ReadonlySet<number> {
  return selected.has(position)
    ? new Set([...selected].filter((each) => each !== position))
    : new Set([...selected, position]);
}

interface KeyContext
  extends Pick<CanvasProps, 'places' | 'selected' | 'isReadOnly' | 'onSelect' | 'onEdit' | 'onMove'> {
  /** The step that has the focus. */
  readonly position: number;
}

/** Returns whether the key means something to a step. */
function handleKey(key: string, isAlt: boolean, context: KeyContext): boolean {
  const { position, places, selected, isReadOnly, onSelect, onEdit, onMove } = context;
  if (isDirection(key)) {
    if (!isAlt) {
      const next = neighborOf(places, position, key);
      if (next === null) return true;
      onSelect(new Set([next]));
      document.querySelector<HTMLElement>(`.react-flow__node[data-id="${next}"]`)?.focus();
      return true;
    }
    if (isReadOnly) return true;
    const chosen = selected.has(position) ? selected : new Set([position]);
    const { x, y } = directions[key];
    onMove(
      places.map((place, index) =>
        place !== null && chosen.has(index) ? { x: place.x + x * nudge, y: place.y + y * nudge } : place,
      ),
    );
    return true;
  }
  if (isAlt) return false;
  if (key === 'Enter') onEdit(position);
  else if (key === ' ') onSelect(toggled(selected, position));
  else return false;
  return true;
}
