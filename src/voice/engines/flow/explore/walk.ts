import type { Flow, SkillOf } from '../../../../contract/agents/settings/flow.ts';
import { leavesOf } from '../../../../core/filter.ts';
import type { CompiledFlow } from '../compile.ts';
import { advance } from '../conversation.ts';
import { reachableSkills } from '../graph.ts';
import {
  type FlowFacts,
  type FlowInput,
  type FlowOutput,
  type FlowState,
  type FlowStep,
  openingState,
} from '../state.ts';
import { type Answer, answersTo, type CallerWords, callerWords } from './caller.ts';
import { type Assignment, assignmentsFor } from './filter-sample.ts';
import { type RouteTest, testRoute } from './routes.ts';

/** A situation of the conversation that was reached. */
export interface Node {
  readonly state: FlowState;
  readonly facts: FlowFacts;
  readonly waitingFor: FlowStep['waitingFor'];
  readonly hasFailed: boolean;
  readonly edges: Edge[];
}

export interface Edge {
  readonly input: FlowInput;
  readonly outputs: readonly FlowOutput[];
  readonly to: Node;
  /** The caller was not understood, or nobody asked the caller: a caller in trouble gets this far. */
  readonly isWithoutHelp: boolean;
}

const maxNodes = 3000;

interface Attempt {
  readonly input: FlowInput;
  /** Instead of the one that was reached: many turns later, in which nothing else changes. */
  readonly state?: FlowState;
  readonly isWithoutHelp?: boolean;
}

/** Tries everything that can happen to a flow, on the engine that runs it, once in every situation. */
export class Walk {
  readonly openings: Edge[] = [];
  readonly ways = new Set<string>();
  readonly visited = new Set<string>();
  /** By skill and route: `greet routes.1`; by index for anytime: `anytime.0`. */
  readonly routes = new Map<string, RouteTest>();
  readonly answers = new Map<string, readonly Answer[]>();
  /** False if there were more situations than could be tried. */
  isComplete = true;
  readonly #flow: CompiledFlow;
  readonly #now: number;
  readonly #words: CallerWords;
  readonly #nodes = new Map<string, Node>();
  /** Situations that were reached in a new way come first: what is reachable is found before what is only repeated. */
  readonly #fresh: Node[] = [];
  readonly #others: Node[] = [];
  /** By skill, the variables that a branch from there on reads: others make no difference any more. */
  readonly #liveVariables: ReadonlyMap<string, readonly string[]>;
  readonly #given: readonly Assignment[];
  readonly #toolVariables: readonly Assignment[];
  readonly #interjected = new Set<string>();

