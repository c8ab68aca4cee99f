import type { FieldChange } from '../changes.ts';

export type ItemAction = 'import' | 'create' | 'update' | 'delete' | 'none';

/** What is planned for a file beside the agents, or for something whose file was removed. */
export interface PlannedItem {
  readonly file: { readonly file: string } | null;
  readonly action: ItemAction;
  readonly changes: readonly FieldChange[];
  /** Why apply skips it. */
  readonly obstacle: string | null;
  readonly isConflict: boolean;
}

export interface Outcome<Item> {
  readonly item: Item;
  /** Null: done. */
  readonly failure: { readonly error: unknown } | 'obstacle' | 'not started' | null;
}
