import type { ConnectionOptions } from '../connection.ts';

/** What every command on agents can be told. */
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
