import type { Clock } from '../clock.ts';
import type { OpenLlmSocket } from '../engines/custom-llm/socket.ts';
import type { Engine } from '../engines/engine.ts';
import type { ModelTurn } from '../engines/model/messages.ts';
import type { Llm } from '../llm.ts';

/** What an engine learns about the run that it is for. */
export interface CallView {
  /** The transcript so far. */
  history(): readonly ModelTurn[];
  /** A model was asked for something that was not recorded: the run fails. */
  missed(miss: string): void;
  /** The flow takes a route. */
  took(skill: string, route: string): void;
}

/** The model of a run; normally one that replays a cassette. */
export type NewLlm = (clock: Clock, call: CallView) => Llm;

/** The way to the custom LLM server of a run; normally one that replays a cassette. */
export type NewSocket = (clock: Clock, call: CallView) => OpenLlmSocket;

export type NewEngine = (clock: Clock, call: CallView) => Engine;
