import { useCallback, useMemo, useState } from 'react';
import type { Field, FieldName } from './fields.ts';
import { merge } from './merge.ts';
import { changedFields, type Values } from './values.ts';

export interface Draft {
  readonly base: Values;
  readonly values: Values;
  readonly changed: readonly Field[];
  readonly change: (name: FieldName, value: unknown) => void;
  /** Resets the draft to a new base, without changes unless `values` are given. */
  readonly restart: (base: Values, values?: Values) => void;
  /** Marks the sent values as saved. Changes made since remain changes. */
  readonly settle: (sent: Values, saved: Values) => void;
}

/** The base values and the current values of the form. */
export function useDraft(initial: Values): Draft {
  const [{ base, values }, set] = useState({ base: initial, values: initial });
  const change = useCallback(
    (name: FieldName, value: unknown) =>
      set((draft) => ({ base: draft.base, values: { ...draft.values, [name]: value } })),
    [],
  );
  const restart = useCallback((next: Values, edited = next) => set({ base: next, values: edited }), []);
  const settle = useCallback(
    (sent: Values, saved: Values) => set((draft) => ({ base: saved, values: merge(sent, saved, draft.values) })),
    [],
  );
  const changed = useMemo(() => changedFields(base, values), [base, values]);
  return { base, values, changed, change, restart, settle };
}
