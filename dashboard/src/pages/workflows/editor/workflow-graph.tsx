import { useMemo } from 'react';
import type { GraphBox, GraphWay } from '../../../graph/boxes.ts';
import { Graph } from '../../../graph/graph.tsx';
import { useTexts } from '../../../language/language.tsx';
import { isRecord } from '../../../parts/json-value.ts';
import { connect, type Definition, type Step, targetOf, waysOf } from '../../../workflows/definition.ts';
import type { Finding } from '../../../workflows/findings.ts';
import { useWorkflowTexts, type WorkflowTexts } from '../../../workflows/texts.ts';
import { filterText, stepText, typeText, wayWithTarget } from '../../../workflows/words.ts';
import { type EditorTexts, editorTexts } from './texts.ts';

/** What is edited: the trigger, or the step at a position. */
export type Part = 'trigger' | number;

export interface DefinitionViewProps {
  readonly definition: Definition;
  readonly selected: Part | null;
  /** The ids of the steps that a test has reached. */
  readonly reached: ReadonlySet<string> | null;
  readonly findings: readonly Finding[];
  readonly isReadOnly: boolean;
  readonly onSelect: (part: Part) => void;
  /** Selects it, and moves the focus to its form. */
  readonly onEdit: (part: Part) => void;
  readonly onChange: (definition: Definition) => void;
}

/** The trigger is the first box, and steps follow. */
const positionOf = (part: Part) => (part === 'trigger' ? 0 : part + 1);
const partOf = (position: number): Part => (position === 0 ? 'trigger' : position - 1);

/** The trigger and the steps as a graph, from top to bottom. */
export function WorkflowGraph({ definition, selected, reached, findings, onChange, ...view }: DefinitionViewProps) {
  const texts = useTexts(editorTexts);
  const words = useWorkflowTexts();
  const boxes = useMemo(
    () => boxesOf({ definition, reached, findings }, words, texts),
    [definition, reached, findings, words, texts],
  );
  return (
    <Graph
      boxes={boxes}
      start={0}
      selected={selected === null ? null : positionOf(selected)}
      active={null}
      isReadOnly={view.isReadOnly}
      texts={texts}
      onSelect={(position) => view.onSelect(partOf(position))}
      onEdit={(position) => view.onEdit(partOf(position))}
      onConnect={(position, path, target) => {
        const to = definition.steps[target - 1]?.id;
        // Steps only lead forward, and the trigger always leads to the first one.
        if (to !== undefined && position > 0 && target > position) {
          onChange(connect(definition, position - 1, path, to));
        }
      }}
    />
  );
}

type Shown = Pick<DefinitionViewProps, 'definition' | 'reached' | 'findings'>;

function boxesOf(shown: Shown, words: WorkflowTexts, texts: EditorTexts): readonly GraphBox[] {
  const { definition, findings } = shown;
  const { trigger, steps } = definition;
  const problems = findings.filter(({ part }) => part === 'trigger').length;
  const following: GraphWay = { path: 'next', label: words.next, to: steps.length > 0 ? 1 : null, isOpen: false };
  const event = trigger.event === 'call_ended' ? words.call_ended : words.call_analyzed;
  const filter = filterText(trigger.filter, words);
  const first: GraphBox = {
    kind: 'trigger',
    title: words.trigger,
    id: '',
    text: filter === '' ? event : `${event}${words.partsJoin}${words.ifFilter(filter)}`,
    badge: null,
    isRoot: true,
    isActive: false,
    problems,
    label: [words.trigger, event, ...(problems > 0 ? [texts.problems(problems)] : [])].join(', '),
    ways: [],
    following,
  };
  return [first, ...steps.map((_, position) => boxOf(shown, position, words, texts))];
}

function boxOf(
  { definition, reached, findings }: Shown,
  position: number,
  words: WorkflowTexts,
  texts: EditorTexts,
): GraphBox {
  const { steps } = definition;
  const step = steps[position] as Step;
  const problems = findings.filter(({ part }) => part === position).length;
  const isActive = reached?.has(step.id) ?? false;
  const title = typeText(step.type, words);
  const ways = waysOf(step).flatMap((way): GraphWay[] => {
    const target = targetOf(steps, position, way);
    if (target === 'none') return [];
    const to = typeof target === 'number' ? target + 1 : null;
    return [{ path: way.path, label: wayWithTarget(step, way.path, way.to, words), to, isOpen: target === 'broken' }];
  });
  const isLast = (way: GraphWay) => way.path === 'next' && way.to === null && !way.isOpen && !isRecord(step.routes);
  const next = ways.find(({ path }) => path === 'next');
  return {
    kind: step.type,
    title,
    id: step.id,
    text: stepText(step, words),
    badge: next !== undefined && isLast(next) ? words.toEnd : null,
    isActive,
    problems,
    label: [
      `${title} ${step.id}`,
      ...(isActive ? [texts.reached] : []),
      ...(problems > 0 ? [texts.problems(problems)] : []),
    ].join(', '),
    ways: ways.filter((way) => way.path !== 'next'),
    following: next,
  };
}
