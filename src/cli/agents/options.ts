import type { ConnectionOptions } from '../connection.ts';

/** The options of every command on agents. */
export interface AgentOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export interface ListOptions extends AgentOptions {
  readonly limit: number;
  readonly all?: boolean;
}

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
