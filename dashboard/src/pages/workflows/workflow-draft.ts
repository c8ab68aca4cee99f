import { useCallback, useMemo, useState } from 'react';
import { sparse, type WorkflowValues } from '../../workflows/definition.ts';

export const valueNames = ['name', 'description', 'trigger', 'steps'] as const;
export type ValueName = (typeof valueNames)[number];

export interface WorkflowDraft {
  readonly base: WorkflowValues;
  readonly values: WorkflowValues;
  readonly changed: readonly ValueName[];
  readonly change: (changes: Partial<WorkflowValues>) => void;
  /** Resets the draft to a new base, without changes unless `values` are given. */
  readonly restart: (base: WorkflowValues, values?: WorkflowValues) => void;
  /** Marks what was sent as saved. Changes made since remain changes. */
  readonly settle: (sent: WorkflowValues, saved: WorkflowValues) => void;
}

export function isSameValue(name: ValueName, one: WorkflowValues, other: WorkflowValues): boolean {
  return JSON.stringify(comparable(one)[name]) === JSON.stringify(comparable(other)[name]);
}

/** However the fields of an object are ordered, and whether or not defaults are given. */
function comparable(values: WorkflowValues): WorkflowValues {
  return ordered({ ...values, ...sparse(values) }) as WorkflowValues;
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, inner]) => [name, ordered(inner)]),
  );
}

export function changedValues(one: WorkflowValues, other: WorkflowValues): readonly ValueName[] {
  return valueNames.filter((name) => !isSameValue(name, one, other));
}

/** Their values with my changes; where both changed something, the side that was chosen, or mine. */
export function mergedValues(
  base: WorkflowValues,
  theirs: WorkflowValues,
  mine: WorkflowValues,
  choices: Readonly<Partial<Record<ValueName, 'mine' | 'theirs'>>> = {},
): WorkflowValues {
  const own = changedValues(base, mine).filter((name) => choices[name] !== 'theirs');
  return { ...theirs, ...Object.fromEntries(own.map((name) => [name, mine[name]])) };
}

export function useWorkflowDraft(initial: WorkflowValues, edited = initial): WorkflowDraft {
  const [{ base, values }, set] = useState({ base: initial, values: edited });
  const change = useCallback(
    (changes: Partial<WorkflowValues>) =>
      set((draft) => ({ base: draft.base, values: { ...draft.values, ...changes } })),
    [],
  );
  const restart = useCallback((next: WorkflowValues, other = next) => set({ base: next, values: other }), []);
  const settle = useCallback(
    (sent: WorkflowValues, saved: WorkflowValues) =>
      set((draft) => ({ base: saved, values: mergedValues(sent, saved, draft.values) })),
    [],
  );
  const changed = useMemo(() => changedValues(base, values), [base, values]);
  return { base, values, changed, change, restart, settle };
}
