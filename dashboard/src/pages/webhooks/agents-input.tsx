import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTexts } from '../../language/language.tsx';
import { useAgentNames } from '../../parts/agent-name.ts';
import { useFoundAgents } from '../../parts/found-agents.ts';
import { formTexts } from './form-texts.ts';

interface AgentsInputProps {
  readonly agentIds: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (agentIds: string[]) => void;
}

const maxAgents = 100;

/** Agents by name. */
export function AgentsInput({ agentIds, error, onChange }: AgentsInputProps) {
  const texts = useTexts(formTexts);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const found = useFoundAgents(search);
  // Found by an earlier search, or chosen before.
  const names = useAgentNames(agentIds);
  const chosen = agentIds.map((id, index) => ({ value: id, label: names[index] ?? id }));
  return (
    <MultiSelect
      label={texts.agents}
      description={texts.agentsHint}
      placeholder={agentIds.length === 0 ? texts.agentsAll : undefined}
      data={[...chosen, ...found.filter(({ value }) => !agentIds.includes(value))]}
      // The service has searched already.
      filter={({ options }) => options}
      searchable
      hidePickedOptions
      nothingFoundMessage={texts.agentsNone}
      searchValue={typed}
      onSearchChange={setTyped}
      value={[...agentIds]}
      error={error}
      maxValues={maxAgents}
      onChange={onChange}
    />
  );
}
