import { Button, type ButtonProps, Loader } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import classes from './busy-button.module.css';

export interface BusyButtonProps extends Omit<ButtonProps, 'loading' | 'disabled'> {
  readonly isBusy?: boolean;
  /** Disabled, but still focusable. */
  readonly isBarred?: boolean;
  readonly type?: 'button' | 'submit';
  readonly onClick?: (() => void) | undefined;
  readonly children: ReactNode;
}

/**
 * A button with a busy state. Unlike a disabled button it keeps the focus, so that keyboard users can continue from
 * there.
 */
export function BusyButton({ isBusy = false, isBarred = false, onClick, children, ...rest }: BusyButtonProps) {
  const isIdle = isBusy || isBarred;
  const press = (event: MouseEvent) => {
    // Also triggered by Enter in a form field.
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
