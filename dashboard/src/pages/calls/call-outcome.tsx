import type { Call } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import classes from './calls.module.css';
import { callsTexts } from './texts.ts';

/** How a call went, according to its analysis; null without one. */
export function CallOutcome({ call: { analysis } }: { readonly call: Call }) {
  const texts = useTexts(callsTexts);
  const { status, successful, sentiment } = analysis;
  if (status === 'pending') return <span className={classes.minor}>{texts.analyzing}</span>;
  if (status !== 'completed') return null;
  const tone: Tone = successful === null ? 'quiet' : successful ? 'good' : 'bad';
  const outcome = successful === null ? texts.undecided : successful ? texts.successful : texts.unsuccessful;
  return (
    <span className={classes.outcome}>
      <Dot tone={tone}>{outcome}</Dot>
      {sentiment !== null && <span className={classes.minor}>{texts[sentiment]}</span>}
    </span>
  );
}
