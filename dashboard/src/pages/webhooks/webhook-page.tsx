import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { NotFoundError, type Webhook } from '../../../../sdk/src/index.ts';
import { ChevronRightIcon, SearchIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { State } from '../../parts/state.tsx';
import classes from '../call/call.module.css';
import { Deliveries } from './deliveries.tsx';
import { webhooksTexts } from './texts.ts';
import { useWebhook } from './use-webhooks.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { HealthDot, WebhookHealth } from './webhook-health.tsx';

export function WebhookPage({ id }: { readonly id: string }) {
  return (
    <ScopeGuard scope="webhooks:read">
      <Loader id={id} />
    </ScopeGuard>
  );
}

function Loader({ id }: { readonly id: string }) {
  const texts = useTexts(webhooksTexts);
  const { data, error, refetch } = useWebhook(id);
  if (error instanceof NotFoundError) {
    const back = (
      <Button component={Link} href="/webhooks" variant="default">
        {texts.toWebhooks}
      </Button>
    );
    return (
      <>
        <PageHeader title={texts.notThere} above={<Back />} />
        <State icon={<SearchIcon />} actions={back}>
          {texts.notThereNext}
        </State>
      </>
    );
  }
  if (data === undefined) return error === null ? <PageSkeleton /> : <ErrorState error={error} onRetry={refetch} />;
  return (
    <>
      <PageHeader
        title={data.url ?? texts.noUrl}
        above={<Back />}
        description={<HealthDot webhook={data} />}
        actions={<WebhookActions webhook={data} />}
      />
      <WebhookHealth webhook={data} />
      <Stack gap="md">
        <Deliveries webhookId={data.id} />
        <About webhook={data} />
      </Stack>
    </>
  );
}

function Back() {
  const texts = useTexts(webhooksTexts);
  return (
    <Link href="/webhooks" className={classes.back as string}>
      <ChevronRightIcon size={14} />
      {texts.toWebhooks}
    </Link>
  );
}

function About({ webhook }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhooksTexts);
  const { id, events, agentIds, agentId, include, description } = webhook;
  const agents = agentId === null ? agentIds : [agentId];
  const facts: readonly [label: string, value: ReactNode][] = [
    [
      texts.id,
      <span key="id" className={classes.id}>
        {id}
      </span>,
    ],
    [texts.events, events.includes('*') ? texts.allEvents : events.join(', ')],
    [texts.onlyAgents, agents.length === 0 ? texts.allAgents : agents.map((agent) => <Agent key={agent} id={agent} />)],
    [texts.transcript, include.includes('transcript') ? texts.included : texts.notIncluded],
    [texts.note, description ?? '—'],
  ];
  return (
    <Card title={texts.about}>
      <dl className={classes.pairs}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Agent({ id }: { readonly id: string }) {
  const name = useAgentName(id);
  return (
    <Link href={`/agents/${id}`} className={classes.agent as string} style={{ display: 'block' }}>
      {name ?? id}
    </Link>
  );
}
