import type { ConnectionOptions } from '../connection/connection.ts';
import type { PageOptions } from '../resources/pages.ts';

/** The options of every command on calls. */
export interface CallOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** Which calls. */
export interface FilterOptions {
  readonly agent?: string;
  readonly status?: string;
  readonly type?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

export type ListCallsOptions = CallOptions & PageOptions & FilterOptions;

export interface ExportOptions extends ConnectionOptions, FilterOptions {
  readonly out?: string;
}

export interface AnalyzeOptions extends CallOptions {
  readonly preview?: boolean;
  readonly model?: string;
  /** A file with items of `postCallAnalysisData`. */
  readonly fields?: string;
  readonly agentVersion?: string;
}

export interface ChatOptions extends CallOptions {
  readonly version: string;
  readonly variable?: readonly string[];
}
