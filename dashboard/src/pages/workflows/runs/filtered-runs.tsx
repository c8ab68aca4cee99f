import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useTexts } from '../../../language/language.tsx';
import { ChoiceFilter } from '../../../parts/choice-filter.tsx';
import { FilterBar } from '../../../parts/filter-bar.tsx';
import { RunList } from '../../../workflows/runs/run-list.tsx';
import classes from '../../../workflows/runs/runs.module.css';
import { type RunStatus, runStatuses } from '../../../workflows/runs/statuses.ts';
import { runNames, runTexts } from '../../../workflows/runs/texts.ts';
import { type RunFilters, useWorkflowList } from '../../../workflows/runs/use-runs.ts';

interface FilteredRunsProps {
  /** Only the runs of this one. */
  readonly workflowId?: string;
}

/** Runs with filters, which are in the URL. */
export function FilteredRuns({ workflowId }: FilteredRunsProps) {
  const [parameters, setParameters] = useSearchParams();
  const read = (name: string) => (parameters.get(name) ?? '').slice(0, 64);
  const status = (parameters.get('status') ?? '').split(',');
  const filters: RunFilters = {
    workflowId: workflowId ?? read('workflowId'),
    callId: read('callId'),
    status: runStatuses.filter((each) => status.includes(each)),
  };
  const set = (change: Readonly<Record<string, string>>) =>
    setParameters(
      (before) => {
        const entries = Object.entries({ ...Object.fromEntries(before), ...change }).filter(
          ([, value]) => value !== '',
        );
        return Object.fromEntries(entries);
      },
      { replace: true },
    );
  const count = [workflowId === undefined ? filters.workflowId : '', filters.callId, filters.status.join()].filter(
    (value) => value !== '',
  ).length;
  return (
    <>
      <FilterBar
        count={count}
        className={classes.filters}
        onClear={() => set({ workflowId: '', callId: '', status: '' })}
      >
        <Fields filters={filters} isOfOne={workflowId !== undefined} onChange={set} />
      </FilterBar>
      <RunList
        filters={filters}
        isFiltered={count > 0}
        {...(workflowId !== undefined && { of: 'workflow' as const })}
      />
    </>
  );
}

interface FieldsProps {
  readonly filters: RunFilters;
  readonly isOfOne: boolean;
  readonly onChange: (change: Readonly<Record<string, string>>) => void;
}

function Fields({ filters, isOfOne, onChange }: FieldsProps) {
  const texts = useTexts(runTexts);
  const names = useTexts(runNames);
  const { data: workflows = [] } = useWorkflowList();
  return (
    <>
      {!isOfOne && (
        <NativeSelect
          size="xs"
          label={texts.workflow}
          data={[
            { value: '', label: texts.allWorkflows },
            ...workflows.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={filters.workflowId}
          onChange={({ currentTarget: { value } }) => onChange({ workflowId: value })}
        />
      )}
      <ChoiceFilter<RunStatus>
        label={texts.status}
        values={runStatuses}
        texts={names}
        chosen={filters.status}
        onChange={(status) => onChange({ status: status.join(',') })}
      />
      <CallFilter callId={filters.callId} onChange={(callId) => onChange({ callId })} />
    </>
  );
}

const typingMs = 250;

/** Searches once typing pauses. */
function CallFilter({ callId, onChange }: { readonly callId: string; readonly onChange: (callId: string) => void }) {
  const texts = useTexts(runTexts);
  const [typed, setTyped] = useState(callId);
  const [settled] = useDebouncedValue(typed.trim(), typingMs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the filter.
  useEffect(() => {
    if (settled !== callId) onChange(settled);
  }, [settled]);
  useEffect(() => {
    if (callId === '') setTyped('');
  }, [callId]);
  return (
    <TextInput
      size="xs"
      label={texts.callId}
      placeholder="call_…"
      maxLength={64}
      value={typed}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
    />
  );
}
