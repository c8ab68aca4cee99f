import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { VersionBadge } from '../../parts/version-badge.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import type { AgentRow, useAgentList } from './agent-list.ts';
import classes from './agents.module.css';
import { createLanguageNames } from './language-names.ts';
import { agentsTexts } from './texts.ts';

const wideTemplate =
  'minmax(11rem, 2.2fr) minmax(8rem, 1fr) minmax(6.5rem, 0.9fr) minmax(7rem, 1.1fr) 4.5rem 7rem minmax(7rem, 0.9fr)';

interface AgentTableProps {
  readonly list: ReturnType<typeof useAgentList>;
  readonly query: string;
}

export function AgentTable({ list, query }: AgentTableProps) {
  const { texts } = useLanguage();
  const { rows, hasMore, isPlaceholderData, loadMore } = list;
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const wide = useColumns(isNarrow);
  const columns = useMemo(
    () => (isNarrow ? wide.filter(({ id }) => id === 'name' || id === 'state') : wide),
    [isNarrow, wide],
  );
  return (
    <VirtualTable
      // Another search begins at its first row, and so does another height of the rows.
      key={`${isNarrow} ${query}`}
      label={texts.agents}
      columns={columns}
      items={rows}
      idOf={idOf}
      rowHeight={isNarrow ? 64 : 48}
      template={isNarrow ? 'minmax(0, 1fr) auto' : wideTemplate}
      hasMore={hasMore}
      onNearEnd={loadMore}
      isDimmed={isPlaceholderData}
      footer={<Footer list={list} />}
    />
  );
}

function idOf({ id }: AgentRow): string {
  return id;
}

function useColumns(isNarrow: boolean): readonly Column<AgentRow>[] {
  const texts = useTexts(agentsTexts);
  const { language } = useLanguage();
  return useMemo(() => {
    const languageName = createLanguageNames(language);
    return [
      {
        id: 'name',
        title: texts.name,
        cell: (row) => <NameCell row={row} engine={isNarrow ? texts[row.engine] : null} />,
      },
      { id: 'engine', title: texts.engine, cell: ({ engine }) => texts[engine] },
      {
        id: 'language',
        title: texts.language,
        cell: (row) => <span title={row.language}>{languageName(row.language)}</span>,
      },
      { id: 'voice', title: texts.voice, cell: ({ voiceId }) => <span title={voiceId}>{voiceId}</span> },
      { id: 'version', title: texts.version, cell: ({ version }) => `v${version}` },
      { id: 'state', title: texts.state, cell: ({ isPublished }) => <VersionBadge isPublished={isPublished} /> },
      { id: 'changed', title: texts.changed, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
    ];
  }, [texts, language, isNarrow]);
}

/** The link is as large as its row. On a narrow screen it says what has no column there. */
function NameCell({ row, engine }: { readonly row: AgentRow; readonly engine: string | null }) {
  const { format } = useLanguage();
  return (
    <>
      <Link href={`/agents/${row.id}`} className={classes.name as string} title={row.name}>
        {row.name}
      </Link>
      {engine !== null && (
        <span className={classes.under}>
          {engine} · v{row.version} · {format.ago(row.updatedAt)}
        </span>
      )}
    </>
  );
}

function Footer({ list }: Pick<AgentTableProps, 'list'>) {
  const { texts, format } = useLanguage();
  const { loadingMore, shown, shownSoFar, moreFailed } = useTexts(agentsTexts);
  if (list.error !== null) {
    return (
      <>
        <span role="alert">{moreFailed}</span>
        <Button size="compact-sm" variant="default" onClick={() => list.fetchNextPage()}>
          {texts.tryAgain}
        </Button>
      </>
    );
  }
  if (list.isFetchingNextPage) return loadingMore;
  const count = format.number(list.rows.length);
  return list.hasMore ? shownSoFar(count) : shown(count);
}
