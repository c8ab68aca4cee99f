import { useTexts } from '../../language/language.tsx';
import { Tile, Tiles } from '../../parts/tile.tsx';
import { unitOfEntry } from '../metric.ts';
import { figureTexts } from '../metric-texts.ts';
import { changeOf } from '../table.ts';
import type { Drawn } from './drawn.ts';

/** One number for each metric, of the last bucket, with the one before. */
export function NumbersPlot({ drawn }: { readonly drawn: Drawn }) {
  const { query, table, labels, values, currency, hrefOf } = drawn;
  const texts = useTexts(figureTexts);
  const place = table.buckets.length - 1;
  return (
    <Tiles>
      {table.lines.map((line) => {
        const unit = unitOfEntry(line.entry, query.metrics);
        const [value, before] = [line.values[place], line.previous[place]];
        const change = changeOf(value, before);
        const name = [labels.group(line.group), labels.metric(line.entry)].filter(Boolean).join(' · ');
        const more =
          change === null
            ? texts.withBefore(values.value(before, unit, currency))
            : texts.withChange(values.value(before, unit, currency), values.change(change));
        return (
          <Tile
            key={name}
            label={name}
            value={values.value(value, unit, currency)}
            href={hrefOf(place, line)}
            more={table.hasPrevious ? more : undefined}
          />
        );
      })}
    </Tiles>
  );
}
