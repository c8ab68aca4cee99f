import { useLanguage, useTexts } from '../../language/language.tsx';
import { colorOf, type Panel } from '../lines.ts';
import { figureTexts } from '../metric-texts.ts';
import classes from './charts.module.css';
import { type Drawn, lineLabel } from './drawn.ts';

interface LegendProps {
  readonly drawn: Drawn;
  readonly panel: Panel;
  readonly isBars: boolean;
}

export function Legend({ drawn, panel: { lines, groups }, isBars }: LegendProps) {
  const { format } = useLanguage();
  const texts = useTexts(figureTexts);
  const hasBefore = drawn.table.hasPrevious && !(isBars && lines.length > 1);
  return (
    <>
      <ul className={classes.legend}>
        {lines.map((line, index) => (
          <li key={lineLabel(drawn, line)}>
            <span className={classes.swatch} style={{ background: colorOf(line, index) }} />
            {lineLabel(drawn, line)}
          </li>
        ))}
        {hasBefore && (
          <li>
            <span className={classes.dashes} />
            {texts.before}
          </li>
        )}
      </ul>
      {groups !== null && (
        <p className={classes.note}>{texts.ofGroups(format.number(lines.length), format.number(groups))}</p>
      )}
    </>
  );
}
