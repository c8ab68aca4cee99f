import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { callsHref } from '../../analytics/calls-behind.ts';
import { unitOfEntry } from '../../analytics/metric.ts';
import { nameOf, type Query, type RequestedMetric, type Result } from '../../analytics/query.ts';
import { versionMetrics } from '../../analytics/reply-metrics.ts';
import { changeOf } from '../../analytics/table.ts';
import { useFigures } from '../../analytics/use-figures.ts';
import { useLabels } from '../../analytics/use-labels.ts';
import { useValueFormat } from '../../analytics/use-value-format.ts';
import { browserZone } from '../../analytics/zone.ts';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { useScope } from '../../session/use-session.ts';
import { useAgentTexts } from './texts.ts';
import classes from './versions.module.css';

interface VersionFiguresProps {
  readonly agentId: string;
  readonly from: number;
  readonly to: number;
}

/** How calls with one version went, beside those with another. */
export function VersionFigures({ agentId, from, to }: VersionFiguresProps) {
  const texts = useAgentTexts();
  const { isAllowed } = useScope('analytics:read');
  const query: Query = {
    range: { last: '90d' },
    timeZone: browserZone(),
    groupBy: ['agentVersion'],
    filter: {
      all: [
        { field: 'agentId', op: 'eq', value: agentId },
        { field: 'agentVersion', op: 'in', value: [from, to] },
      ],
    },
    metrics: versionMetrics,
  };
  const { data, error, refetch } = useFigures(from === to ? null : query);
  if (!isAllowed || from === to) return null;
  return (
    <div className={classes.compare}>
      <Card title={texts.figuresOf(from, to)}>
        {data === undefined ? (
          error === null ? (
            <RowSkeletons />
          ) : (
            <ErrorState error={error} onRetry={refetch} />
          )
        ) : data.rows.length === 0 ? (
          <Text c="dimmed">{texts.figuresNone}</Text>
        ) : (
          <>
            <p className={classes.hint}>{texts.figuresNote}</p>
            <Figures query={query} result={data} from={from} to={to} />
          </>
        )}
      </Card>
    </div>
  );
}

interface FiguresProps extends Pick<VersionFiguresProps, 'from' | 'to'> {
  readonly query: Query;
  readonly result: Result;
}

function Figures({ query, result, from, to }: FiguresProps) {
  const texts = useAgentTexts();
  const labels = useLabels();
  const format = useValueFormat();
  const valuesOf = (version: number) => result.rows.find(({ group }) => group.agentVersion === version)?.values;
  const [before, after] = [valuesOf(from), valuesOf(to)];
  const value = (metric: RequestedMetric, version: number) => {
    const text = format.value(valuesOf(version)?.[nameOf(metric)], unitOfEntry(metric, versionMetrics));
    const group = { agentVersion: version };
    const href = callsHref({ query, group, spans: [result.range], entry: metric });
    return href === undefined || valuesOf(version) === undefined ? (
      text
    ) : (
      <Anchor component={Link} href={href} inherit>
        {text}
      </Anchor>
    );
  };
  return (
    <DataTable
      label={texts.figuresOf(from, to)}
      columns={[texts.figure, texts.version(from), texts.version(to), texts.figureChange]}
      verticalSpacing={6}
      cardsBelow="narrow"
    >
      {versionMetrics.map((metric) => {
        const name = nameOf(metric);
        const change = changeOf(after?.[name], before?.[name]);
        return (
          <Table.Tr key={name}>
            <Table.Td>{labels.metric(metric)}</Table.Td>
            <Table.Td data-title={texts.version(from)}>{value(metric, from)}</Table.Td>
            <Table.Td data-title={texts.version(to)}>{value(metric, to)}</Table.Td>
            <Table.Td data-title={texts.figureChange}>{change === null ? '–' : format.change(change)}</Table.Td>
          </Table.Tr>
        );
      })}
    </DataTable>
  );
}
