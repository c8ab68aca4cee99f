import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ConditionalOptions, RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { Agent, ListAgentVersionsQuery, Nothing } from '../schema.ts';

/** A version number, `latest` for the latest version, or `published` for the latest published version. */
export type AgentVersion = number | 'latest' | 'published' | (string & {});

/** The versions of an agent. */
export class AgentVersions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the versions, newest first. Await one page, or iterate over all with `for await`. */
  list(id: string, query: ListAgentVersionsQuery = {}, options?: RequestOptions): PagePromise<Agent> {
    return this.#transport.list(path`/api/v1/agents/${id}/versions`, { ...query }, options);
  }

  get(id: string, version: AgentVersion, options?: RequestOptions): ApiPromise<Agent> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/agents/${id}/versions/${version}`, options });
  }

  /** Copies the content of an earlier version into the latest version, as a draft. */
  restore(
    id: string,
    version: AgentVersion,
    body?: Nothing,
    options?: RequestOptions & RepeatableOptions & ConditionalOptions,
  ): ApiPromise<Agent> {
    const restorePath = path`/api/v1/agents/${id}/versions/${version}/restore`;
    return this.#transport.request({ method: 'POST', path: restorePath, body, options });
  }
}
