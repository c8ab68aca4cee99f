import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { NotFoundError } from '../../../../sdk/src/index.ts';
import { SearchIcon } from '../../icons.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { State } from '../../parts/state.tsx';
import { BackToAgents } from './agent-header.tsx';
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
  if (error === null) return <PageSkeleton />;
  if (!(error instanceof NotFoundError)) return <ErrorState error={error} onRetry={refetch} />;
  const back = (
    <Button component={Link} href="/agents" variant="default">
      {texts.toAgents}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.notThere} above={<BackToAgents />} />
      <State icon={<SearchIcon />} actions={back}>
        {texts.notThereNext}
      </State>
    </>
  );
}
