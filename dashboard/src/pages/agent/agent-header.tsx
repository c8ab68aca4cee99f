import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { AuditIcon, ChevronRightIcon, CopyIcon, LockIcon, MoreIcon, TrashIcon } from '../../icons.tsx';
import { Ago } from '../../parts/ago.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useAgo } from '../../parts/use-ago.ts';
import { type Scope, useScope } from '../../session/use-session.ts';
import { TryButton } from '../../try/try-button.tsx';
import classes from './agent-page.module.css';
import { DeleteDialog } from './delete-dialog.tsx';
import { DuplicateDialog } from './duplicate-dialog.tsx';
import { LiveState } from './live-state.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

interface AgentHeaderProps {
  readonly stored: StoredAgent;
  /** Unsaved changes are neither tried nor published. */
  readonly hasUnsaved: boolean;
  /** What prevents publishing, in short. */
  readonly problems: ReactNode;
}

/** The header of an agent, with the actions on the whole agent. */
export function AgentHeader({ stored, hasUnsaved, problems }: AgentHeaderProps) {
  const texts = useAgentTexts();
  const { agent } = stored;
  const updated = useAgo(agent.updatedAt);
  return (
    <PageHeader
      title={agent.name}
      above={<BackToAgents />}
      description={
        <span className={classes.about}>
          <LiveState agent={agent} />
          {problems}
          <span className={classes.id}>{agent.id}</span>
          <span>
            {texts.changedBefore}
            <Ago at={agent.updatedAt} />
            {texts.changedAfter(updated)}
          </span>
        </span>
      }
      actions={
        <>
          <TryButton agent={agent} hasUnsaved={hasUnsaved} />
          <MoreMenu stored={stored} />
        </>
      }
    />
  );
}

export function BackToAgents() {
  const texts = useAgentTexts();
  return (
    <Link href="/agents" className={classes.back as string}>
      <ChevronRightIcon size={14} />
      {texts.toAgents}
    </Link>
  );
}

function MoreMenu({ stored }: { readonly stored: StoredAgent }) {
  const texts = useAgentTexts();
  const [open, setOpen] = useState<'duplicate' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={texts.more}>
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItem scope="agents:write" icon={<CopyIcon size={16} />} onClick={() => setOpen('duplicate')}>
            {texts.duplicate}
          </MenuItem>
          <MenuItem scope="audit:read" icon={<AuditIcon size={16} />} href={`/audit?resourceId=${stored.agent.id}`}>
            {texts.auditLog}
          </MenuItem>
          <MenuItem
            scope="agents:write"
            icon={<TrashIcon size={16} />}
            color="var(--app-bad)"
            onClick={() => setOpen('delete')}
          >
            {texts.delete}
          </MenuItem>
        </Menu.Dropdown>
      </Menu>
      {open === 'duplicate' && <DuplicateDialog agent={stored.agent} onClose={close} />}
      {open === 'delete' && <DeleteDialog stored={stored} onClose={close} />}
    </>
  );
}

interface MenuItemProps {
  readonly scope: Scope;
  readonly icon: ReactNode;
  readonly color?: string;
  readonly onClick?: () => void;
  /** A link instead of a button. */
  readonly href?: string;
  readonly children: string;
}

function MenuItem({ scope, icon, color, onClick, href, children }: MenuItemProps) {
  const { isAllowed, reason } = useScope(scope);
  if (!isAllowed) {
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
  const shared = { leftSection: icon, ...(color !== undefined && { color }) };
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
