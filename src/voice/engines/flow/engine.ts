import type { ModelUsage } from '../../llm.ts';
import { cutAtSentence, wholeSentences } from '../../text/cut.ts';
import { fill } from '../../text/variables.ts';
import type { ToolCall } from '../../tools/tool.ts';
import type { Variables } from '../../variables.ts';
import { collect, warnRejected } from '../collected.ts';
import { type Engine, maxReplyCharacters, type ReplyOutput, type ReplyRequest } from '../engine.ts';
import type { Answers } from '../knowledge/answers.ts';
import type { CompiledFlow } from './compile.ts';
import { advance } from './conversation.ts';
import type { FlowModel, FlowModelOutput } from './model.ts';
import { type FlowFacts, type FlowInput, type FlowOutput, type FlowState, openingState } from './state.ts';
import { storedValue, variablesIn } from './variables.ts';

export interface FlowEngineOptions {
  readonly flow: CompiledFlow;
  /** Text: said before the first skill speaks. Null: the first skill opens. Empty: the caller speaks first. */
  readonly beginMessage: string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The variables of the call. */
  readonly variables?: Variables;
  /** The agent's defaults and the built-in ones. */
  readonly agentVariables?: Variables;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly model?: FlowModel;
  /** Null, or absent: the agent has no knowledge bases, so that nothing is found. */
  readonly answers?: Answers | null;
  /** A route that the conversation takes, such as `routes.2`, `next` or `retry`. For simulations. */
  readonly onRoute?: ((skill: string, route: string) => void) | undefined;
  /** What `state` returned earlier in the same call. */
  readonly state?: unknown;
}

export function createFlowEngine(options: FlowEngineOptions): Engine {
  return new FlowEngine(options);
}

/** A reply in progress, on its own copy of the state. */
type Run = ReturnType<typeof newRun>;

function newRun(turn: number, output: ReplyOutput, state: FlowState) {
  return {
    turn,
    output,
    state,
    isAccepted: false,
    isCanceled: false,
    /** Stops what the reply waits for: the model, or a search. */
    stopWaiting: () => {},
    hasSpoken: false,
    /** The routes that it takes, until it is accepted: a reply in vain takes none. */
    routes: [] as (readonly [skill: string, route: string])[],
    /** How many more characters may be said. */
    room: maxReplyCharacters,
  };
}

interface SavedState {
  readonly flow: FlowState;
  readonly variables: Variables;
  readonly model?: unknown;
}

class FlowEngine implements Engine {
  readonly #options: FlowEngineOptions;
  /** What lasts. */
  #state: FlowState;
  readonly #variables: Variables;
  #run: Run | undefined;
  #isToolRunning = false;
  /** The reply that was requested while a tool of an earlier one runs. */
  #afterTool: (() => void) | undefined;

  constructor(options: FlowEngineOptions) {
    this.#options = options;
    const saved = savedState(options.state, options.flow);
    this.#state = saved?.flow ?? openingState(options.flow.start);
    this.#variables = { ...options.variables, ...saved?.variables };
    options.model?.restore?.(saved?.model);
  }

