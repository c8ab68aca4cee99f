import type { Agent } from '../../contract/agent.ts';
import type { Clock } from '../clock.ts';
import { prepareEngine } from '../engines/create.ts';
import type { Engine, Variables } from '../engines/engine.ts';
import type { ModelTurn } from '../engines/model/messages.ts';
import type { Llm } from '../llm.ts';

/** What an engine learns about the run that it is for. */
export interface CallView {
  /** The transcript so far. */
  history(): readonly ModelTurn[];
  /** A model was asked for something that was not recorded: the run fails. */
  missed(miss: string): void;
}

/** The model of a run; normally one that replays a cassette. */
export type NewLlm = (clock: Clock, call: CallView) => Llm;

export interface CallFacts {
  /** When the call begins, in milliseconds since 1970. */
  readonly now: number;
  readonly variables: Variables;
  readonly defaults: Variables;
  /** Null: there is no model. */
  readonly newLlm: NewLlm | null;
}

export type NewEngine = (clock: Clock, call: CallView) => Engine;

/** The engine of the agent, for each run. */
export function newEngineOf(agent: Agent, { now, variables, defaults, newLlm }: CallFacts): NewEngine {
  const create = prepareEngine(agent, newLlm !== null);
  return (clock, call) =>
    create({
      clock,
      startedAt: now,
      time: () => now + clock.now(),
      variables,
      defaults,
      isSpoken: true,
      llm: newLlm?.(clock, call) ?? null,
      history: call.history,
    });
}
