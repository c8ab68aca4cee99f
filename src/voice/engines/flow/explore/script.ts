import { isTransferred } from '../../../tools/tool.ts';
import type { Variables } from '../../../variables.ts';
import type { FlowOutput } from '../state.ts';
import type { Edge, Node } from './walk.ts';

type ScriptedResult = { readonly result: unknown } | { readonly error: string };

/** A simulation of one way through a flow. */
export interface Script {
  readonly variables?: Variables;
  readonly tools?: Readonly<Record<string, readonly ScriptedResult[]>>;
  readonly steps: readonly string[];
}

export interface ScriptedEnd {
  readonly skill: string;
  readonly script: Script;
}

/** For every skill that ends the call, the script with the fewest steps that reaches it. */
export function shortestScripts(openings: readonly Edge[]): ScriptedEnd[] {
  const cameBy = new Map<Node, { readonly edge: Edge; readonly from: Node | undefined }>();
  let reached = openings.map((edge) => ({ edge, from: undefined as Node | undefined }));
  const ends = new Map<string, Node>();
  while (reached.length > 0) {
    const next: typeof reached = [];
    for (const { edge, from } of reached) {
      if (cameBy.has(edge.to)) continue;
      cameBy.set(edge.to, { edge, from });
      const { skill, phase } = edge.to.state;
      if (phase === 'ended' && !edge.to.hasFailed && !ends.has(skill)) ends.set(skill, edge.to);
      next.push(...edge.to.edges.map((each) => ({ edge: each, from: edge.to as Node | undefined })));
    }
    reached = next;
  }
  return [...ends].map(([skill, node]) => {
    const edges: Edge[] = [];
    for (let at = cameBy.get(node); at !== undefined; at = at.from === undefined ? undefined : cameBy.get(at.from)) {
      edges.unshift(at.edge);
    }
    return { skill, script: scriptOf(edges, node) };
  });
}

function scriptOf(edges: readonly Edge[], end: Node): Script {
  const steps: string[] = [];
  const tools: Record<string, ScriptedResult[]> = {};
  let running: string | undefined;
  let ending = 'agent_hangup';
  for (const { input, outputs } of edges) {
    if (input.type === 'heard') steps.push(`say ${JSON.stringify(input.words)}`);
    else if (input.type === 'reminder') steps.push('pause 15000ms');
    else if (input.type === 'tool' && running !== undefined) {
      const { result } = input;
      const scripted = result.isError ? { error: result.message } : { result: result.result };
      tools[running] = [...(tools[running] ?? []), scripted];
      if (isTransferred(result)) ending = 'transferred';
    }
    steps.push(...expectations(outputs));
    running = outputs.findLast((output) => output.type === 'tool')?.call.name;
  }
  const { variables } = end.facts;
  return {
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    steps: [...steps, `expect end ${ending}`],
  };
}

/** What the agent says last is what the caller replies to. */
function expectations(outputs: readonly FlowOutput[]): string[] {
  const said = outputs.findLast((output) => output.type === 'say')?.text;
  const tools = outputs.flatMap((output) =>
    output.type === 'tool' ? [`expect tool ${output.call.name} ${JSON.stringify(output.call.arguments)}`] : [],
  );
  return [...(said === undefined ? [] : [expectationOf(said)]), ...tools];
}

const maxLength = 40;

/** The step that expects the start of a text. */
export function expectationOf(text: string): string {
  return `expect agent says /${escaped(text)}/`;
}

/** In one line, as a step has to be. */
function escaped(text: string): string {
  const start = [...text].slice(0, maxLength).join('').trim();
  return start.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s*\n\s*/g, '\\s+');
}
