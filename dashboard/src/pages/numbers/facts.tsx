import type { ReactNode } from 'react';
import classes from '../call/call.module.css';

/** Labels and their values, below each other. */
export function Facts({ facts }: { readonly facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.pairs}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
