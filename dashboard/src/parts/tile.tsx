import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './tile.module.css';

interface TilesProps {
  /** In one row, or in rows of the same length. */
  readonly isSix?: boolean;
  readonly children: ReactNode;
}

/** A row of tiles. */
export function Tiles({ isSix = false, children }: TilesProps) {
  return (
    <div className={classes.tiles} data-is-six={isSix || undefined}>
      {children}
    </div>
  );
}

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly more?: string | undefined;
  /** Makes the whole tile a link. */
  readonly href?: string | undefined;
  readonly tone?: 'bad' | undefined;
}

/** One number with its label, and a line about it. */
export function Tile({ label, value, more, href, tone }: TileProps) {
  return (
    <div className={classes.tile}>
      <div className={classes.quiet}>
        {href === undefined ? (
          label
        ) : (
          <Link href={href} className={classes.tileLink as string}>
            {label}
          </Link>
        )}
      </div>
      <div className={classes.value} data-tone={tone}>
        {value}
      </div>
      <div className={classes.quiet}>{more ?? '\u00a0'}</div>
    </div>
  );
}
