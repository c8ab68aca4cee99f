import { type ReactNode, useState } from 'react';
import { AuditIcon, CopyIcon, TrashIcon } from '../../icons.tsx';
import { Ago } from '../../parts/ago.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { MoreItem, MoreMenu } from '../../parts/more-menu.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useAgo } from '../../parts/use-ago.ts';
import { useScope } from '../../session/use-session.ts';
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
          <AgentMenu stored={stored} />
        </>
      }
    />
  );
}

export function BackToAgents() {
  const texts = useAgentTexts();
  return <BackLink href="/agents">{texts.toAgents}</BackLink>;
}

function AgentMenu({ stored }: { readonly stored: StoredAgent }) {
  const texts = useAgentTexts();
  const mayWrite = useScope('agents:write');
  const mayAudit = useScope('audit:read');
  const [open, setOpen] = useState<'duplicate' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <MoreMenu label={texts.more}>
        <MoreItem reason={mayWrite.reason} icon={<CopyIcon size={16} />} onClick={() => setOpen('duplicate')}>
          {texts.duplicate}
        </MoreItem>
        <MoreItem reason={mayAudit.reason} icon={<AuditIcon size={16} />} href={`/audit?resourceId=${stored.agent.id}`}>
          {texts.auditLog}
        </MoreItem>
        <MoreItem reason={mayWrite.reason} icon={<TrashIcon size={16} />} isDangerous onClick={() => setOpen('delete')}>
          {texts.delete}
        </MoreItem>
      </MoreMenu>
      {open === 'duplicate' && <DuplicateDialog agent={stored.agent} onClose={close} />}
      {open === 'delete' && <DeleteDialog stored={stored} onClose={close} />}
    </>
  );
}