  constructor(source: Flow, flow: CompiledFlow, now: number) {
    this.#flow = flow;
    this.#now = now;
    this.#words = callerWords(flow.language);
    const filters = source.skills.flatMap((skill) =>
      skill.type === 'branch' ? skill.routes.map((route) => route.if) : [],
    );
    this.#liveVariables = liveVariables(source);
    // A tool may set every variable, but what a caller is asked for is taken to come from the caller.
    const asked = flow.askedBy;
    const assignments = filters.flatMap((filter) => assignmentsFor(filter));
    this.#given = distinct(assignments.map((each) => only(each, (field) => !field.startsWith('collectedVariables.'))));
    this.#toolVariables = distinct(
      assignments.map((each) => {
        const set = only(each, (field) => field.startsWith('collectedVariables.') && !asked.has(nameIn(field)));
        return Object.fromEntries(Object.entries(set).map(([field, value]) => [nameIn(field), value]));
      }),
    );
    for (const index of flow.anytime.keys()) this.routes.set(`anytime.${index}`, testRoute(flow, null, index));
    this.#walk();
  }

  get nodes(): readonly Node[] {
    return [...this.#nodes.values()];
  }

  #walk(): void {
    for (const given of this.#given) {
      const facts: FlowFacts = {
        now: this.#now,
        variables: valuesWith(given, 'variables.'),
        agentVariables: {},
        metadata: valuesWith(given, 'metadata.'),
        hasModel: true,
      };
      this.openings.push(
        this.#take(openingState(this.#flow.start), facts, { input: { type: 'start' }, isWithoutHelp: true }),
      );
    }
    for (let node = this.#next(); node !== undefined; node = this.#next()) {
      for (const attempt of this.#attempts(node)) node.edges.push(this.#take(node.state, node.facts, attempt));
    }
  }

  #next(): Node | undefined {
    return this.#fresh.shift() ?? this.#others.shift();
  }

  #take(reached: FlowState, facts: FlowFacts, { input, state = reached, isWithoutHelp = false }: Attempt): Edge {
    const step = advance(this.#flow, state, input, facts);
    let isFresh = false;
    for (const output of step.outputs) {
      if (output.type !== 'took') continue;
      this.visited.add(output.skill);
      const way = output.way.startsWith('anytime.') ? output.way : `${output.skill} ${output.way}`;
      isFresh ||= !this.ways.has(way);
      this.ways.add(way);
    }
    this.visited.add(step.state.skill);
    return { input, outputs: step.outputs, to: this.#nodeOf(step, facts, isFresh), isWithoutHelp };
  }

  #nodeOf({ state, waitingFor, outputs }: FlowStep, facts: FlowFacts, isFresh: boolean): Node {
    const key = this.#keyOf(state, facts, waitingFor);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const hasFailed = outputs.some(({ type }) => type === 'failed');
    const node: Node = { state, facts, waitingFor, hasFailed, edges: [] };
    this.#nodes.set(key, node);
    if (this.#nodes.size > maxNodes) this.isComplete = false;
    else (isFresh ? this.#fresh : this.#others).push(node);
    return node;
  }

  #keyOf(
    { skill, phase, retriesLeft, value, isSpelledOut, collected }: FlowState,
    facts: FlowFacts,
    waitingFor: string,
  ): string {
    const compared = (this.#liveVariables.get(skill) ?? []).map((name) => collected[name]);
    const given = [facts.variables, facts.metadata];
    return JSON.stringify([skill, phase, waitingFor, retriesLeft, value, isSpelledOut, compared, given]);
  }

  #attempts({ state, waitingFor, facts }: Node): Attempt[] {
    const skill = this.#flow.skills.get(state.skill);
    if (skill === undefined || waitingFor === 'nothing') return [];
    if (skill.type === 'tool') return this.#toolResults();
    if (skill.type === 'transfer') return transferResults;
    if (skill.type === 'prompt') return modelReplies(skill, state);
    if (skill.type === 'answer') {
      if (waitingFor === 'answer') return searchResults;
      return [
        { input: { type: 'heard', words: this.#words.question }, isWithoutHelp: true },
        ...this.#interjections(state),
      ];
    }
    if (skill.type !== 'ask' && skill.type !== 'choose') return [];
    if (waitingFor === 'choice' && skill.type === 'choose') {
      return skill.routes.map((_, route) => ({ input: { type: 'choice', route } }));
    }
    const words = skill.type === 'choose' ? this.#routeWords(skill) : this.#answerWords(skill, state, facts);
    return [
      ...words.map((each): Attempt => ({ input: { type: 'heard', words: each } })),
      { input: { type: 'heard', words: this.#words.unclear }, isWithoutHelp: true },
      ...this.#interjections(state),
    ];
  }

  #routeWords(skill: SkillOf<'choose'>): string[] {
    return skill.routes.flatMap((_, index) => {
      const key = `${skill.id} routes.${index}`;
      const test = this.routes.get(key) ?? testRoute(this.#flow, skill, index);
      this.routes.set(key, test);
      return test.words ?? [];
    });
  }

  #answerWords(skill: SkillOf<'ask'>, { phase }: FlowState, { now }: FlowFacts): string[] {
    if (phase === 'confirming') return [this.#words.yes, this.#words.no];
    const answers = this.answers.get(skill.id) ?? answersTo(this.#flow, skill, now);
    this.answers.set(skill.id, answers);
    return answers.map(({ words }) => words);
  }

  /** What can be said at any time, and silence: tried once for each skill. */
  #interjections(state: FlowState): Attempt[] {
    if (this.#interjected.has(state.skill)) return [];
    this.#interjected.add(state.skill);
    const anytime = this.#flow.anytime.flatMap((_, index): Attempt[] => {
      const words = this.routes.get(`anytime.${index}`)?.words;
      return words === undefined ? [] : [{ input: { type: 'heard', words } }];
    });
    return [...anytime, { input: { type: 'reminder' } }];
  }

  #toolResults(): Attempt[] {
    const succeeded = this.#toolVariables.map(
      (variables): Attempt => ({
        input: {
          type: 'tool',
          result: { isError: false, result: Object.keys(variables).length === 0 ? {} : { variables } },
        },
        isWithoutHelp: true,
      }),
    );
    const failed = { isError: true, code: 'failed', message: 'failed' } as const;
    return [...succeeded, { input: { type: 'tool', result: failed }, isWithoutHelp: true }];
  }
}

/** A simulation finds nothing. */
const searchResults: Attempt[] = [
  { input: { type: 'answer', text: '…' } },
  { input: { type: 'answer', text: null }, isWithoutHelp: true },
];

/** A transfer ends the call, or fails. */
const transferResults: Attempt[] = [
  { input: { type: 'tool', result: { isError: false, result: { transferred: true } } }, isWithoutHelp: true },
  {
    input: { type: 'tool', result: { isError: false, result: { transferred: false, reason: 'no_answer' } } },
    isWithoutHelp: true,
  },
];

/** A route, the end of the call, or the last of all turns. */
function modelReplies(skill: SkillOf<'prompt'>, state: FlowState): Attempt[] {
  const routes = (skill.routes ?? []).map(({ name }): Attempt => ({ input: { type: 'model', route: name } }));
  const last: Attempt = { input: { type: 'model' }, state: { ...state, modelTurns: Number.MAX_SAFE_INTEGER } };
  return [...routes, { input: { type: 'model', endCall: true } }, ...(skill.next === undefined ? [] : [last])];
}

function liveVariables({ skills, anytime = [] }: Flow): Map<string, string[]> {
  const read = new Map(
    skills.map((skill) => {
      const leaves = skill.type === 'branch' ? skill.routes.flatMap((route) => leavesOf(route.if)) : [];
      const fields = leaves.flatMap(({ field }) => (field.startsWith('collectedVariables.') ? [nameIn(field)] : []));
      return [skill.id, fields];
    }),
  );
  return new Map(
    skills.map(({ id }) => {
      const ahead = reachableSkills(skills, anytime, id);
      return [id, [...new Set([...ahead].flatMap((each) => read.get(each) ?? []))].sort()];
    }),
  );
}

function only(assignment: Assignment, isWanted: (field: string) => boolean): Assignment {
  return Object.fromEntries(Object.entries(assignment).filter(([field]) => isWanted(field)));
}

function valuesWith(assignment: Assignment, prefix: string): Assignment {
  const own = Object.entries(assignment).filter(([field]) => field.startsWith(prefix));
  return Object.fromEntries(own.map(([field, value]) => [nameIn(field), value]));
}

/** With the empty assignment first. */
function distinct(assignments: readonly Assignment[]): Assignment[] {
  return [...new Map([{}, ...assignments].map((each) => [JSON.stringify(each), each])).values()];
}

function nameIn(field: string): string {
  return field.slice(field.indexOf('.') + 1);
}
