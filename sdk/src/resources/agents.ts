import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ConditionalOptions, RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type {
  Agent,
  AgentDiff,
  CreateAgent,
  DeletedAgent,
  DiffAgentQuery,
  DuplicateAgent,
  ListAgentsQuery,
  PublishAgent,
  UpdateAgent,
} from '../schema.ts';
import { AgentVersions } from './agent-versions.ts';

/** The versions to compare; a number may be given as one. */
export type AgentDiffRange = { readonly [Name in keyof DiffAgentQuery]: DiffAgentQuery[Name] | number };

/** What an agent says, how it sounds and how it listens. */
export class Agents {
  readonly versions: AgentVersions;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.versions = new AgentVersions(transport);
  }

  /** Makes an agent: version 1, a draft. */
  create(body: CreateAgent, options?: RequestOptions & RepeatableOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/agents`, body, options });
  }

  /** The agents of the workspace, newest first: await a page, or walk all of them with `for await`. */
  list(query: ListAgentsQuery = {}, options?: RequestOptions): PagePromise<Agent> {
    return this.#transport.list(path`/api/v1/agents`, { ...query }, options);
  }

  /** The newest version of an agent. */
  get(id: string, options?: RequestOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/agents/${id}`, options });
  }

  /** Changes what is given and leaves the rest. Changing a published agent opens its next version as a draft. */
  update(id: string, body: UpdateAgent, options?: RequestOptions & ConditionalOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/agents/${id}`, body, options });
  }

  /** Deletes an agent with all of its versions. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedAgent> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/agents/${id}`, options });
  }

  /** Makes a new agent with the content of this one. */
  duplicate(id: string, body?: DuplicateAgent, options?: RequestOptions & RepeatableOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/agents/${id}/duplicate`, body, options });
  }

  /** Freezes the newest version for good. */
  publish(
    id: string,
    body?: PublishAgent,
    options?: RequestOptions & RepeatableOptions & ConditionalOptions,
  ): ApiPromise<Agent> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/agents/${id}/publish`, body, options });
  }

  /** What differs between two versions. */
  diff(id: string, range: AgentDiffRange, options?: RequestOptions): ApiPromise<AgentDiff> {
    const query = { ...range };
    return this.#transport.request({ method: 'GET', path: path`/api/v1/agents/${id}/diff`, query, options });
  }
}
