import { Anchor, Table } from '@mantine/core';
import { Link } from 'wouter';
import { useTexts } from '../../language/language.tsx';
import { Scrollable } from '../../parts/scrollable.tsx';
import { rowsOf } from '../cells.ts';
import { unitOfEntry } from '../metric.ts';
import { figureTexts } from '../metric-texts.ts';
import { nameOf } from '../query.ts';
import type { Line } from '../table.ts';
import classes from './charts.module.css';
import type { Drawn } from './drawn.ts';
import { chartTexts } from './texts.ts';

/** More rows than anyone reads; the file has all of them. */
const maxRows = 400;

/** All figures, each row with a link to its calls. */
export function FigureTable({ drawn }: { readonly drawn: Drawn }) {
  const { query, table, labels, title } = drawn;
  const texts = useTexts(chartTexts);
  const isOverTime = (query.interval ?? 'none') !== 'none';
  const hasGroups = (query.groupBy?.length ?? 0) > 0;
  const rows = rowsOf(query, table).slice(0, maxRows);
  return (
    <Scrollable className={classes.scroller} label={title}>
      <Table className={classes.table as string} stickyHeader verticalSpacing={4} aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            {isOverTime && <Table.Th>{texts.time}</Table.Th>}
            {query.groupBy
              ?.filter((name) => name !== 'currency')
              .map((name) => (
                <Table.Th key={name}>{labels.dimension(name)}</Table.Th>
              ))}
            {query.metrics.map((entry) => (
              <Table.Th key={nameOf(entry)} ta="right" title={nameOf(entry)}>
                {labels.metric(entry)}
              </Table.Th>
            ))}
            <Table.Th>
              <span className="visually-hidden">{texts.calls}</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ place, line, lines }) => (
            <Table.Tr key={`${place} ${JSON.stringify(line.group)}`}>
              {isOverTime && <When drawn={drawn} place={place} />}
              {hasGroups &&
                Object.entries(line.group)
                  .filter(([name]) => name !== 'currency')
                  .map(([name, value]) => <Table.Td key={name}>{labels.value(name, value)}</Table.Td>)}
              {lines.map((each) => (
                <Figure key={nameOf(each.entry)} drawn={drawn} place={place} line={each} />
              ))}
              <Table.Td ta="right">
                <Calls drawn={drawn} place={place} line={line} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

interface CellProps {
  readonly drawn: Drawn;
  readonly place: number;
  readonly line: Line;
}

function When({ drawn: { table, buckets }, place }: Omit<CellProps, 'line'>) {
  const texts = useTexts(figureTexts);
  const bucket = table.buckets[place];
  if (bucket === undefined) return <Table.Td />;
  return (
    <Table.Td>
      {buckets.long(bucket)}
      {bucket.isRunning && <span className={classes.running}>{texts.running}</span>}
    </Table.Td>
  );
}

function Figure({ drawn: { query, table, values, currency }, place, line }: CellProps) {
  const unit = unitOfEntry(line.entry, query.metrics);
  const own = typeof line.group.currency === 'string' ? line.group.currency : currency;
  return (
    <Table.Td ta="right">
      {values.value(line.values[place], unit, own)}
      {table.hasPrevious && <span className={classes.more}> ({values.value(line.previous[place], unit, own)})</span>}
    </Table.Td>
  );
}

function Calls({ drawn, place, line }: CellProps) {
  const texts = useTexts(chartTexts);
  const href = drawn.hrefOf(place, line);
  const bucket = drawn.table.buckets[place];
  if (href === undefined || bucket === undefined) return null;
  const what = [drawn.buckets.long(bucket), drawn.labels.group(line.group)].filter(Boolean).join(', ');
  return (
    <Anchor component={Link} href={href} size="xs" aria-label={texts.showCallsOf(what)}>
      {texts.showCalls}
    </Anchor>
  );
}
