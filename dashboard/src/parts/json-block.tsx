import classes from './json-block.module.css';
import { Scrollable } from './scrollable.tsx';

interface JsonBlockProps {
  readonly value: unknown;
  readonly label: string;
  /** As high as its content, instead of scrolling. */
  readonly isWhole?: boolean;
}

/** JSON to read. Long ones scroll. */
export function JsonBlock({ value, label, isWhole = false }: JsonBlockProps) {
  return (
    <Scrollable className={classes.scroller} isWhole={isWhole} label={label}>
      <pre className={classes.code}>{JSON.stringify(value, null, 2)}</pre>
    </Scrollable>
  );
}
