import { Checkbox, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { CallStatusDot } from '../../calls/call-status.tsx';
import { endReasonTexts } from '../../calls/call-texts.ts';
import { CallTypeText } from '../../calls/call-type.tsx';
import { CallVersion } from '../../calls/call-version.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { Ago } from '../../parts/ago.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { CallOutcome } from './call-outcome.tsx';
import classes from './calls.module.css';
import { shortName, textOf } from './columns.ts';
import { callsTexts } from './texts.ts';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly onChange: (ids: ReadonlySet<string>) => void;
}

interface CallTableProps {
  readonly label: string;
  readonly calls: readonly Call[];
  /** Null: the calls cannot be selected. */
  readonly selection?: Selection | null;
  /** The names of values that are shown as columns. */
  readonly columns?: readonly string[];
}

export function CallTable({ label, calls, selection = null, columns = [] }: CallTableProps) {
  const texts = useTexts(callsTexts);
  return (
    <DataTable
      label={label}
      columns={[
        ...(selection === null ? [] : [{ title: texts.selection, isTitleHidden: true, width: '2.5rem' }]),
        texts.agent,
        { title: texts.outcome, hint: texts.outcomeHint, width: '7.5rem' },
        ...columns.map((name) => ({ title: shortName(name), hint: name, width: '8rem' })),
        { title: texts.status, width: '10.5rem' },
        { title: texts.type, width: '6rem' },
        { title: texts.started, width: '7.5rem' },
        { title: texts.duration, width: '5.5rem' },
        { title: texts.replyTime, hint: texts.replyTimeHint, width: '6.5rem' },
      ]}
      verticalSpacing="xs"
      horizontalSpacing="sm"
      className={classes.table}
    >
      {calls.map((call) => (
        <Row key={call.id} call={call} selection={selection} columns={columns} />
      ))}
    </DataTable>
  );
}

type RowProps = { readonly call: Call } & Required<Pick<CallTableProps, 'selection' | 'columns'>>;

function Row({ call, selection, columns }: RowProps) {
  const { format } = useLanguage();
  const texts = useTexts(callsTexts);
  const reasons = useTexts(endReasonTexts);
  const median = call.latency?.e2eMs?.p50 ?? null;
  const none = (
    <Text span inherit c="dimmed">
      —
    </Text>
  );
  return (
    <Table.Tr data-is-selected={selection?.ids.has(call.id) || undefined}>
      {selection !== null && <SelectionCell call={call} selection={selection} />}
      <Table.Td data-cell="call">
        <span className={classes.name}>
          <AgentLink call={call} />
          <CallVersion call={call} />
        </span>
        <Summary call={call} />
      </Table.Td>
      <Table.Td data-cell="outcome">
        <CallOutcome call={call} />
      </Table.Td>
      {columns.map((name) => (
        <Table.Td key={name} data-cell="value" data-name={shortName(name)}>
          <span className={classes.value} title={textOf(call, name) ?? undefined}>
            {textOf(call, name) ?? none}
          </span>
        </Table.Td>
      ))}
      {/* An outcome says that the call has ended: a phone has no room for both. */}
      <Table.Td
        data-cell="status"
        data-is-known={(call.status === 'ended' && call.analysis.status === 'completed') || undefined}
      >
        <CallStatusDot status={call.status} type={call.type} />
        {call.endReason !== null && <span className={classes.minor}>{reasons[call.endReason]}</span>}
      </Table.Td>
      <Table.Td data-cell="type">
        <CallTypeText call={call} />
      </Table.Td>
      <Table.Td data-cell="started">
        {call.startedAt === null ? (
          <span className={classes.minor}>{texts.notStarted}</span>
        ) : (
          <Ago at={call.startedAt} />
        )}
      </Table.Td>
      <Table.Td data-cell="duration">{durationOf(call, format.clock) ?? none}</Table.Td>
      <Table.Td data-cell="reply">{median === null ? none : format.milliseconds(median)}</Table.Td>
    </Table.Tr>
  );
}

function SelectionCell({ call, selection }: { readonly call: Call; readonly selection: Selection }) {
  const { format } = useLanguage();
  const texts = useTexts(callsTexts);
  const name = useAgentName(call.agentId) ?? call.agentId ?? texts.noAgent;
  const toggle = (isSelected: boolean) => {
    const ids = new Set(selection.ids);
    if (isSelected) ids.add(call.id);
    else ids.delete(call.id);
    selection.onChange(ids);
  };
  return (
    <Table.Td data-cell="select">
      <Checkbox
        size="xs"
        aria-label={texts.select(name, format.dateTime(call.createdAt))}
        checked={selection.ids.has(call.id)}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
    </Table.Td>
  );
}

/** In one line what the call was about; of a phone call without a summary, who called. */
function Summary({ call }: { readonly call: Call }) {
  const texts = useTexts(callsTexts);
  const number = call.direction === 'inbound' ? (call.from ?? texts.withheld) : call.to;
  const parts = [call.to === null ? null : number, call.analysis.summary];
  const text = parts.filter((part) => part !== null).join(' · ');
  return text === '' ? null : (
    <span className={classes.summary} title={text}>
      {text}
    </span>
  );
}

function AgentLink({ call }: { readonly call: Call }) {
  const name = useAgentName(call.agentId);
  const { noAgent } = useTexts(callsTexts);
  const shown = name ?? call.agentId ?? noAgent;
  return (
    <Link
      href={`/calls/${call.id}`}
      className={classes.link as string}
      data-opens-row
      title={shown}
      data-is-id={(name === null && call.agentId !== null) || undefined}
    >
      {shown}
    </Link>
  );
}

/** The duration of a call; until now if it is open. */
function durationOf(call: Call, clock: (ms: number) => string): string | null {
  if (call.durationMs !== null) return clock(call.durationMs);
  if (!isOpen(call) || call.startedAt === null) return null;
  return clock(Math.max(0, Date.now() - Date.parse(call.startedAt)));
}
