import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../language/language.tsx';
import { agentNameQuery } from '../parts/agent-name.ts';
import { useFoundAgents } from '../parts/found-agents.ts';
import { useClient, useScope } from '../session/use-session.ts';
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
  const client = useClient();
  const { isAllowed } = useScope('agents:read');
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const found = useFoundAgents(search);
  // Found by an earlier search, or chosen before. One that was deleted is shown by its id.
  const names = useQueries({ queries: agentIds.map((id) => agentNameQuery(client, id, isAllowed)) });
  const chosen = agentIds.map((id, index) => ({ value: id, label: names[index]?.data ?? id }));
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
