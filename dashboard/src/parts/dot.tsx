import type { ReactNode } from 'react';
import classes from './dot.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

/** A state: a word, with a spot of colour before it. The colour alone says nothing. */
export function Dot({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes.dot} data-tone={tone}>
      {children}
    </span>
  );
}
