import { Table } from '@mantine/core';
import type { WebhookDelivery } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dot } from '../../parts/dot.tsx';
import row from '../../parts/row.module.css';
import { deliveryTones } from './health.ts';
import { webhookNames, webhookTexts } from './webhook-texts.ts';
import classes from './webhooks.module.css';

interface DeliveryTableProps {
  readonly deliveries: readonly WebhookDelivery[];
  readonly onOpen: (delivery: WebhookDelivery) => void;
  /** Where each was sent, if they are of several webhooks. */
  readonly urlOf?: (delivery: WebhookDelivery) => string;
}

export function DeliveryTable({ deliveries, onOpen, urlOf }: DeliveryTableProps) {
  const texts = useTexts(webhookTexts);
  return (
    <DataTable
      label={texts.deliveries}
      columns={[texts.event, texts.status, texts.response, texts.attempts, texts.created]}
      verticalSpacing="xs"
      cardsBelow="narrow"
      hasLongTitles
    >
      {deliveries.map((delivery) => (
        <Row key={delivery.id} delivery={delivery} onOpen={onOpen} url={urlOf?.(delivery) ?? null} />
      ))}
    </DataTable>
  );
}

interface RowProps {
  readonly delivery: WebhookDelivery;
  readonly onOpen: (delivery: WebhookDelivery) => void;
  readonly url: string | null;
}

function Row({ delivery, onOpen, url }: RowProps) {
  const { format, texts: shared } = useLanguage();
  const texts = useTexts(webhookTexts);
  const names = useTexts(webhookNames);
  const { eventType, status, reason, trigger, attemptCount, nextAttemptAt, createdAt } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <button type="button" className={classes.open} data-opens-row onClick={() => onOpen(delivery)}>
          {eventType}
        </button>
        {url !== null && <span className={row.quiet}>{url}</span>}
        {trigger !== 'event' && <span className={row.quiet}>{names[trigger]}</span>}
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <Dot tone={deliveryTones[status]}>{names[status]}</Dot>
        {reason !== null && <span className={row.quiet}>{names[reason]}</span>}
        {nextAttemptAt !== null && (
          <span className={row.quiet}>
            {texts.nextAttempt}
            {shared.colon}
            {format.until(nextAttemptAt)}
          </span>
        )}
      </Table.Td>
      <Table.Td data-title={texts.response}>{useResponse(delivery)}</Table.Td>
      <Table.Td data-title={texts.attempts}>{format.number(attemptCount)}</Table.Td>
      <Table.Td data-title={texts.created}>
        <Ago at={createdAt} />
      </Table.Td>
    </Table.Tr>
  );
}

/** What came of the last attempt. */
function useResponse({ attempts }: WebhookDelivery): string {
  const names = useTexts(webhookNames);
  const last = attempts.at(-1);
  if (last === undefined) return '—';
  return last.statusCode === null ? names[last.outcome] : String(last.statusCode);
}
