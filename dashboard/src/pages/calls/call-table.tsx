import { Table, Text } from '@mantine/core';
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
import classes from './calls.module.css';
import { callsTexts } from './texts.ts';

interface CallTableProps {
  readonly label: string;
  readonly calls: readonly Call[];
}

export function CallTable({ label, calls }: CallTableProps) {
  const texts = useTexts(callsTexts);
  return (
    <DataTable
      label={label}
      columns={[
        texts.agent,
        texts.version,
        texts.status,
        texts.type,
        texts.started,
        texts.duration,
        texts.endReason,
        { title: texts.replyTime, hint: texts.replyTimeHint },
      ]}
      verticalSpacing="xs"
      horizontalSpacing="sm"
      cardsBelow="medium"
      className={classes.table}
    >
      {calls.map((call) => (
        <Row key={call.id} call={call} />
      ))}
    </DataTable>
  );
}

function Row({ call }: { readonly call: Call }) {
  const { format } = useLanguage();
  const texts = useTexts(callsTexts);
  const reasons = useTexts(endReasonTexts);
  const median = call.latency?.e2eMs?.p50 ?? null;
  const duration = durationOf(call, format.clock);
  const none = (
    <Text span inherit c="dimmed">
      —
    </Text>
  );
  return (
    <Table.Tr>
      <Table.Td>
        <AgentLink call={call} />
        {call.to !== null && (
          <span className={classes.numbers}>
            {call.direction === 'inbound' ? (call.from ?? texts.withheld) : call.to}
          </span>
        )}
      </Table.Td>
      <Table.Td data-title={texts.version}>
        <CallVersion call={call} />
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <CallStatusDot status={call.status} type={call.type} />
      </Table.Td>
      <Table.Td data-title={texts.type}>
        <CallTypeText call={call} />
      </Table.Td>
      <Table.Td data-title={texts.started}>
        {call.startedAt === null ? (
          <Text span inherit c="dimmed">
            {texts.notStarted}
          </Text>
        ) : (
          <Ago at={call.startedAt} />
        )}
      </Table.Td>
      <Table.Td data-title={texts.duration} data-is-empty={duration === null || undefined}>
        {duration ?? none}
      </Table.Td>
      <Table.Td data-title={texts.endReason} data-is-empty={call.endReason === null || undefined}>
        {call.endReason === null ? none : reasons[call.endReason]}
      </Table.Td>
      <Table.Td data-title={texts.replyTime} data-is-empty={median === null || undefined}>
        {median === null ? none : format.milliseconds(median)}
      </Table.Td>
    </Table.Tr>
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
