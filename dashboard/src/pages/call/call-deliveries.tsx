import { Text } from '@mantine/core';
import { useState } from 'react';
import type { WebhookDelivery } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { DeliveryDrawer } from '../webhooks/delivery-drawer.tsx';
import { DeliveryTable } from '../webhooks/delivery-table.tsx';
import { useCallDeliveries } from '../webhooks/use-call-deliveries.ts';
import { callPageTexts } from './texts.ts';

/** What was sent to webhooks about a call. */
export function CallDeliveries({ callId }: { readonly callId: string }) {
  return (
    <ScopeGuard scope="webhooks:read">
      <List callId={callId} />
    </ScopeGuard>
  );
}

function List({ callId }: { readonly callId: string }) {
  const texts = useTexts(callPageTexts);
  const [open, setOpen] = useState<WebhookDelivery | null>(null);
  const { data, error, refetch } = useCallDeliveries(callId);
  return (
    <Card isFlush>
      {data === undefined ? (
        error === null ? (
          <RowSkeletons />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : data.items.length === 0 ? (
        <Text c="dimmed" ta="center" py="xl">
          {texts.deliveriesNone}
        </Text>
      ) : (
        <DeliveryTable
          deliveries={data.items}
          onOpen={setOpen}
          urlOf={({ webhookId, attempts }) => attempts.at(-1)?.url ?? data.urls.get(webhookId) ?? webhookId}
        />
      )}
      {open !== null && (
        <DeliveryDrawer webhookId={open.webhookId} deliveryId={open.id} onClose={() => setOpen(null)} />
      )}
    </Card>
  );
}
