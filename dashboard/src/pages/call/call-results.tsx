import type { Call } from '../../../../sdk/src/index.ts';
import { isOpen } from '../../calls/call.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { CallOutcome } from '../calls/call-outcome.tsx';
import classes from './call.module.css';
import { callPageTexts } from './texts.ts';

/** What came out of the call, next to its transcript: the analysis in short, and what was collected. */
export function CallResults({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  const { analysis, collectedVariables } = call;
  const hasAnalysis = analysis.status === 'completed' || analysis.status === 'pending';
  const collected = Object.entries(collectedVariables);
  const extracted = Object.entries(analysis.data);
  if (!hasAnalysis && collected.length === 0) return null;
  return (
    <div className={classes.results}>
      {hasAnalysis && !isOpen(call) && (
        <Card title={texts.outcome}>
          <div className={classes.outcome}>
            <CallOutcome call={call} />
          </div>
          {analysis.summary !== null && <p className={classes.summary}>{analysis.summary}</p>}
          {extracted.length > 0 && <ValueList entries={extracted} />}
        </Card>
      )}
      {collected.length > 0 && (
        <Card title={texts.collected}>
          <ValueList entries={collected} />
        </Card>
      )}
    </div>
  );
}

function ValueList({ entries }: { readonly entries: readonly (readonly [string, unknown])[] }) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const textOf = (value: unknown): string => {
    if (value === null) return texts.notSaid;
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    if (typeof value === 'number') return format.number(value);
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return (
    <dl className={classes.valueList}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-is-empty={value === null || undefined}>{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
