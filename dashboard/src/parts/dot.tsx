import type { ReactNode } from 'react';
import classes from './dot.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

/** A status: a word with a colored dot. The color alone carries no meaning. */
export function Dot({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes.dot} data-tone={tone}>
      {children}
    </span>
  );
}
