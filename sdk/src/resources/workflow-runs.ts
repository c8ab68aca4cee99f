import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { joinedQuery, type RepeatableOptions, type RequestOptions, type Transport } from '../request.ts';
import { wait } from '../retries.ts';
import type { CreateWorkflowRun, ListWorkflowRunsQuery, WorkflowRun } from '../schema.ts';

const firstPollMs = 100;
const maxPollMs = 2000;
const open: readonly WorkflowRun['status'][] = ['pending', 'running', 'waiting'];

/** What workflows have done. */
export class WorkflowRuns {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Runs the newest version of a workflow for a call that is over, with new keys. */
  create(id: string, body: CreateWorkflowRun, options?: RequestOptions & RepeatableOptions): ApiPromise<WorkflowRun> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/workflows/${id}/runs`, body, options });
  }

  /** Lists runs, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListWorkflowRunsQuery = {}, options?: RequestOptions): PagePromise<WorkflowRun> {
    return this.#transport.list(path`/api/v1/workflow-runs`, joinedQuery(query), options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<WorkflowRun> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/workflow-runs/${id}`, options });
  }

  /** Continues a failed run at its failed step, with the same requests and keys. */
  resume(id: string, options?: RequestOptions & RepeatableOptions): ApiPromise<WorkflowRun> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/workflow-runs/${id}/resume`, options });
  }

  /** Cancels a run. A request that is being sent is its last one. */
  cancel(id: string, options?: RequestOptions & RepeatableOptions): ApiPromise<WorkflowRun> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/workflow-runs/${id}/cancel`, options });
  }

  /** Waits until a run is over. A wait step can take 30 days: use `signal` to stop waiting. */
  async waitUntilSettled(id: string, options?: RequestOptions): Promise<WorkflowRun> {
    for (let delayMs = firstPollMs; ; delayMs = Math.min(2 * delayMs, maxPollMs)) {
      const run = await this.get(id, options);
      if (!open.includes(run.status)) return run;
      await wait(delayMs, options?.signal);
    }
  }
}
