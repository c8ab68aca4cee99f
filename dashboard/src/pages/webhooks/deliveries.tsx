import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { WebhookDelivery } from '../../../../sdk/src/index.ts';
import { WebhookIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { useDeliveries } from './use-webhooks.ts';
import { webhookNames, webhookTexts } from './webhook-texts.ts';

const statuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;

/** The deliveries of a webhook, newest first. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(webhookTexts);
  const names = useTexts(webhookNames);
  const [status, setStatus] = useState<WebhookDelivery['status'] | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  const list = useDeliveries(webhookId, status);
  const choices = [
    { value: '', label: texts.allStatuses },
    ...statuses.map((value) => ({ value, label: names[value] })),
  ];
  return (
    <Stack gap="md">
      <Card
        title={texts.deliveries}
        isFlush
        actions={
          <NativeSelect
            size="xs"
            aria-label={texts.status}
            data={choices}
            value={status ?? ''}
            onChange={({ currentTarget: { value } }) => setStatus(statuses.find((name) => name === value) ?? null)}
          />
        }
      >
        <Body list={list} isFiltered={status !== null} onOpen={({ id }) => setOpen(id)} />
      </Card>
      {list.hasNextPage && (
        <Button variant="default" mx="auto" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {shared.loadMore}
        </Button>
      )}
      {open !== null && <DeliveryDrawer webhookId={webhookId} deliveryId={open} onClose={() => setOpen(null)} />}
    </Stack>
  );
}

interface BodyProps {
  readonly list: ReturnType<typeof useDeliveries>;
  readonly isFiltered: boolean;
  readonly onOpen: (delivery: WebhookDelivery) => void;
}

function Body({ list, isFiltered, onOpen }: BodyProps) {
  const texts = useTexts(webhookTexts);
  const { items, data, error, refetch } = list;
  if (data === undefined) return error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />;
  if (items.length > 0) return <DeliveryTable deliveries={items} onOpen={onOpen} />;
  if (isFiltered) {
    return (
      <Text size="sm" c="dimmed" p="lg" ta="center">
        {texts.noDeliveriesLike}
      </Text>
    );
  }
  return (
    <EmptyState icon={<WebhookIcon />} title={texts.noDeliveries}>
      {texts.noDeliveriesNext}
    </EmptyState>
  );
}
