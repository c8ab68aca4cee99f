import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLanguage } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { Comparison } from './comparison.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';
import { VersionFigures } from './version-figures.tsx';
import { useVersions } from './version-list.ts';
import { VersionTable } from './version-table.tsx';
import classes from './versions.module.css';

/** The versions of an agent, and the differences between two of them. */
export function Versions({ stored }: { readonly stored: StoredAgent }) {
  const texts = useAgentTexts();
  const { texts: shared } = useLanguage();
  const { versions, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useVersions(
    stored.agent.id,
  );
  const [chosen, setChosen] = useState<{ from?: number; to?: number }>({});
  const [restoring, setRestoring] = useState<number | null>(null);
  if (data === undefined) return error === null ? <PageSkeleton /> : <ErrorState error={error} onRetry={refetch} />;
  // By default, the latest version and the one before it.
  const to = chosen.to ?? versions[0]?.version ?? 1;
  const from = chosen.from ?? versions.find(({ version }) => version < to)?.version ?? to;
  return (
    <>
      <p className={classes.hint}>{texts.versionsHint}</p>
      <Card isFlush>
        <VersionTable
          versions={versions}
          from={from}
          to={to}
          onChoose={(choice) => setChosen({ from, to, ...choice })}
          onRestore={setRestoring}
        />
      </Card>
      {hasNextPage && (
        <Button variant="default" mt="md" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {shared.loadMore}
        </Button>
      )}
      <div className={classes.compare}>
        <Card title={texts.compareTitle(from, to)}>
          {versions.length < 2 ? (
            <p className={classes.hint}>{texts.compareChoose}</p>
          ) : (
            <Comparison id={stored.agent.id} from={from} to={to} etag={stored.etag} />
          )}
        </Card>
      </div>
      <VersionFigures agentId={stored.agent.id} from={from} to={to} />
      {restoring !== null && (
        <RestoreDialog
          stored={stored}
          version={restoring}
          onClose={() => setRestoring(null)}
          onDone={() => setChosen({})}
        />
      )}
    </>
  );
}
