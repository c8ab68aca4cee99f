import { Button, Stack, Table, Text } from '@mantine/core';
import type { CallWarning, TypedCallEvent } from '../../../../sdk/src/index.ts';
import { callTexts, endReasonTexts, statusTexts } from '../../calls/call-texts.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import classes from './call.module.css';
import type { CallEvents } from './call-events.ts';
import { transferText } from './phone-summary.ts';
import { callPageTexts, eventTexts } from './texts.ts';

export function EventTable({ events: list }: { readonly events: CallEvents }) {
  const { texts: shared, format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const names = useTexts(eventTexts) as Readonly<Record<string, unknown>>;
  const describe = useDescription();
  const { events, isPending, error, hasMore, isLoading, loadMore } = list;
  if (events.length === 0) {
    return (
      <Card isFlush>
        {isPending ? (
          <RowSkeletons />
        ) : error !== null ? (
          <ErrorState error={error} onRetry={loadMore} />
        ) : (
          <Text c="dimmed" ta="center" py="xl">
            {texts.eventsNone}
          </Text>
        )}
      </Card>
    );
  }
  return (
    <Stack gap="md">
      <Card isFlush>
        <DataTable
          label={texts.tabEvents}
          columns={[texts.eventNumber, texts.eventTime, texts.eventType, texts.eventText]}
          verticalSpacing="xs"
          className={classes.table}
        >
          {events.map((event) => (
            <Table.Tr key={event.sequence}>
              <Table.Td c="dimmed">{event.sequence}</Table.Td>
              <Table.Td title={format.dateTime(event.at)} className={classes.eventTime as string}>
                {event.offsetMs === null ? '—' : format.clock(event.offsetMs)}
              </Table.Td>
              {/* A type that is newer than this page is shown by its name. */}
              <Table.Td className={classes.eventType as string}>{String(names[nameOf(event)] ?? event.type)}</Table.Td>
              <Table.Td>
                <span className={classes.eventText}>{describe(event)}</span>
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      </Card>
      {hasMore && (
        <Button variant="default" mx="auto" loading={isLoading} onClick={loadMore}>
          {shared.loadMore}
        </Button>
      )}
    </Stack>
  );
}

function useDescription(): (event: TypedCallEvent) => string {
  const { format } = useLanguage();
  const texts = useTexts(eventTexts);
  const calls = useTexts(callTexts);
  const statuses = useTexts(statusTexts);
  const reasons = useTexts(endReasonTexts);
  const own = useTexts(callPageTexts);
  return (event) => {
    switch (event.type) {
      case 'state_changed': {
        const { to, endReason } = event.data;
        if (endReason === null) return texts.becomes(statuses[to]);
        return texts.becomesBecause(statuses[to], reasons[endReason]);
      }
      case 'turn_completed': {
        const { role, text, toolCall } = event.data.turn;
        if (role === 'tool') return toolCall === null ? '' : calls.toolCalled(toolCall.name);
        return texts.said(role === 'agent' ? calls.agent : calls.caller, text);
      }
      case 'speech_started':
      case 'speech_ended':
        return event.data.role === 'agent' ? calls.agent : calls.caller;
      case 'agent_interrupted':
        return texts.interruptedBy;
      case 'tool_called':
        return event.data.name;
      case 'tool_returned': {
        const { name, isError, durationMs } = event.data;
        return (isError ? texts.returnedFailed : texts.returned)(name, format.milliseconds(durationMs));
      }
      case 'answered_by':
        return `${own[event.data.by]} (${event.data.source === 'audio' ? own.heard : own.reported})`;
      case 'transfer_updated':
        return transferText(event.data, own);
      case 'dtmf_received':
      case 'dtmf_sent':
        return event.data.digits ?? '';
      case 'control_applied':
        return event.data.action;
      case 'latency_exceeded':
        return texts.slow(format.milliseconds(event.data.e2eMs), format.milliseconds(event.data.budgetMs));
      case 'provider_switched':
        return texts.switched(event.data.from, event.data.to);
      case 'warning':
        return warningOf(event.data, texts);
      default:
        return JSON.stringify((event as { data: unknown }).data);
    }
  };
}

/** A completed turn is something said, unless it is that of a tool. */
function nameOf(event: TypedCallEvent): string {
  return event.type === 'turn_completed' && event.data.turn.role === 'tool' ? 'tool_turn' : event.type;
}

interface WarningTexts {
  readonly partialRedaction: string;
  readonly recordingFailed: string;
  readonly textTooLong: string;
  readonly variableNotSet: string;
  readonly understandingLimit: string;
  readonly mediaStalled: string;
  readonly inboundRequestFailed: string;
  noValue(name: string): string;
}

/** In the language of the page, if the warning is known. */
function warningOf({ code, message }: CallWarning, texts: WarningTexts): string {
  if (code === 'redaction_is_partial') return texts.partialRedaction;
  if (code === 'recording_failed') return texts.recordingFailed;
  if (code === 'text_too_long') return texts.textTooLong;
  if (code === 'variable_not_set') return texts.variableNotSet;
  if (code === 'understanding_limit') return texts.understandingLimit;
  if (code === 'media_stalled') return texts.mediaStalled;
  if (code === 'inbound_request_failed') return texts.inboundRequestFailed;
  const name = /^the variable (\S+) has no value$/.exec(message)?.[1];
  return code === 'unknown_variable' && name !== undefined ? texts.noValue(name) : message;
}
