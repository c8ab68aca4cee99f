import classes from './json-block.module.css';

interface JsonBlockProps {
  readonly value: unknown;
  readonly label: string;
  /** As high as its content, instead of scrolling. */
  readonly isWhole?: boolean;
}

/** JSON to read. Long ones scroll. */
export function JsonBlock({ value, label, isWhole = false }: JsonBlockProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need to scroll it.
    <section className={classes.scroller} data-is-whole={isWhole || undefined} tabIndex={0} aria-label={label}>
      <pre className={classes.code}>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
