import type { ReactNode } from 'react';
import { PendingPage } from '../../parts/resource-state.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { type StoredAgent, useStoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

interface AgentLoaderProps {
  readonly id: string;
  readonly children: (stored: StoredAgent) => ReactNode;
}

/** Shows the page once the agent is loaded; before that, a loading or error state. */
export function AgentLoader(props: AgentLoaderProps) {
  return (
    <ScopeGuard scope="agents:read">
      <Loader {...props} />
    </ScopeGuard>
  );
}

function Loader({ id, children }: AgentLoaderProps) {
  const texts = useAgentTexts();
  const { data, error, refetch } = useStoredAgent(id);
  // If a later refetch fails, the data stays, so that a form in use does not disappear.
  if (data !== undefined) return children(data);
  const list = { href: '/agents', name: texts.toAgents };
  return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
}
