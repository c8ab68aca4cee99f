import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  ChevronRightIcon,
  CodeIcon,
  CopyIcon,
  HistoryIcon,
  LockIcon,
  MoreIcon,
  TrashIcon,
  WebhookIcon,
} from '../../icons.tsx';
import { useLanguage } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useScope } from '../../session/use-session.ts';
import { TryButton } from '../../try/try-button.tsx';
import classes from './agent-page.module.css';
import { DeleteDialog } from './delete-dialog.tsx';
import { DuplicateDialog } from './duplicate-dialog.tsx';
import { usePublishing } from './publishing.tsx';
import { StateBadge } from './state-badge.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

interface AgentHeaderProps {
  readonly stored: StoredAgent;
  readonly view: 'edit' | 'versions' | 'webhook' | 'code';
  /** Unsaved changes cannot be published. */
  readonly hasUnsaved?: boolean;
}

/** The header of all pages of an agent, with the actions on the whole agent. */
export function AgentHeader({ stored, view, hasUnsaved = false }: AgentHeaderProps) {
  const texts = useAgentTexts();
  const { agent } = stored;
  const publishing = usePublishing(stored, hasUnsaved);
  return (
    <>
      <PageHeader
        title={agent.name}
        above={<BackToAgents />}
        description={
          <span className={classes.about}>
            <StateBadge agent={agent} />
            {publishing.problems}
            <span className={classes.id}>{agent.id}</span>
            <span>
              {texts.changedAt} <Ago at={agent.updatedAt} />
            </span>
          </span>
        }
        actions={
          <>
            <TryButton agent={agent} hasUnsaved={hasUnsaved} />
            {publishing.button}
            <MoreMenu stored={stored} />
          </>
        }
      />
      <Views id={agent.id} view={view} />
      {publishing.dialog}
    </>
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

function Views({ id, view }: { readonly id: string; readonly view: AgentHeaderProps['view'] }) {
  const texts = useAgentTexts();
  const views = [
    { name: 'edit', href: `/agents/${id}`, label: texts.edit, icon: null },
    { name: 'versions', href: `/agents/${id}/versions`, label: texts.versions, icon: <HistoryIcon size={16} /> },
    { name: 'webhook', href: `/agents/${id}/webhook`, label: texts.webhook, icon: <WebhookIcon size={16} /> },
    { name: 'code', href: `/agents/${id}/code`, label: texts.code, icon: <CodeIcon size={16} /> },
  ] as const;
  return (
    <nav className={classes.views} aria-label={texts.views}>
      {views.map(({ name, href, label, icon }) => (
        <Link
          key={name}
          href={href}
          className={classes.view as string}
          aria-current={name === view ? 'page' : undefined}
        >
          {icon}
          {label}
        </Link>
      ))}
    </nav>
  );
}

function MoreMenu({ stored }: { readonly stored: StoredAgent }) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const { isAllowed, reason } = useScope('agents:write');
  const [open, setOpen] = useState<'duplicate' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const items = [
    { name: 'duplicate', label: texts.duplicate, icon: <CopyIcon size={16} />, color: undefined },
    { name: 'delete', label: texts.delete, icon: <TrashIcon size={16} />, color: 'var(--app-bad)' },
  ] as const;
  return (
    <>
      <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={texts.more}>
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(({ name, label, icon, color }) => (
            <Tooltip key={name} label={reason ?? shared.lacksScopeTitle} disabled={isAllowed} position="left">
              <Menu.Item
                leftSection={isAllowed ? icon : <LockIcon size={16} />}
                {...(color === undefined || !isAllowed ? {} : { color })}
                // Still focusable, so that keyboard users can find out why it is disabled.
                aria-disabled={!isAllowed || undefined}
                data-disabled={!isAllowed}
                closeMenuOnClick={isAllowed}
                onClick={() => isAllowed && setOpen(name)}
              >
                {label}
                {!isAllowed && <span className="visually-hidden">: {reason}</span>}
              </Menu.Item>
            </Tooltip>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open === 'duplicate' && <DuplicateDialog agent={stored.agent} onClose={close} />}
      {open === 'delete' && <DeleteDialog stored={stored} onClose={close} />}
    </>
  );
}
