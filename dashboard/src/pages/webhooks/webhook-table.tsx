import { Table } from '@mantine/core';
import { Link } from 'wouter';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { Ago } from '../../parts/ago.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { usePageName } from '../../parts/page-name.ts';
import row from '../../parts/row.module.css';
import { webhooksTexts } from './texts.ts';
import { HealthDot } from './webhook-health.tsx';

export function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const texts = useTexts(webhooksTexts);
  return (
    <DataTable
      label={usePageName()}
      columns={[texts.url, texts.status, texts.events, texts.lastSuccess, texts.lastFailure]}
      cardsBelow="narrow"
      hasLongTitles
    >
      {webhooks.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} />
      ))}
    </DataTable>
  );
}

function Row({ webhook }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhooksTexts);
  const { id, url, events, description, lastSuccessAt, lastFailureAt } = webhook;
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={`/webhooks/${id}`} className={row.link as string} data-opens-row>
          {url ?? texts.noUrl}
        </Link>
        <OfAgent webhook={webhook} />
        {description !== null && <span className={row.quiet}>{description}</span>}
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <HealthDot webhook={webhook} />
      </Table.Td>
      <Table.Td data-title={texts.events}>{events.includes('*') ? texts.allEvents : events.join(', ')}</Table.Td>
      <Table.Td data-title={texts.lastSuccess}>{lastSuccessAt === null ? '—' : <Ago at={lastSuccessAt} />}</Table.Td>
      <Table.Td data-title={texts.lastFailure}>{lastFailureAt === null ? '—' : <Ago at={lastFailureAt} />}</Table.Td>
    </Table.Tr>
  );
}

function OfAgent({ webhook: { agentId } }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhooksTexts);
  const name = useAgentName(agentId ?? '');
  return agentId === null ? null : <span className={row.quiet}>{texts.ofAgent(name ?? agentId)}</span>;
}
