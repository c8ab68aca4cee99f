import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { Analysis, AnalyzeCall, CallAnalysis, ListCallAnalysisQuery } from '../schema.ts';

/** How long the service waits for the model of a preview. */
const previewMs = 50_000;

/** What a language model extracts from a call after it has ended. */
export class CallAnalyses {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Analyzes a call again. The analysis is pending; once it is completed it replaces the one in the call. */
  run(id: string, body?: AnalyzeCall, options?: RequestOptions & RepeatableOptions): ApiPromise<Analysis> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/analysis`, body, options });
  }

  /** Tries other values or another model on a call. Nothing is stored. */
  preview(id: string, body?: AnalyzeCall, options?: RequestOptions): ApiPromise<CallAnalysis> {
    return this.#transport.request({
      method: 'POST',
      path: path`/api/v1/calls/${id}/analysis/preview`,
      body,
      options: { ...options, timeout: options?.timeout ?? this.#transport.timeoutMs + previewMs },
    });
  }

  /** Lists all analyses of a call, newest first. Await one page, or iterate over all with `for await`. */
  list(id: string, query: ListCallAnalysisQuery = {}, options?: RequestOptions): PagePromise<Analysis> {
    return this.#transport.list(path`/api/v1/calls/${id}/analyses`, { ...query }, options);
  }
}
