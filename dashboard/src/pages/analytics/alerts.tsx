import { Group, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alert } from '../../../../sdk/src/index.ts';
import { unitOf } from '../../analytics/metric.ts';
import type { MetricName } from '../../analytics/query.ts';
import { useLabels } from '../../analytics/use-labels.ts';
import { useValueFormat } from '../../analytics/use-value-format.ts';
import { PlusIcon, WarningIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { Ago } from '../../parts/ago.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { Dot } from '../../parts/dot.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import { AlertForm } from './alert-form.tsx';
import { alertTexts } from './alert-texts.ts';
import { agentOf } from './alert-values.ts';

const refreshMs = 30_000;

interface Open {
  readonly dialog: 'edit' | 'delete';
  /** Null for a new one. */
  readonly alert: Alert | null;
}

export function Alerts() {
  const texts = useTexts(alertTexts);
  const { analytics } = useClient();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const list = useQuery({
    queryKey: ['analytics', 'alerts'],
    queryFn: async ({ signal }) => (await analytics.alerts.list({ limit: 50 }, { signal })).items,
    refetchInterval: refreshMs,
  });
  const create = (
    <GuardedButton
      scope="analytics:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setOpen({ dialog: 'edit', alert: null })}
    >
      {texts.create}
    </GuardedButton>
  );
  const empty = (
    <EmptyState icon={<WarningIcon />} title={texts.emptyTitle} actions={create}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <>
      {list.data !== undefined && list.data.length > 0 && (
        <Group justify="flex-end" mb="sm">
          {create}
        </Group>
      )}
      <ListCard list={list} empty={empty}>
        {(alerts) => <AlertTable alerts={alerts} onOpen={setOpen} />}
      </ListCard>
      {open?.dialog === 'edit' && <AlertForm alert={open.alert} onClose={close} />}
      {open?.dialog === 'delete' && open.alert !== null && <DeleteAlert alert={open.alert} onClose={close} />}
    </>
  );
}

interface AlertTableProps {
  readonly alerts: readonly Alert[];
  readonly onOpen: (open: Open) => void;
}

function AlertTable({ alerts, onOpen }: AlertTableProps) {
  const texts = useTexts(alertTexts);
  return (
    <DataTable
      label={texts.alerts}
      columns={[
        texts.state,
        texts.name,
        texts.condition,
        texts.lastValue,
        texts.since,
        { title: texts.actions, isTitleHidden: true },
      ]}
      cardsBelow="medium"
    >
      {alerts.map((alert) => (
        <Row key={alert.id} alert={alert} onOpen={onOpen} />
      ))}
    </DataTable>
  );
}

const tones = { ok: 'good', firing: 'bad', no_data: 'quiet' } as const;

function Row({ alert, onOpen }: { readonly alert: Alert; readonly onOpen: (open: Open) => void }) {
  const texts = useTexts(alertTexts);
  const format = useValueFormat();
  const unit = unitOf(alert.metric);
  const { name, enabled, state, lastValue, lastEvaluatedAt, relative } = alert;
  return (
    <Table.Tr>
      <Table.Td data-title={texts.state}>
        <Dot tone={enabled ? tones[state] : 'quiet'}>{enabled ? texts[state] : texts.off}</Dot>
      </Table.Td>
      <Table.Td data-title={texts.name} fw={550}>
        {name}
      </Table.Td>
      <Table.Td data-title={texts.condition}>
        <Condition alert={alert} />
      </Table.Td>
      <Table.Td data-title={texts.lastValue}>
        {lastEvaluatedAt === null
          ? texts.notEvaluated
          : lastValue !== null && relative
            ? format.change(lastValue / 100)
            : format.value(lastValue, unit)}
      </Table.Td>
      <Table.Td data-title={texts.since}>
        <Ago at={alert.stateSince} />
      </Table.Td>
      <ActionsCell>
        <GuardedButton
          scope="analytics:write"
          variant="default"
          size="compact-sm"
          onClick={() => onOpen({ dialog: 'edit', alert })}
          aria-label={texts.editDo(name)}
        >
          {texts.editShort}
        </GuardedButton>
        <GuardedButton
          scope="analytics:write"
          variant="default"
          size="compact-sm"
          onClick={() => onOpen({ dialog: 'delete', alert })}
          aria-label={texts.deleteDo(name)}
        >
          {texts.deleteShort}
        </GuardedButton>
      </ActionsCell>
    </Table.Tr>
  );
}

function Condition({ alert: { metric, field, filter, op, value, relative, window } }: { readonly alert: Alert }) {
  const texts = useTexts(alertTexts);
  const labels = useLabels();
  const format = useValueFormat();
  const agentId = agentOf(filter);
  const agent = useAgentName(agentId);
  const what = [labels.metric(metric as MetricName), field].filter(Boolean).join(' ');
  const much = relative ? texts.changed(format.change(value / 100)) : format.value(value, unitOf(metric));
  const whose = filter === null ? null : agentId === null ? texts.someCalls : (agent ?? texts.calls);
  return (
    <>
      {texts.sentence(what, texts[op], much, texts[window])}
      {whose !== null && ` · ${whose}`}
    </>
  );
}

function DeleteAlert({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) {
  const texts = useTexts(alertTexts);
  const { analytics } = useClient();
  return (
    <DeleteDialog
      title={texts.deleteTitle(alert.name)}
      text={texts.deleteText}
      confirm={texts.deleteConfirm}
      done={texts.deleted}
      queryKey={['analytics', 'alerts']}
      onDelete={() => analytics.alerts.delete(alert.id)}
      onClose={onClose}
    />
  );
}
