import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { joinedQuery, type RequestOptions, type Transport } from '../request.ts';
import type { AgentState } from '../schema.ts';

/** Which versions of agents are published, and which are drafts. */
export class AgentStates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the states of up to 200 agents, newest agent first. Agents that do not exist are left out. */
  list(query: { readonly agentId: string | readonly string[] }, options?: RequestOptions): PagePromise<AgentState> {
    return this.#transport.list(path`/api/v1/agent-states`, joinedQuery(query), options);
  }
}
