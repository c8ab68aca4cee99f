import type { ConnectionOptions } from '../connection/connection.ts';
import type { Format } from './document.ts';

export interface PullCommandOptions extends ConnectionOptions {
  readonly format?: Format;
  readonly full?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface PlanOptions {
  /** Links a new file to the existing agent with the same name. */
  readonly adopt?: boolean;
  readonly delete?: boolean;
  readonly force?: boolean;
  readonly publish?: boolean;
}

export interface PlanCommandOptions extends ConnectionOptions, PlanOptions {
  readonly json?: boolean;
  readonly exitCode?: boolean;
}

export interface ApplyCommandOptions extends PlanCommandOptions {
  readonly description?: string;
  readonly yes?: boolean;
}
