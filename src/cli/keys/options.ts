import type { Scope } from '../../contract/scopes.ts';

export interface CreateKeyOptions {
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
  readonly json?: boolean;
}

export interface ListKeysOptions {
  readonly workspace?: string;
  readonly json?: boolean;
}

export interface RotateKeyOptions {
  /** In milliseconds. */
  readonly grace: number;
  readonly json?: boolean;
}
