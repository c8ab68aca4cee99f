import { Stack, Table, Text } from '@mantine/core';
import type { Call, CallLatency, Turn, TurnLatency } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import classes from './call.module.css';
import { lengthOf, type StageName, segmentsOf, stages } from './latency-stages.ts';
import { callPageTexts } from './texts.ts';

interface ReplyTimesProps {
  readonly call: Call;
  /** Null if the conversation is not stored. */
  readonly turns: readonly Turn[] | null;
}

export function ReplyTimes({ call, turns }: ReplyTimesProps) {
  const texts = useTexts(callPageTexts);
  if (call.latency?.e2eMs == null) {
    return (
      <Card>
        <Text c="dimmed" ta="center" py="xl">
          {texts.repliesNone}
        </Text>
      </Card>
    );
  }
  return (
    <Stack gap="md">
      <Summary latency={call.latency} />
      {turns === null ? <Text c="dimmed">{texts.repliesNoTurns}</Text> : <Replies turns={turns} />}
    </Stack>
  );
}

function Summary({ latency }: { readonly latency: CallLatency }) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const rows = [
    { name: 'total' as const, measured: latency.e2eMs },
    ...stages.map(({ name, field }) => ({ name, measured: latency[field] })),
  ];
  return (
    <Card isFlush>
      <Table
        className={`${classes.table} ${classes.stages}`}
        horizontalSpacing="md"
        verticalSpacing="xs"
        aria-label={texts.stage}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.stage}</Table.Th>
            <Table.Th>{texts.median}</Table.Th>
            <Table.Th>{texts.p90}</Table.Th>
            <Table.Th>{texts.longest}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(
            ({ name, measured }) =>
              measured && (
                <Table.Tr key={name} data-is-total={name === 'total' || undefined}>
                  <Table.Td>{name === 'total' ? texts.total : <Stage name={name}>{texts[name]}</Stage>}</Table.Td>
                  <Table.Td>{format.milliseconds(measured.p50)}</Table.Td>
                  <Table.Td>{format.milliseconds(measured.p90)}</Table.Td>
                  <Table.Td>{format.milliseconds(measured.max)}</Table.Td>
                </Table.Tr>
              ),
          )}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

/** The name of a part, with its color in the bars. */
function Stage({ name, children }: { readonly name: StageName; readonly children: string }) {
  return (
    <span className={classes.stage} data-stage={name}>
      {children}
    </span>
  );
}

function Replies({ turns }: { readonly turns: readonly Turn[] }) {
  const texts = useTexts(callPageTexts);
  const replies = turns.flatMap((turn) =>
    turn.latency === null || turn.latency.e2eMs === null ? [] : [{ turn, latency: turn.latency }],
  );
  const longestMs = Math.max(1, ...replies.map(({ latency }) => lengthOf(latency)));
  return (
    <Card title={texts.perReply}>
      <ol className={classes.replies}>
        {replies.map(({ turn, latency }) => (
          <li key={turn.index}>
            <Reply turn={turn} latency={latency} longestMs={longestMs} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface ReplyProps {
  readonly turn: Turn;
  readonly latency: TurnLatency;
  readonly longestMs: number;
}

/** A bar as long as the reply took, compared with the longest one, and the same in numbers. */
function Reply({ turn, latency, longestMs }: ReplyProps) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const segments = segmentsOf(latency);
  return (
    <>
      <div className={classes.replyHead}>
        <span className={classes.replyTime}>{format.clock(turn.startMs)}</span>
        <span className={classes.replyText}>{turn.text}</span>
        <span className={classes.replyTotal}>{format.milliseconds(latency.e2eMs ?? lengthOf(latency))}</span>
      </div>
      <div className={classes.bar} aria-hidden="true">
        {segments.map(({ name, ms }) => (
          <span key={name} data-stage={name} style={{ width: `${(ms / longestMs) * 100}%` }} />
        ))}
      </div>
      <div className={classes.numbers}>
        {segments.map(({ name, ms }) => (
          <span key={name}>
            {texts[name]} {format.milliseconds(ms)}
          </span>
        ))}
      </div>
    </>
  );
}
