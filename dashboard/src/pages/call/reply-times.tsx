import { Stack, Table, Text } from '@mantine/core';
import type { Call, CallLatency, Turn, TurnLatency } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import classes from './call.module.css';
import { lengthOf, type StageName, segmentsOf, stages } from './latency-stages.ts';
import { callPageTexts } from './texts.ts';
import { useEngineName } from './use-engine-name.ts';

interface ReplyTimesProps {
  readonly call: Call;
  /** Null if the conversation is not stored. */
  readonly turns: readonly Turn[] | null;
}

export function ReplyTimes({ call, turns }: ReplyTimesProps) {
  const texts = useTexts(callPageTexts);
  const names = useStageNames(call);
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
      <Summary latency={call.latency} names={names} />
      {turns === null ? <Text c="dimmed">{texts.repliesNoTurns}</Text> : <Replies turns={turns} names={names} />}
    </Stack>
  );
}

type StageNames = Readonly<Record<StageName, string>>;

function useStageNames(call: Call): StageNames {
  const { endpointing, stt, tts, own, rest } = useTexts(callPageTexts);
  return { endpointing, stt, llm: useEngineName(call), tts, own, rest };
}

interface SummaryProps {
  readonly latency: CallLatency;
  readonly names: StageNames;
}

function Summary({ latency, names }: SummaryProps) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const rows = [
    { name: 'total' as const, measured: latency.e2eMs },
    ...stages.map(({ name, field }) => ({ name, measured: latency[field] })),
  ];
  return (
    <Card isFlush>
      <DataTable
        label={texts.stage}
        columns={[texts.stage, texts.median, texts.p90, texts.longest]}
        verticalSpacing="xs"
        className={`${classes.table} ${classes.stages}`}
      >
        {rows.map(
          ({ name, measured }) =>
            measured && (
              <Table.Tr key={name} data-is-total={name === 'total' || undefined}>
                <Table.Td>{name === 'total' ? texts.total : <Stage name={name}>{names[name]}</Stage>}</Table.Td>
                <Table.Td>{format.milliseconds(measured.p50)}</Table.Td>
                <Table.Td>{format.milliseconds(measured.p90)}</Table.Td>
                <Table.Td>{format.milliseconds(measured.max)}</Table.Td>
              </Table.Tr>
            ),
        )}
      </DataTable>
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

interface RepliesProps {
  readonly turns: readonly Turn[];
  readonly names: StageNames;
}

function Replies({ turns, names }: RepliesProps) {
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
            <Reply turn={turn} latency={latency} longestMs={longestMs} names={names} />
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
  readonly names: StageNames;
}

/** A bar as long as the reply took, compared with the longest one, and the same in numbers. */
function Reply({ turn, latency, longestMs, names }: ReplyProps) {
  const { format } = useLanguage();
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
            {names[name]} {format.milliseconds(ms)}
          </span>
        ))}
      </div>
    </>
  );
}
