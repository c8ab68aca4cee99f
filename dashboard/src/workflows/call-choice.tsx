import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Call, NotFoundError } from '../../../sdk/src/index.ts';
import { terminalStatuses } from '../calls/call.ts';
import { useLanguage, useTexts } from '../language/language.tsx';
import { inBothLanguages } from '../language/texts.ts';
import { useAgentNames } from '../parts/agent-name.ts';
import { useClient, useScope } from '../session/use-session.ts';

const callChoiceTexts = inBothLanguages(
  {
    placeholder: 'Choose a call, or paste its id',
    none: 'No finished calls',
    unknown: 'There is no such call',
  },
  {
    placeholder: '通話を選択、またはIDを貼り付け',
    none: '終了した通話はありません',
    unknown: 'この通話はありません',
  },
);

const count = 20;

/** The newest calls that are over. */
export function useFinishedCalls() {
  const { calls } = useClient();
  const { isAllowed } = useScope('calls:read');
  return useQuery({
    queryKey: ['calls', 'choice'],
    queryFn: async ({ signal }): Promise<readonly Call[]> =>
      (await calls.list({ status: [...terminalStatuses], limit: count }, { signal })).items,
    enabled: isAllowed,
  });
}

interface CallChoiceProps {
  readonly label: string;
  /** Shown by screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly call: Call | null;
  readonly size?: 'xs' | 'sm';
  readonly error?: string | undefined;
  readonly onChange: (call: Call | null) => void;
}

/** One of the newest calls that are over, or another one by its id. */
export function CallChoice({ label, isLabelHidden = false, call, size = 'sm', error, onChange }: CallChoiceProps) {
  const { format } = useLanguage();
  const texts = useTexts(callChoiceTexts);
  const [typed, setTyped] = useState('');
  const { data: newest = [] } = useFinishedCalls();
  const pasted = usePastedCall(typed.trim());
  const found = [pasted.data ?? null, call, ...newest].filter((each) => each !== null);
  const calls = found.filter(({ id }, index) => found.findIndex((other) => other.id === id) === index);
  const names = useAgentNames(calls.map(({ agentId }) => agentId ?? ''));
  const options = calls.map(({ id, createdAt, from, type }, index) => ({
    value: id,
    label: [names[index] ?? type, from, format.ago(createdAt), id.slice(-4)]
      .filter((part) => part !== null)
      .join(' · '),
  }));
  const { data: wanted } = pasted;
  useEffect(() => {
    if (wanted != null && wanted.id !== call?.id) onChange(wanted);
  }, [wanted, call, onChange]);
  return (
    <Select
      size={size}
      w={size === 'xs' ? 300 : undefined}
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      placeholder={texts.placeholder}
      data={options}
      searchable
      openOnFocus={false}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={pasted.isMissing ? texts.unknown : texts.none}
      error={error}
      value={call?.id ?? null}
      onChange={(id) => onChange(calls.find((each) => each.id === id) ?? null)}
    />
  );
}

function usePastedCall(id: string) {
  const { calls } = useClient();
  const isId = /^call_[a-z0-9]{26,}$/.test(id);
  const { data, error } = useQuery({
    queryKey: ['call', id],
    queryFn: ({ signal }) => calls.get(id, { signal }),
    enabled: isId,
    retry: false,
  });
  return { data: isId ? data : undefined, isMissing: error instanceof NotFoundError };
}
