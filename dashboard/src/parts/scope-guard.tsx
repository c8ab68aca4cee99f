import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LockIcon } from '../icons.tsx';
import { useLanguage } from '../language/language.tsx';
import { type Scope, useScope } from '../session/use-session.ts';
import { State } from './state.tsx';

interface GuardedButtonProps extends ButtonProps {
  readonly scope: Scope;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
  /** Renders a link instead of a button. */
  readonly href?: string;
  readonly children: ReactNode;
}

/**
 * A button that requires a scope. Without the scope it is disabled with the reason, but stays focusable, so that
 * keyboard users can find out why.
 */
export function GuardedButton({ scope, onClick, href, type = 'button', children, ...rest }: GuardedButtonProps) {
  const { isAllowed, reason } = useScope(scope);
  if (isAllowed && href !== undefined) {
    return (
      <Button component={Link} href={href} {...rest}>
        {children}
      </Button>
    );
  }
  if (isAllowed) {
    return (
      <Button onClick={onClick} type={type} {...rest}>
        {children}
      </Button>
    );
  }
  return (
    <Tooltip label={reason}>
      <Button {...rest} data-disabled aria-disabled="true" leftSection={<LockIcon size={16} />}>
        {children}
        <span className="visually-hidden"> ({reason})</span>
      </Button>
    </Tooltip>
  );
}

interface ScopeGuardProps {
  readonly scope: Scope;
  readonly children: ReactNode;
}

/** Shows its children if the key has the scope, and otherwise why not. */
export function ScopeGuard({ scope, children }: ScopeGuardProps) {
  const { texts } = useLanguage();
  const { isAllowed } = useScope(scope);
  if (isAllowed) return children;
  return (
    <State icon={<LockIcon />} title={texts.lacksScopeTitle}>
      {texts.lacksScope(scope)} {texts.lacksScopeNext}
    </State>
  );
}
