import type { ConnectionOptions } from '../connection.ts';
import type { Format } from './document.ts';

export interface PullCommandOptions extends ConnectionOptions {
  readonly format?: Format;
  readonly full?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface PlanCommandOptions extends ConnectionOptions {
  readonly adopt?: boolean;
  readonly delete?: boolean;
  readonly force?: boolean;
  readonly publish?: boolean;
  readonly json?: boolean;
  readonly exitCode?: boolean;
}

export interface ApplyCommandOptions extends PlanCommandOptions {
  readonly description?: string;
  readonly yes?: boolean;
}
