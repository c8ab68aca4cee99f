import { useRef } from 'react';
import { Link } from 'wouter';
import { useCurrentTabInView } from '../../parts/current-tab.ts';
import classes from './agent-page.module.css';
import { hrefOf, type Tab, type TabName } from './tabs.ts';
import { useAgentTexts } from './texts.ts';

interface AgentTabsProps {
  readonly agentId: string;
  readonly tabs: readonly Tab[];
  readonly current: TabName;
}

/** Links, because each tab has an address. What is not saved is kept. */
export function AgentTabs({ agentId, tabs, current }: AgentTabsProps) {
  const texts = useAgentTexts();
  const nav = useRef<HTMLElement>(null);
  useCurrentTabInView(nav, current);
  return (
    <nav ref={nav} className={classes.views} aria-label={texts.views}>
      {tabs.map(({ name, label, issues, changes }) => (
        <Link
          key={name}
          href={hrefOf(agentId, name)}
          className={classes.view as string}
          aria-current={name === current ? 'page' : undefined}
        >
          {label}
          <Mark issues={issues} changes={changes} />
        </Link>
      ))}
    </nav>
  );
}

function Mark({ issues, changes }: Pick<Tab, 'issues' | 'changes'>) {
  const texts = useAgentTexts();
  if (issues + changes === 0) return null;
  return (
    <>
      <span className={classes.mark} data-is-invalid={issues > 0 || undefined} aria-hidden="true">
        {issues > 0 ? issues : ''}
      </span>
      <span className="visually-hidden">, {issues > 0 ? texts.tabIssues(issues) : texts.tabChanges(changes)}</span>
    </>
  );
}
