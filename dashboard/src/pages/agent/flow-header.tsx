import { type ReactNode, useEffect } from 'react';
import { useLanguage } from '../../language/language.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { TryButton } from '../../try/try-button.tsx';
import classes from './agent-page.module.css';
import { LiveState } from './live-state.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { hrefOf } from './tabs.ts';
import { useAgentTexts } from './texts.ts';

interface FlowHeaderProps {
  readonly stored: StoredAgent;
  readonly hasUnsaved: boolean;
  /** What prevents publishing, in short. */
  readonly problems: ReactNode;
}

/** The header of the flow editor: one line, because the canvas needs the room. */
export function FlowHeader({ stored: { agent }, hasUnsaved, problems }: FlowHeaderProps) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const title = texts.flowOf(agent.name);
  useEffect(() => {
    document.title = `${title} · ${shared.product}`;
  }, [title, shared]);
  return (
    <header className={classes.flowHeader}>
      <BackLink href={hrefOf(agent.id, 'prompt')}>{agent.name}</BackLink>
      <h1 className={classes.flowTitle}>{texts.tabFlow}</h1>
      <span className={classes.flowState}>
        <LiveState agent={agent} />
        {problems}
      </span>
      <TryButton agent={agent} hasUnsaved={hasUnsaved} />
    </header>
  );
}
