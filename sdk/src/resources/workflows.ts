import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import {
  type ConditionalOptions,
  joinedQuery,
  type RepeatableOptions,
  type RequestOptions,
  type Transport,
} from '../request.ts';
import type {
  CreateWorkflow,
  DeletedWorkflow,
  ListWorkflowsQuery,
  ListWorkflowVersionsQuery,
  ResumedRuns,
  ResumeWorkflow,
  TestWorkflow,
  UpdateWorkflow,
  Workflow,
  WorkflowTest,
  WorkflowVersion,
} from '../schema.ts';
import { WorkflowRuns } from './workflow-runs.ts';

/** A step, by its `type`. */
export type WorkflowStep = Workflow['steps'][number];
/** A step as it is saved: fields with a default can be left out. */
export type WorkflowStepInput = CreateWorkflow['steps'][number];

export class WorkflowVersions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the versions of a workflow, newest first. Await one page, or iterate over all with `for await`. */
  list(id: string, query: ListWorkflowVersionsQuery = {}, options?: RequestOptions): PagePromise<WorkflowVersion> {
    return this.#transport.list(path`/api/v1/workflows/${id}/versions`, joinedQuery(query), options);
  }
}

/** What happens after calls. */
export class Workflows {
  readonly versions: WorkflowVersions;
  readonly runs: WorkflowRuns;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.versions = new WorkflowVersions(transport);
    this.runs = new WorkflowRuns(transport);
  }

  /** Creates a workflow, which is disabled until it is updated. */
  create(body: CreateWorkflow, options?: RequestOptions & RepeatableOptions): ApiPromise<Workflow> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/workflows`, body, options });
  }

  /** Lists workflows, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListWorkflowsQuery = {}, options?: RequestOptions): PagePromise<Workflow> {
    return this.#transport.list(path`/api/v1/workflows`, joinedQuery(query), options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Workflow> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/workflows/${id}`, options });
  }

  /** Changes the given fields. A change of `trigger` or `steps` applies to runs that start afterwards. */
  update(id: string, body: UpdateWorkflow, options?: RequestOptions & ConditionalOptions): ApiPromise<Workflow> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/workflows/${id}`, body, options });
  }

  /** Deletes a workflow, and cancels its open runs. Its runs can still be read. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedWorkflow> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/workflows/${id}`, options });
  }

  /** Shows for a call that is over whether a run would start, and what each step would do. Nothing is sent. */
  test(body: TestWorkflow, options?: RequestOptions): ApiPromise<WorkflowTest> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/workflows/test`, body, options });
  }

  /** Continues the runs that failed in a time, with the same requests and keys. */
  resume(id: string, body: ResumeWorkflow, options?: RequestOptions & RepeatableOptions): ApiPromise<ResumedRuns> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/workflows/${id}/resume`, body, options });
  }
}
