import type { CommandOptions, ConnectionOptions } from '../connection/connection.ts';

/** And the filters of `calls list`. */
export interface ExportOptions extends ConnectionOptions {
  readonly out?: string;
}

export interface AnalyzeOptions extends CommandOptions {
  readonly preview?: boolean;
  readonly model?: string;
  /** A file with items of `postCallAnalysisData`. */
  readonly fields?: string;
  readonly agentVersion?: string;
}

export interface ChatOptions extends CommandOptions {
  readonly version: string;
  readonly variable?: readonly string[];
}
