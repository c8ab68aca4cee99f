import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ConditionalOptions, RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type {
  Agent,
  AgentCheck,
  AgentDiff,
  CheckAgentQuery,
  CreateAgent,
  DeletedAgent,
  DiffAgentQuery,
  DuplicateAgent,
  ListAgentsQuery,
  PublishAgent,
  UpdateAgent,
} from '../schema.ts';
import { AgentStates } from './agent-states.ts';
import { AgentTools } from './agent-tools.ts';
import { AgentVersions } from './agent-versions.ts';

/** The versions to compare; version numbers may be passed as numbers. */
export type AgentDiffRange = { readonly [Name in keyof DiffAgentQuery]: DiffAgentQuery[Name] | number };

/** The version to check; a version number may be passed as a number. */
export type AgentCheckVersion = { readonly [Name in keyof CheckAgentQuery]: CheckAgentQuery[Name] | number };

/** Voice agents. */
export class Agents {
  readonly versions: AgentVersions;
  readonly states: AgentStates;
  readonly tools: AgentTools;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.versions = new AgentVersions(transport);
    this.states = new AgentStates(transport);
    this.tools = new AgentTools(transport);
  }

  /** Creates an agent as version 1, a draft. */
  create(body: CreateAgent, options?: RequestOptions & RepeatableOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/agents`, body, options });
  }

  /** Lists the agents, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListAgentsQuery = {}, options?: RequestOptions): PagePromise<Agent> {
    return this.#transport.list(path`/api/v1/agents`, { ...query }, options);
  }

  /** Gets the latest version of an agent. */
  get(id: string, options?: RequestOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/agents/${id}`, options });
  }

  /** Updates the given fields. Updating a published agent creates its next version as a draft. */
  update(id: string, body: UpdateAgent, options?: RequestOptions & ConditionalOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/agents/${id}`, body, options });
  }

  /** Deletes an agent with all its versions. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedAgent> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/agents/${id}`, options });
  }

  /** Creates a copy of an agent. */
  duplicate(id: string, body?: DuplicateAgent, options?: RequestOptions & RepeatableOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/agents/${id}/duplicate`, body, options });
  }

  /** Publishes the latest version, which becomes immutable. */
  publish(
    id: string,
    body?: PublishAgent,
    options?: RequestOptions & RepeatableOptions & ConditionalOptions,
  ): ApiPromise<Agent> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/agents/${id}/publish`, body, options });
  }

  /** Returns what publishing would reject, and warnings, without publishing. Checks the latest version by default. */
  check(id: string, { version }: AgentCheckVersion = {}, options?: RequestOptions): ApiPromise<AgentCheck> {
    const query = { version };
    return this.#transport.request({ method: 'GET', path: path`/api/v1/agents/${id}/check`, query, options });
  }

  /** Compares two versions. */
  diff(id: string, range: AgentDiffRange, options?: RequestOptions): ApiPromise<AgentDiff> {
    const query = { ...range };
    return this.#transport.request({ method: 'GET', path: path`/api/v1/agents/${id}/diff`, query, options });
  }
}
