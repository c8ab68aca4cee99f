import type { Scope } from '../../contract/scopes.ts';

export interface JsonOption {
  readonly json?: boolean;
}

export interface CreateKeyOptions extends JsonOption {
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
}

export interface ListKeysOptions extends JsonOption {
  readonly workspace?: string;
}

export interface RotateKeyOptions extends JsonOption {
  /** In milliseconds. */
  readonly grace: number;
}
