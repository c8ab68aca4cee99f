import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Labels and their values, below each other. */
export function Facts({ facts }: { readonly facts: readonly (readonly [label: ReactNode, value: ReactNode])[] }) {
  return (
    <dl className={classes.pairs}>
      {facts.map(([label, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two facts may have the same label.
        <div key={index}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An id, so that it can be compared letter by letter. */
export function Id({ children }: { readonly children: string | null }) {
  return <span className={classes.id}>{children ?? '—'}</span>;
}
