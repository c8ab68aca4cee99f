import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Workflow, WorkflowVersion } from '../../../../sdk/src/index.ts';
import { ChevronDownIcon, ChevronRightIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Facts, Id } from '../../parts/facts.tsx';
import { useKeyNames } from '../../parts/key-names.ts';
import row from '../../parts/row.module.css';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { useClient } from '../../session/use-session.ts';
import { type Definition, sparse } from '../../workflows/definition.ts';
import { LineDiff } from '../agent/compared-value.tsx';
import { workflowsTexts } from './texts.ts';
import classes from './workflows.module.css';

const shownCount = 50;

/** What the workflow was, and what it is about. */
export function Versions({ workflow }: { readonly workflow: Workflow }) {
  const texts = useTexts(workflowsTexts);
  const { workflows } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['workflows', 'versions', workflow.id, workflow.version],
    queryFn: async ({ signal }) =>
      (await workflows.versions.list(workflow.id, { limit: shownCount }, { signal })).items,
  });
  return (
    <>
      <Card title={texts.versions}>
        {data === undefined ? (
          error === null ? (
            <RowSkeletons />
          ) : (
            <ErrorState error={error} onRetry={refetch} />
          )
        ) : (
          <ul className={classes.versions}>
            {data.map((version) => (
              <Version key={version.version} version={version} current={workflow} />
            ))}
          </ul>
        )}
      </Card>
      <div style={{ marginTop: '1rem' }}>
        <Card title={texts.details}>
          <Facts
            facts={[
              [texts.id, <Id key="id">{workflow.id}</Id>],
              [texts.created, <Ago key="created" at={workflow.createdAt} />],
              [texts.changed, <Ago key="changed" at={workflow.updatedAt} />],
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function Version({ version, current }: { readonly version: WorkflowVersion; readonly current: Workflow }) {
  const texts = useTexts(workflowsTexts);
  const names = useKeyNames();
  const [isOpen, setIsOpen] = useState(false);
  const isCurrent = version.version === current.version;
  const definitionOf = ({ trigger, steps }: WorkflowVersion | Workflow) =>
    sparse({ trigger, steps } as unknown as Definition);
  return (
    <li>
      <div className={classes.version}>
        <strong>{texts.versionOf(String(version.version))}</strong>
        <Ago at={version.createdAt} />
        <span className={row.quiet}>{texts.by(names.get(version.keyId) ?? version.keyId)}</span>
        {isCurrent ? (
          <span className={row.quiet}>{texts.currentVersion}</span>
        ) : (
          <UnstyledButton
            aria-expanded={isOpen}
            className={row.quiet as string}
            style={{ display: 'inline-flex', alignItems: 'center', gap: '0.2rem' }}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />} {texts.showVersion}
          </UnstyledButton>
        )}
      </div>
      {isOpen && <LineDiff before={definitionOf(version)} after={definitionOf(current)} />}
    </li>
  );
}