  reply(request: ReplyRequest, output: ReplyOutput): () => void {
    if (this.#run !== undefined) this.#cancel(this.#run);
    const run = newRun(request.turn, output, this.#state);
    this.#run = run;
    const start = (): void => {
      run.state = this.#state;
      this.#start(run, request);
    };
    if (this.#isToolRunning) this.#afterTool = start;
    else start();
    return () => this.#cancel(run);
  }

  accept(turn: number): void {
    const run = this.#run;
    if (run?.turn !== turn || run.isCanceled) return;
    run.isAccepted = true;
    // While it waits for the tool of an earlier reply, it has nothing of its own yet.
    if (this.#afterTool === undefined) this.#state = run.state;
    this.#reportRoutes(run);
    this.#options.answers?.answered();
    this.#options.model?.answered?.();
  }

  /** The words may lead elsewhere: what is searched in vain costs little. */
  prepare(words: string): void {
    const skill = this.#options.flow.skills.get(this.#state.skill);
    if (skill?.type === 'answer') this.#options.answers?.prepare(words);
    else if (skill?.type === 'prompt') this.#options.model?.prepare?.(words);
  }

  detach(): void {
    this.#options.answers?.close();
    this.#options.model?.close?.();
  }

  collected(): Variables {
    return this.#state.collected;
  }

  setVariables(variables: Variables): readonly string[] {
    const { collected, set, rejected } = collect(this.#state.collected, variables);
    this.#state = { ...this.#state, collected };
    if (this.#run !== undefined) {
      this.#run.state = { ...this.#run.state, collected: collect(this.#run.state.collected, set).collected };
    }
    return rejected;
  }

  usage(): readonly ModelUsage[] {
    return this.#options.model?.usage?.() ?? [];
  }

  state(): SavedState {
    const model = this.#options.model?.state?.();
    return { flow: this.#state, variables: this.#variables, ...(model !== undefined && { model }) };
  }

  restartState(earlier: unknown): SavedState {
    const { flow = openingState(this.#options.flow.start), variables = this.#variables } =
      savedState(earlier, this.#options.flow) ?? {};
    return { ...this.state(), flow, variables };
  }

  #start(run: Run, { kind, words }: ReplyRequest): void {
    if (kind !== 'begin') {
      this.#advance(run, kind === 'reminder' ? { type: 'reminder' } : { type: 'heard', words });
      return;
    }
    const { beginMessage } = this.#options;
    if (beginMessage === '' || this.#state.phase !== 'opening') {
      run.output.end();
      return;
    }
    if (beginMessage !== null) {
      const facts = this.#facts();
      const lookup = (name: string) => storedValue(name, this.#state.collected, facts);
      this.#say(run, fill(beginMessage, lookup, run.output.warn), false);
    }
    this.#advance(run, { type: 'start', isGreeted: beginMessage !== null });
  }

  #advance(run: Run, input: FlowInput): void {
    const step = advance(this.#options.flow, run.state, input, this.#facts());
    run.state = step.state;
    if (run.isAccepted) this.#state = step.state;
    for (const output of step.outputs) this.#send(run, output);
    if (run.isAccepted) this.#reportRoutes(run);
    if (step.waitingFor === 'caller') run.output.end(...(step.waitMs > 0 ? [{ waitMs: step.waitMs }] : []));
  }

  #send(run: Run, output: FlowOutput): void {
    switch (output.type) {
      case 'say':
        this.#say(run, output.text, output.isUninterruptible);
        break;
      case 'tool':
        this.#callTool(run, output.call);
        break;
      case 'model':
        this.#askModel(run, output);
        break;
      case 'choose':
        this.#askModelToChoose(run, output);
        break;
      case 'search':
        this.#searchAnswer(run, output);
        break;
      case 'warning':
        run.output.warn(output.code, output.message);
        break;
      case 'took':
        run.routes.push([output.skill, output.way]);
        break;
      case 'end':
        run.output.end({ endCall: true, isFinal: true });
        break;
      case 'failed':
        run.output.failed(output.detail, { isDefect: true });
        break;
      case 'set':
        // The state of the step has the variables already.
        break;
      default:
        output satisfies never;
    }
  }

  #reportRoutes(run: Run): void {
    for (const [skill, route] of run.routes.splice(0)) this.#options.onRoute?.(skill, route);
  }

  /** A reply of many texts is cut, like a text of many values. */
  #say(run: Run, text: string, isUninterruptible: boolean): void {
    if (text === '') return;
    const { separator } = this.#options.flow.sentences;
    const next = (run.hasSpoken ? separator : '') + text;
    const said = run.hasSpoken ? wholeSentences(next, run.room) : cutAtSentence(next, run.room);
    if (said !== '') run.output.text(said, ...(isUninterruptible ? [{ isUninterruptible }] : []));
    run.hasSpoken = true;
    if (said === next) {
      run.room -= said.length;
      return;
    }
    if (run.room > 0) {
      run.output.warn('text_too_long', `a reply is longer than ${maxReplyCharacters} characters: it was cut`);
    }
    run.room = 0;
  }

  /** A tool that has started runs to its end and its result lasts, even if nobody listens to this reply any more. */
  #callTool(run: Run, call: ToolCall): void {
    run.isAccepted = true;
    this.#state = run.state;
    this.#isToolRunning = true;
    run.output.tool(call, (result) => {
      this.#isToolRunning = false;
      if (!run.isCanceled) {
        this.#advance(run, { type: 'tool', result });
        return;
      }
      const input: FlowInput = { type: 'tool', result, isCutOff: true };
      const { state, outputs } = advance(this.#options.flow, this.#state, input, this.#facts());
      this.#state = state;
      for (const output of outputs) if (output.type === 'took') this.#options.onRoute?.(output.skill, output.way);
      const next = this.#afterTool;
      this.#afterTool = undefined;
      next?.();
    });
  }

  #askModel(run: Run, { kind, prompt, routes, words }: Extract<FlowOutput, { type: 'model' }>): void {
    const { output } = run;
    const ifHeard =
      <A extends unknown[]>(act: (...values: A) => void) =>
      (...values: A): void => {
        if (!run.isCanceled) act(...values);
      };
    const modelOutput: FlowModelOutput = {
      text: ifHeard((text, options) => {
        run.hasSpoken = true;
        output.text(text, options);
      }),
      tool: ifHeard((call, onResult) =>
        output.tool(call, (result) => {
          // The variables last at once, whatever becomes of the reply that called the tool.
          if (!result.isError) warnRejected(this.setVariables(variablesIn(result.result)), output.warn);
          onResult(result);
        }),
      ),
      end: ifHeard(({ route, endCall } = {}) => this.#advance(run, { type: 'model', route, endCall })),
      failed: ifHeard((detail) => output.failed(detail)),
      warn: ifHeard((code, message) => output.warn(code, message)),
      knowledge: ifHeard((waitedMs, use) => output.knowledge(waitedMs, use)),
      switched: output.switched,
    };
    const stop = this.#options.model?.reply({ kind, prompt, routes, words }, modelOutput);
    if (stop !== undefined) run.stopWaiting = stop;
  }

  #askModelToChoose(run: Run, { question, routes, words }: Extract<FlowOutput, { type: 'choose' }>): void {
    const onChoice = (route: number | undefined): void => {
      if (!run.isCanceled) this.#advance(run, { type: 'choice', route });
    };
    const stop = this.#options.model?.choose({ question, routes, words }, onChoice, run.output);
    if (stop !== undefined) run.stopWaiting = stop;
  }

  #searchAnswer(run: Run, { words, minScore }: Extract<FlowOutput, { type: 'search' }>): void {
    const { answers } = this.#options;
    const onAnswer = (text: string | null): void => {
      if (!run.isCanceled) this.#advance(run, { type: 'answer', text });
    };
    if (answers == null) onAnswer(null);
    else run.stopWaiting = answers.find(words, minScore, run.output, onAnswer);
  }

  #cancel(run: Run): void {
    run.isCanceled = true;
    run.stopWaiting();
    if (this.#run === run) this.#afterTool = undefined;
  }

  #facts(): FlowFacts {
    const { now, agentVariables = {}, metadata = {}, model } = this.#options;
    return { now: now(), variables: this.#variables, agentVariables, metadata, hasModel: model !== undefined };
  }
}

/** Undefined if it is not the state of this flow: the conversation starts again. */
function savedState(saved: unknown, { skills }: CompiledFlow): SavedState | undefined {
  const state = saved as SavedState | null | undefined;
  return state !== null && state !== undefined && skills.has(state.flow?.skill) ? state : undefined;
}
