import { Stack } from '@mantine/core';
import { Link } from 'wouter';
import { NotFoundError, type Webhook } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Card } from '../../parts/card.tsx';
import { Facts, Id } from '../../parts/facts.tsx';
import link from '../../parts/link.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { PendingPage } from '../../parts/resource-state.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
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
  const list = { href: '/webhooks', name: texts.toWebhooks };
  if (data === undefined || error instanceof NotFoundError) {
    return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
  }
  return (
    <>
      <PageHeader
        title={data.url ?? texts.noUrl}
        above={<BackLink href={list.href}>{list.name}</BackLink>}
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

function About({ webhook }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhooksTexts);
  const { id, events, agentIds, agentId, include, description } = webhook;
  const agents = agentId === null ? agentIds : [agentId];
  const names = agents.map((agent) => <Agent key={agent} id={agent} />);
  return (
    <Card title={texts.about}>
      <Facts
        facts={[
          [texts.id, <Id key="id">{id}</Id>],
          [texts.events, events.includes('*') ? texts.allEvents : events.join(', ')],
          [texts.onlyAgents, names.length === 0 ? texts.allAgents : names],
          [texts.transcript, include.includes('transcript') ? texts.included : texts.notIncluded],
          [texts.note, description ?? '—'],
        ]}
      />
    </Card>
  );
}

function Agent({ id }: { readonly id: string }) {
  const name = useAgentName(id);
  return (
    <Link href={`/agents/${id}`} className={link.link as string} style={{ display: 'block' }}>
      {name ?? id}
    </Link>
  );
}
