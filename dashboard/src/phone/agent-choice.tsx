import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useLanguage, useTexts } from '../language/language.tsx';
import { useAgentName } from '../parts/agent-name.ts';
import { useFoundAgents } from '../parts/found-agents.ts';
import { phoneTexts } from './texts.ts';

interface AgentChoiceProps {
  readonly label: string;
  readonly description?: string;
  /** Null: none. */
  readonly agentId: string | null;
  readonly error?: string | undefined;
  readonly onChange: (agentId: string | null) => void;
}

/** One agent by name, or none. */
export function AgentChoice({ label, description, agentId, error, onChange }: AgentChoiceProps) {
  const { texts: general } = useLanguage();
  const texts = useTexts(phoneTexts);
  const name = useAgentName(agentId);
  const chosen = name ?? agentId ?? '';
  const [typed, setTyped] = useState('');
  // The name of the chosen agent is in the field, but it is not what to search for.
  const [search] = useDebouncedValue(typed === chosen ? '' : typed.trim(), 150);
  const data = useFoundAgents(search);
  const isListed = agentId === null || data.some(({ value }) => value === agentId);
  return (
    <Select
      label={label}
      description={description}
      placeholder={texts.nobody}
      data={isListed ? data : [{ value: agentId, label: chosen }, ...data]}
      // The service has searched already.
      filter={({ options }) => options}
      searchable
      // The list would cover the next fields of a form that focuses this one.
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': texts.nobody }}
      nothingFoundMessage={general.noAgents}
      searchValue={typed}
      onSearchChange={setTyped}
      value={agentId}
      error={error}
      onChange={onChange}
    />
  );
}
