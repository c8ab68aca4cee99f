import type { ReactNode } from 'react';
import classes from './card.module.css';

interface CardProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  /** Without padding, for tables. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** A bordered card with an optional title. */
export function Card({ title, actions, isFlush = false, children }: CardProps) {
  return (
    <section className={classes.card} aria-label={title}>
      {title !== undefined && (
        <div className={classes.head}>
          <h2 className={classes.title}>{title}</h2>
          {actions}
        </div>
      )}
      <div className={isFlush ? classes.flush : classes.body}>{children}</div>
    </section>
  );
}
