import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Prices as PriceList } from '../../../../sdk/src/index.ts';
import { PlusIcon, PriceIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { Dot } from '../../parts/dot.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { useClient, useScope } from '../../session/use-session.ts';
import { PriceForm } from './price-form.tsx';
import classes from './prices.module.css';
import { pricesTexts } from './texts.ts';

interface Open {
  readonly dialog: 'edit' | 'delete';
  /** Null for new ones. */
  readonly prices: PriceList | null;
}

/** What providers charge, by the time from which on it is valid. */
export function Prices() {
  const texts = useTexts(pricesTexts);
  const { format } = useLanguage();
  const { analytics } = useClient();
  const { isAllowed } = useScope('analytics:read');
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const list = useQuery({
    queryKey: ['analytics', 'prices'],
    queryFn: async ({ signal }) => (await analytics.prices.list({ signal })).items,
    enabled: isAllowed,
  });
  const create = (
    <GuardedButton
      scope="analytics:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setOpen({ dialog: 'edit', prices: null })}
    >
      {texts.create}
    </GuardedButton>
  );
  const empty = (
    <EmptyState icon={<PriceIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <>
      <PageHeader description={texts.description} actions={create} />
      <ScopeGuard scope="analytics:read">
        <ListCard list={list} empty={empty}>
          {(items) => <PriceTable items={items} onOpen={setOpen} />}
        </ListCard>
      </ScopeGuard>
      {open?.dialog === 'edit' && <PriceForm prices={open.prices} newest={list.data?.[0]} onClose={close} />}
      {open?.dialog === 'delete' && open.prices !== null && (
        <DeleteDialog
          title={texts.deleteTitle(format.dateTime(open.prices.validFrom))}
          text={texts.deleteText}
          confirm={texts.deleteConfirm}
          done={texts.deleted}
          queryKey={['analytics']}
          onDelete={() => analytics.prices.delete((open.prices as PriceList).validFrom)}
          onClose={close}
        />
      )}
    </>
  );
}

interface PriceTableProps {
  readonly items: readonly PriceList[];
  readonly onOpen: (open: Open) => void;
}

function PriceTable({ items, onOpen }: PriceTableProps) {
  const texts = useTexts(pricesTexts);
  const { format } = useLanguage();
  // The newest are first.
  const valid = items.find(({ validFrom }) => Date.parse(validFrom) <= Date.now());
  return (
    <DataTable
      label={texts.list}
      columns={[texts.validFrom, texts.currency, texts.items, { title: texts.actions, isTitleHidden: true }]}
      cardsBelow="narrow"
    >
      {items.map((prices) => {
        const from = format.dateTime(prices.validFrom);
        return (
          <Table.Tr key={prices.validFrom}>
            <Table.Td data-title={texts.validFrom}>
              <span className={classes.from}>
                {from}
                {prices === valid && <Dot tone="good">{texts.now}</Dot>}
              </span>
            </Table.Td>
            <Table.Td data-title={texts.currency}>{prices.currency}</Table.Td>
            <Table.Td data-title={texts.items}>{texts.count(format.number(prices.items.length))}</Table.Td>
            <ActionsCell>
              <GuardedButton
                scope="analytics:write"
                variant="default"
                size="compact-sm"
                aria-label={texts.editDo(from)}
                onClick={() => onOpen({ dialog: 'edit', prices })}
              >
                {texts.editShort}
              </GuardedButton>
              <GuardedButton
                scope="analytics:write"
                variant="default"
                size="compact-sm"
                aria-label={texts.deleteDo(from)}
                onClick={() => onOpen({ dialog: 'delete', prices })}
              >
                {texts.deleteShort}
              </GuardedButton>
            </ActionsCell>
          </Table.Tr>
        );
      })}
    </DataTable>
  );
}
