import { BarsList } from '@mantine/charts';
import { Link } from 'wouter';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { partsOf, type Unit, unitOfEntry } from '../metric.ts';
import { figureTexts } from '../metric-texts.ts';
import { metricOf, nameOf } from '../query.ts';
import { changeOf, isSameGroup, type Line } from '../table.ts';
import classes from './charts.module.css';
import type { Drawn } from './drawn.ts';

const maxBars = 10;

interface Bar {
  readonly name: string;
  readonly line: Line;
  readonly value: number;
  readonly unit: Unit;
  readonly text: string;
  readonly more: string;
}

/** Values over the whole range, below each other: one bar for each group, or for each metric. */
export function BarsPlot({ drawn }: { readonly drawn: Drawn }) {
  const { format } = useLanguage();
  const texts = useTexts(figureTexts);
  const bars = useBars(drawn);
  const shown = bars.slice(0, maxBars);
  // Amounts of different currencies cannot be compared.
  const currencies = new Map<unknown, number>();
  for (const { line, value } of bars) {
    currencies.set(line.group.currency, Math.max(value, currencies.get(line.group.currency) ?? 0));
  }
  const shareOf = ({ line, value }: Bar) => value / (currencies.get(line.group.currency) || 1);
  return (
    <>
      <BarsList
        // Two agents may have the same name.
        data={shown.map((bar, place) => ({ name: String(place), value: shareOf(bar) }))}
        barHeight={8}
        barGap={10}
        barColor="var(--app-plot-1)"
        variant="filled"
        classNames={{ barValue: classes.inBar as string }}
        renderBar={({ name }, bar) => <BarRow bar={shown[Number(name)] as Bar} drawn={drawn} drawing={bar} />}
      />
      {bars.length > maxBars && (
        <p className={classes.note}>{texts.ofGroups(format.number(maxBars), format.number(bars.length))}</p>
      )}
    </>
  );
}

interface BarRowProps {
  readonly bar: Bar;
  readonly drawn: Drawn;
  readonly drawing: React.ReactNode;
}

/** The name is above the bar: beside it, or in it, there would be no room on a phone. */
function BarRow({ bar: { name, line, text, more }, drawn, drawing }: BarRowProps) {
  const href = drawn.hrefOf(0, line);
  const content = (
    <>
      <span className={classes.barText}>
        <span className={classes.barName} title={name}>
          {name}
        </span>
        <span>
          <b>{text}</b>
          {more !== '' && <span className={classes.more}> {more}</span>}
        </span>
      </span>
      <span className={classes.track} aria-hidden="true">
        {drawing}
      </span>
    </>
  );
  return href === undefined ? (
    <span className={classes.bar}>{content}</span>
  ) : (
    <Link href={href} className={classes.bar as string}>
      {content}
    </Link>
  );
}

function useBars(drawn: Drawn): readonly Bar[] {
  const { query, table, labels, values } = drawn;
  const texts = useTexts(figureTexts);
  const { metrics, groupBy = [] } = query;
  const [first] = metrics;
  if (first === undefined) return [];
  const textOf = (line: Line) => {
    const unit = unitOfEntry(line.entry, metrics);
    const value = line.values[0] ?? null;
    return values.value(value, unit, currencyOf(drawn, line));
  };
  const moreOf = (line: Line) => {
    if (!table.hasPrevious || line.previous[0] == null) return '';
    const change = changeOf(line.values[0], line.previous[0]);
    const unit = unitOfEntry(line.entry, metrics);
    const before = values.value(line.previous[0], unit, currencyOf(drawn, line));
    return change === null ? texts.withBefore(before) : texts.withChange(before, values.change(change));
  };
  const isFirst = groupBy.length > 0 ? ({ entry }: Line) => entry === first : isFirstOfFamily(table.lines);
  return table.lines.filter(isFirst).flatMap((line): Bar[] => {
    const value = line.values[0] ?? null;
    if (value === null || (value === 0 && line.group.currency === null)) return [];
    const beside = table.lines.filter(
      (other) =>
        other !== line &&
        isSameGroup(other.group, line.group) &&
        (groupBy.length > 0 || familyOf(other) === familyOf(line)),
    );
    const others = beside.map(
      (other) => `${labels.metricAmong(other.entry, [other.entry, line.entry])} ${textOf(other)}`,
    );
    const name = groupBy.length > 0 ? labels.group(line.group) : labels.metric(line.entry);
    const unit = unitOfEntry(line.entry, metrics);
    return [
      { name, line, value, unit, text: textOf(line), more: [...others, moreOf(line)].filter(Boolean).join(' · ') },
    ];
  });
}

function isFirstOfFamily(lines: readonly Line[]): (line: Line) => boolean {
  return (line) => lines.find((other) => familyOf(other) === familyOf(line)) === line;
}

function familyOf({ entry }: Line): string {
  return partsOf(metricOf(entry) ?? nameOf(entry)).family;
}

function currencyOf({ currency }: Drawn, { group }: Line): string | null {
  return typeof group.currency === 'string' ? group.currency : currency;
}
