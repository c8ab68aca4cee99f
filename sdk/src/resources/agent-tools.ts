import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { AgentToolTest, TestAgentTool } from '../schema.ts';

/** The tools of agents. */
export class AgentTools {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Calls a tool of the latest version with these arguments. A tool that fails is no error: see `outcome`. */
  test(
    id: string,
    name: string,
    body?: TestAgentTool,
    options?: RequestOptions & RepeatableOptions,
  ): ApiPromise<AgentToolTest> {
    return this.#transport.request({
      method: 'POST',
      path: path`/api/v1/agents/${id}/tools/${name}/test`,
      body,
      options,
    });
  }
}
