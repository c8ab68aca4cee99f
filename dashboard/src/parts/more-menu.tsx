import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LockIcon, MoreIcon } from '../icons.tsx';

interface MoreMenuProps {
  readonly label: string;
  readonly width?: number;
  readonly children: ReactNode;
}

/** The actions of a page that have no button of their own. */
export function MoreMenu({ label, width = 220, children }: MoreMenuProps) {
  return (
    <Menu position="bottom-end" width={width} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={label}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface MoreItemProps {
  /** Why it cannot be used; null if it can. */
  readonly reason: string | null;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly onClick?: () => void;
  /** A link instead of a button. */
  readonly href?: string;
  readonly children: string;
}

export function MoreItem({ reason, icon, isDangerous = false, onClick, href, children }: MoreItemProps) {
  if (reason !== null) {
    return (
      <Tooltip label={reason} position="left">
        {/* Still focusable, so that keyboard users can find out why it is disabled. */}
        <Menu.Item leftSection={<LockIcon size={16} />} aria-disabled data-disabled closeMenuOnClick={false}>
          {children}
          <span className="visually-hidden">: {reason}</span>
        </Menu.Item>
      </Tooltip>
    );
  }
  const shared = {
    ...(icon !== undefined && { leftSection: icon }),
    ...(isDangerous && { color: 'var(--app-bad)' }),
  };
  return href === undefined ? (
    <Menu.Item {...shared} onClick={onClick}>
      {children}
    </Menu.Item>
  ) : (
    <Menu.Item {...shared} component={Link} href={href}>
      {children}
    </Menu.Item>
  );
}
