import type { Operation, ScopeName } from './operation.ts';

/** What one area adds to the public interface. */
export interface AreaContract {
  /** The group of its operations in the reference. */
  readonly tag: { readonly name: string; readonly description: string };
  /** The prefixes of the ids that it creates: `agt` for `agt_…`. No two areas share one. */
  readonly idPrefixes: readonly string[];
  /** The scopes that its operations require, with the descriptions shown when a key is created. */
  readonly scopes: Readonly<Record<ScopeName, string>>;
  readonly operations: readonly Operation[];
}

export function defineContract<const C extends AreaContract>(contract: C): C {
  return contract;
}
