import { Anchor } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import type { Agent, AgentFinding } from '../../../../sdk/src/index.ts';
import { useLanguage } from '../../language/language.tsx';
import { placeOf } from './fields.ts';
import classes from './finding-list.module.css';
import { groupFindings } from './findings.ts';
import { hrefOf, placeAt } from './tabs.ts';
import { useAgentTexts } from './texts.ts';

interface FindingListProps {
  readonly agent: Pick<Agent, 'id' | 'agentSettings'>;
  readonly findings: readonly AgentFinding[];
  /** Shows the field at a path, and closes the dialog above it. Null: no form shows this version. */
  readonly onGo: ((path: string) => void) | null;
}

/** Findings by field, with links to their places in the form. */
export function FindingList({ agent, findings, onGo }: FindingListProps) {
  const { language, texts: shared } = useLanguage();
  const texts = useAgentTexts();
  return (
    <ul className={classes.groups}>
      {groupFindings(findings, agent.agentSettings, language, texts).map(
        ({ field, label, path: whole, isNamed, findings: found }) => {
          const link = (path: string, children: ReactNode) =>
            field === undefined || onGo === null ? (
              children
            ) : (
              <FieldLink agentId={agent.id} path={path} onGo={onGo}>
                {children}
              </FieldLink>
            );
          return (
            <li key={label}>
              <span className={classes.label}>{link(whole, label)}</span>
              <ul className={classes.findings}>
                {found.map(({ path, place, message }) => (
                  <li key={`${path} ${message}`}>
                    {place !== null && (
                      <>
                        <span className={field?.control === 'json' && !isNamed ? classes.path : classes.place}>
                          {link(path, place)}
                        </span>
                        {isNamed ? shared.colon : ' '}
                      </>
                    )}
                    <Message>{message}</Message>
                  </li>
                ))}
              </ul>
            </li>
          );
        },
      )}
    </ul>
  );
}

/** A message of the service is in English, unless there is a translation. */
function Message({ children: message }: { readonly children: string }) {
  const { language } = useLanguage();
  const said = useAgentTexts().saidByService(message);
  return <span lang={said === message && language !== 'en' ? 'en' : undefined}>{said}</span>;
}

interface FieldLinkProps {
  readonly agentId: string;
  readonly path: string;
  readonly onGo: (path: string) => void;
  readonly children: ReactNode;
}

function FieldLink({ agentId, path, onGo, children }: FieldLinkProps) {
  const href = `${hrefOf(agentId, placeAt(path))}#${placeOf(encodeURIComponent(path))}`;
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onGo(path);
  };
  return (
    <Anchor href={href} onClick={go} className={classes.link as string} inherit>
      {children}
    </Anchor>
  );
}
