import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useLanguage, useTexts } from '../language/language.tsx';
import { useAgentName } from '../parts/agent-name.ts';
import { useFoundAgents } from '../parts/found-agents.ts';
import { callFilterTexts } from './call-filter-texts.ts';

interface AgentFilterProps {
  readonly agentId: string;
  readonly onChange: (agentId: string) => void;
  readonly size?: 'xs' | 'sm';
}

/** One agent, or any. */
export function AgentFilter({ agentId, onChange, size = 'xs' }: AgentFilterProps) {
  const { texts: general } = useLanguage();
  const texts = useTexts(callFilterTexts);
  const name = useAgentName(agentId);
  const chosen = name ?? agentId;
  const [typed, setTyped] = useState('');
  // The name of the chosen agent is in the field, but it is not what to search for.
  const [search] = useDebouncedValue(typed === chosen ? '' : typed.trim(), 150);
  const data = useFoundAgents(search);
  const isListed = agentId === '' || data.some(({ value }) => value === agentId);
  return (
    <Select
      size={size}
      label={texts.agent}
      placeholder={texts.anyAgent}
      data={isListed ? data : [{ value: agentId, label: chosen }, ...data]}
      // The service has searched already.
      filter={({ options }) => options}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.anyAgent }}
      nothingFoundMessage={general.noAgents}
      searchValue={typed}
      onSearchChange={setTyped}
      value={agentId === '' ? null : agentId}
      onChange={(value) => onChange(value ?? '')}
    />
  );
}
