import { Button, type ButtonProps, Loader } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import classes from './busy-button.module.css';

export interface BusyButtonProps extends Omit<ButtonProps, 'loading' | 'disabled'> {
  readonly isBusy?: boolean;
  /** Cannot be pressed now. It can still be reached. */
  readonly isBarred?: boolean;
  readonly type?: 'button' | 'submit';
  readonly onClick?: (() => void) | undefined;
  readonly children: ReactNode;
}

/**
 * A button that is at work for a while. It stays where the focus is, which a disabled one would lose: whoever pressed it
 * by keyboard goes on from there.
 */
export function BusyButton({ isBusy = false, isBarred = false, onClick, children, ...rest }: BusyButtonProps) {
  const isIdle = isBusy || isBarred;
  const press = (event: MouseEvent) => {
    // Enter in a field of the form comes this way, too.
    if (isIdle) event.preventDefault();
    else onClick?.();
  };
  return (
    <Button
      {...rest}
      onClick={press}
      aria-busy={isBusy || undefined}
      aria-disabled={isIdle || undefined}
      data-disabled={isBarred}
    >
      <span className={classes.label} data-is-busy={isBusy || undefined}>
        {children}
      </span>
      {isBusy && <Loader className={classes.loader as string} size={18} color="currentColor" />}
    </Button>
  );
}
