import type { Agent } from '../../contract/agents/agent.ts';
import type { Clock } from '../clock.ts';
import { hasPhoneSettings } from '../engines/agent-parts.ts';
import { prepareEngine } from '../engines/create.ts';
import { ownConnection } from '../engines/custom-llm/connections.ts';
import type { OpenLlmSocket } from '../engines/custom-llm/socket.ts';
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

/** The way to the custom LLM server of a run; normally one that replays a cassette. */
export type NewSocket = (clock: Clock, call: CallView) => OpenLlmSocket;

export interface CallFacts {
  /** When the call begins, in milliseconds since 1970. */
  readonly now: number;
  readonly variables: Variables;
  readonly defaults: Variables;
  /** Null: there is no model. */
  readonly newLlm: NewLlm | null;
  /** Null: no server is there. */
  readonly newSocket: NewSocket | null;
}

export type NewEngine = (clock: Clock, call: CallView) => Engine;

/** The engine of the agent, for each run. */
export function newEngineOf(agent: Agent, facts: CallFacts): NewEngine {
  const { now, variables, defaults, newLlm, newSocket } = facts;
  const create = prepareEngine(agent, newLlm !== null);
  return (clock, call) => {
    const time = () => now + clock.now();
    return create({
      clock,
      startedAt: now,
      time,
      variables,
      defaults,
      isSpoken: true,
      isPhone: hasPhoneSettings(agent),
      llm: newLlm?.(clock, call) ?? null,
      customLlm: newSocket && {
        connections: ownConnection({ open: newSocket(clock, call), clock, time }),
        call: { call_id: 'call_simulated', call_type: 'web_call' },
      },
      history: call.history,
    });
  };
}
