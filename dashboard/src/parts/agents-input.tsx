import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useLanguage } from '../language/language.tsx';
import { useAgentNames } from './agent-name.ts';
import { useFoundAgents } from './found-agents.ts';

interface AgentsInputProps {
  readonly label: string;
  readonly description: string;
  /** What an empty list means. */
  readonly placeholder: string;
  readonly agentIds: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (agentIds: string[]) => void;
}

const maxAgents = 100;

/** Agents by name. */
export function AgentsInput({ label, description, placeholder, agentIds, error, onChange }: AgentsInputProps) {
  const { texts } = useLanguage();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const found = useFoundAgents(search);
  // Found by an earlier search, or chosen before.
  const names = useAgentNames(agentIds);
  const chosen = agentIds.map((id, index) => ({ value: id, label: names[index] ?? id }));
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={agentIds.length === 0 ? placeholder : undefined}
      data={[...chosen, ...found.filter(({ value }) => !agentIds.includes(value))]}
      // The service has searched already.
      filter={({ options }) => options}
      searchable
      hidePickedOptions
      nothingFoundMessage={texts.noAgents}
      searchValue={typed}
      onSearchChange={setTyped}
      value={[...agentIds]}
      error={error}
      maxValues={maxAgents}
      onChange={onChange}
    />
  );
}
