import { MatrixChart } from '@mantine/charts';
import { useElementSize } from '@mantine/hooks';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { weekdayName } from '../use-labels.ts';
import classes from './charts.module.css';
import type { Drawn } from './drawn.ts';
import { chartTexts } from './texts.ts';

const days = [1, 2, 3, 4, 5, 6, 7];
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const gap = 2;
const labelWidth = 34;
const steps = [0.14, 0.32, 0.5, 0.72, 1];

/** Hours and days of the week. Darker cells have more calls. */
export function HeatPlot({ drawn }: { readonly drawn: Drawn }) {
  const { language } = useLanguage();
  const texts = useTexts(chartTexts);
  const { ref, width } = useElementSize();
  const { table, values, title, onOpen } = drawn;
  const size = Math.max(8, Math.min(26, Math.floor((width - labelWidth) / hours.length) - gap));
  const yLabels = days.map((day) => weekdayName(language, day));
  const xLabels = hours.map((hour) => hourLabel(hour, size));
  const lineAt = (x: string, y: string) => {
    const day = yLabels.indexOf(y) + 1;
    const hour = xLabels.indexOf(x);
    return table.lines.find(({ group }) => group.dayOfWeek === day && group.hourOfDay === hour);
  };
  const data = yLabels.flatMap((y) => xLabels.map((x) => ({ x, y, value: lineAt(x, y)?.values[0] || null })));
  const most = Math.max(1, ...data.map(({ value }) => value ?? 0));
  return (
    <div ref={ref} className={classes.heat}>
      {width > 0 && (
        <MatrixChart
          aria-label={title}
          data={data}
          xLabels={xLabels}
          yLabels={yLabels}
          domain={[0, most]}
          colors={steps.map((step) => `color-mix(in srgb, var(--app-plot-1) ${step * 100}%, var(--app-surface))`)}
          emptyColor="var(--app-hover)"
          cellSize={size}
          gap={gap}
          cellRadius={3}
          fontSize={11}
          withXLabels
          withYLabels
          xLabelsRotation={0}
          xLabelsHeight={20}
          yLabelsWidth={labelWidth}
          withTooltip
          getTooltipLabel={({ x, y, value }) =>
            texts.heatCell(y, xLabels.indexOf(x), values.value(value ?? 0, 'count'))
          }
          getCellProps={({ x, y, value }) => {
            const line = lineAt(x, y);
            if (value === null || line === undefined) return {};
            return { className: classes.clickable, onClick: () => onOpen(0, line) };
          }}
        />
      )}
    </div>
  );
}

/** Labels name the columns, and have to differ; where there is no room for the hour, it is a number of nothing visible. */
function hourLabel(hour: number, size: number): string {
  return hour % (size < 16 ? 6 : 3) === 0 ? String(hour) : '\u200b'.repeat(hour);
}
