import type { ConnectionOptions } from '../connection/connection.ts';
import type { PageOptions } from '../resources/pages.ts';

/** The options of every command on agents. */
export interface AgentOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export type ListOptions = AgentOptions & PageOptions;

export interface FieldOptions {
  readonly file?: string;
  readonly set?: readonly string[];
}

export interface ConditionOptions {
  readonly ifMatch?: string;
}

export interface RepeatOptions {
  readonly idempotencyKey?: string;
}
