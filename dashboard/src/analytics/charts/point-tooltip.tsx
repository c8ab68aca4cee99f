import { useEffect, useRef } from 'react';
import { useTexts } from '../../language/language.tsx';
import { colorOf, panelsOf } from '../lines.ts';
import { figureTexts } from '../metric-texts.ts';
import { changeOf } from '../table.ts';
import classes from './charts.module.css';
import { type Drawn, lineLabel } from './drawn.ts';

interface PointTooltipProps {
  readonly drawn: Drawn;
  /** Where the cursor of the chart is. */
  readonly place: number | null;
  /** Called when it moves. */
  readonly onPlace: (place: number | null) => void;
}

/** All values of a bucket, also those of the panels beside. */
export function PointTooltip({ drawn, place, onPlace }: PointTooltipProps) {
  const moved = useRef(onPlace);
  moved.current = onPlace;
  useEffect(() => moved.current(place), [place]);
  return place === null ? null : (
    <div className={classes.tooltip}>
      <PointValues drawn={drawn} place={place} />
    </div>
  );
}

export function PointValues({ drawn, place }: { readonly drawn: Drawn; readonly place: number }) {
  const { table, query, buckets, values, currency } = drawn;
  const texts = useTexts(figureTexts);
  const bucket = table.buckets[place];
  if (bucket === undefined) return null;
  const panels = panelsOf(query.metrics, table);
  return (
    <>
      <p className={classes.when}>
        {buckets.long(bucket)}
        {bucket.isRunning && <span className={classes.running}>{texts.running}</span>}
      </p>
      <ul className={classes.values}>
        {panels.flatMap(({ unit, lines }) =>
          lines.map((line, index) => {
            const value = line.values[place];
            const before = line.previous[place];
            const change = changeOf(value, before);
            return (
              <li key={`${unit} ${lineLabel(drawn, line)}`}>
                <span className={classes.swatch} style={{ background: colorOf(line, index) }} />
                <span className={classes.name}>{lineLabel(drawn, line)}</span>
                <b>{values.value(value, unit, currency)}</b>
                {table.hasPrevious && (
                  <span className={classes.before}>
                    {values.value(before, unit, currency)}
                    {change !== null && ` (${values.change(change)})`}
                  </span>
                )}
              </li>
            );
          }),
        )}
      </ul>
    </>
  );
}
