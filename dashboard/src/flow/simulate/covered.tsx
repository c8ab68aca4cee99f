import { Button } from '@mantine/core';
import { useTexts } from '../../language/language.tsx';
import classes from './simulate.module.css';
import { simulateTexts } from './texts.ts';

interface CoveredProps {
  readonly label: string;
  readonly hint: string;
  readonly taken: number;
  readonly all: number;
  readonly onClear: () => void;
}

/** How much of the flow the colors of the canvas cover. */
export function Covered({ label, hint, taken, all, onClear }: CoveredProps) {
  const texts = useTexts(simulateTexts);
  return (
    <div className={classes.coverage}>
      <strong>{label}</strong>
      <progress max={Math.max(1, all)} value={taken} aria-label={label} />
      <p className={classes.hint}>{hint}</p>
      <Button size="compact-xs" variant="default" onClick={onClear}>
        {texts.clear}
      </Button>
    </div>
  );
}
