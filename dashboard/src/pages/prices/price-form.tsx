import { ActionIcon, Button, NativeSelect, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type Prices, type PutPrices } from '../../../../sdk/src/index.ts';
import { PlusIcon, TrashIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import {
  bodyOf,
  type Capability,
  capabilities,
  emptyItem,
  fieldsOf,
  isCurrency,
  issuesOf,
  type PriceFields,
  type PriceRow,
  type PriceUnit,
  unitsOf,
} from './price-values.ts';
import classes from './prices.module.css';
import { pricesTexts } from './texts.ts';

interface PriceFormProps {
  /** Null for new ones. */
  readonly prices: Prices | null;
  readonly newest: Prices | undefined;
  readonly onClose: () => void;
}

export function PriceForm({ prices, newest, onClose }: PriceFormProps) {
  const texts = useTexts(pricesTexts);
  const [fields, setFields] = useState(() => fieldsOf(prices, newest, new Date()));
  const [hasTried, setHasTried] = useState(false);
  const saving = useSaving(onClose);
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  const change = (part: Partial<PriceFields>) => setFields((now) => ({ ...now, ...part }));
  const submit = () => {
    setHasTried(true);
    const request = bodyOf(fields);
    if (request !== null) saving.mutate(prices === null ? request : { ...request, validFrom: prices.validFrom });
  };
  return (
    <ActionDialog
      size="60rem"
      title={prices === null ? texts.create : texts.edit}
      confirm={texts.save}
      isForm
      action={saving}
      explanation={isFull ? texts.full : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          type="datetime-local"
          label={texts.validFrom}
          description={texts.validFromHint}
          // Prices are replaced by their time.
          readOnly={prices !== null}
          value={fields.validFrom}
          error={hasTried && fields.validFrom === '' && texts.needed}
          onChange={({ currentTarget: { value } }) => change({ validFrom: value })}
          data-autofocus
        />
        <TextInput
          label={texts.currency}
          description={texts.currencyHint}
          value={fields.currency}
          maxLength={3}
          error={hasTried && !isCurrency(fields.currency) && texts.wrongCurrency}
          onChange={({ currentTarget: { value } }) => change({ currency: value.toUpperCase() })}
        />
      </SimpleGrid>
      <Rows rows={fields.rows} hasTried={hasTried} onChange={(rows) => change({ rows })} />
    </ActionDialog>
  );
}

interface RowsProps {
  readonly rows: readonly PriceRow[];
  readonly hasTried: boolean;
  readonly onChange: (rows: readonly PriceRow[]) => void;
}

function Rows({ rows, hasTried, onChange }: RowsProps) {
  const texts = useTexts(pricesTexts);
  const replace = (row: PriceRow) => onChange(rows.map((other) => (other.id === row.id ? row : other)));
  const add = () => {
    const last = rows.at(-1) ?? emptyItem;
    onChange([...rows, { ...last, price: '', id: Math.max(-1, ...rows.map(({ id }) => id)) + 1 }]);
  };
  return (
    <div>
      <Text size="xs" c="dimmed" mb="xs">
        {texts.any}
      </Text>
      <DataTable
        label={texts.items}
        columns={[
          ...[texts.capability, texts.provider, texts.model, texts.unit, texts.price],
          { title: texts.actions, isTitleHidden: true },
        ]}
        verticalSpacing={6}
        horizontalSpacing={6}
        cardsBelow="medium"
        className={classes.rows}
      >
        {rows.map((row, index) => (
          <Row
            key={row.id}
            row={row}
            place={index + 1}
            issues={hasTried ? issuesOf(row, rows) : []}
            onChange={replace}
            onRemove={() => onChange(rows.filter(({ id }) => id !== row.id))}
          />
        ))}
      </DataTable>
      <Button size="xs" variant="default" mt="sm" leftSection={<PlusIcon size={16} />} onClick={add}>
        {texts.add}
      </Button>
    </div>
  );
}

interface RowProps {
  readonly row: PriceRow;
  readonly place: number;
  readonly issues: ReturnType<typeof issuesOf>;
  readonly onChange: (row: PriceRow) => void;
  readonly onRemove: () => void;
}

function Row({ row, place, issues, onChange, onRemove }: RowProps) {
  const { format } = useLanguage();
  const texts = useTexts(pricesTexts);
  const number = format.number(place);
  const label = (what: string) => texts.place(what, number);
  const problem = issues.includes('price') ? texts.wrongPrice : issues.includes('twice') ? texts.twice : false;
  return (
    <Table.Tr>
      <Table.Td data-title={texts.capability}>
        <NativeSelect
          size="xs"
          aria-label={label(texts.capability)}
          data={capabilities.map((value) => ({ value, label: texts[value] }))}
          value={row.capability}
          onChange={({ currentTarget: { value } }) => {
            const capability = value as Capability;
            onChange({ ...row, capability, unit: unitsOf[capability][0] as PriceUnit });
          }}
        />
      </Table.Td>
      {(['provider', 'model'] as const).map((name) => (
        <Table.Td key={name} data-title={texts[name]}>
          <TextInput
            size="xs"
            aria-label={label(texts[name])}
            value={row[name]}
            maxLength={255}
            error={issues.includes(name) && texts.required}
            onChange={({ currentTarget: { value } }) => onChange({ ...row, [name]: value })}
          />
        </Table.Td>
      ))}
      <Table.Td data-title={texts.unit}>
        <NativeSelect
          size="xs"
          aria-label={label(texts.unit)}
          data={unitsOf[row.capability].map((value) => ({ value, label: texts[value] }))}
          value={row.unit}
          onChange={({ currentTarget: { value } }) => onChange({ ...row, unit: value as PriceUnit })}
        />
      </Table.Td>
      <Table.Td data-title={texts.price}>
        <TextInput
          size="xs"
          aria-label={label(texts.price)}
          inputMode="decimal"
          placeholder="0.25"
          value={row.price}
          maxLength={19}
          error={problem}
          onChange={({ currentTarget: { value } }) => onChange({ ...row, price: value.trim() })}
        />
      </Table.Td>
      <Table.Td>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.remove(number)} onClick={onRemove}>
          <TrashIcon size={16} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}

function useSaving(onClose: () => void) {
  const texts = useTexts(pricesTexts);
  const notice = useNotice();
  const { analytics } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async ({ validFrom, body }: { validFrom: string; body: PutPrices }) => {
      await analytics.prices.put(validFrom, body);
    },
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['analytics'] });
      notice(texts.saved);
      onClose();
    },
  });
}
