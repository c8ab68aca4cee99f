import { type ReactNode, useMemo } from 'react';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { VersionBadge } from '../../parts/version-badge.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import type { Column } from '../../parts/virtual-table-column.ts';
import { VirtualTableFooter } from '../../parts/virtual-table-footer.tsx';
import { useScope } from '../../session/use-session.ts';
import { tryTexts } from '../../try/texts.ts';
import { useTrial } from '../../try/try-context.ts';
import type { AgentRow, useAgentList } from './agent-list.ts';
import classes from './agents.module.css';
import { createLanguageNames } from './language-names.ts';
import { agentsTexts } from './texts.ts';

/** All columns fit next to the navigation, although long texts may be truncated. */
const wideTemplate =
  'minmax(0, 2.1fr) minmax(0, 1.1fr) minmax(0, 1.1fr) minmax(0, 1fr) 4rem 6.5rem minmax(0, 1.05fr) 3rem';

const narrowColumns = ['name', 'state', 'try'];

interface AgentTableProps {
  readonly list: ReturnType<typeof useAgentList>;
  readonly query: string;
}

export function AgentTable({ list, query }: AgentTableProps) {
  const { texts } = useLanguage();
  const ownTexts = useTexts(agentsTexts);
  const { rows, hasMore, isPlaceholderData, loadMore } = list;
  const isNarrow = useIsNarrow();
  const wide = useColumns(isNarrow);
  const columns = useMemo(
    () => (isNarrow ? wide.filter(({ id }) => narrowColumns.includes(id)) : wide),
    [isNarrow, wide],
  );
  return (
    <VirtualTable
      // A new search, or a new row height, starts at the first row.
      key={`${isNarrow} ${query}`}
      label={texts.agents}
      columns={columns}
      items={rows}
      rowHeight={isNarrow ? 64 : 48}
      template={isNarrow ? 'minmax(0, 1fr) 6rem 3rem' : wideTemplate}
      hasMore={hasMore}
      onNearEnd={loadMore}
      isDimmed={isPlaceholderData}
      footer={<VirtualTableFooter count={rows.length} list={list} texts={ownTexts} />}
    />
  );
}

function useColumns(isNarrow: boolean): readonly Column<AgentRow>[] {
  const texts = useTexts(agentsTexts);
  const { language, format } = useLanguage();
  const trying = useTexts(tryTexts);
  const { open } = useTrial();
  const { isAllowed } = useScope('calls:write');
  return useMemo(() => {
    const languageName = createLanguageNames(language);
    const under = ({ engine, version, updatedAt }: AgentRow) =>
      `${texts[engine]} · v${version} · ${format.ago(updatedAt)}`;
    return [
      {
        id: 'name',
        title: texts.name,
        cell: (row) => nameCell(row, isNarrow ? under(row) : null),
        hint: ({ name }) => name,
      },
      { id: 'engine', title: texts.engine, cell: ({ engine }) => texts[engine] },
      {
        id: 'language',
        title: texts.language,
        cell: (row) => languageName(row.language),
        hint: (row) => row.language,
      },
      { id: 'voice', title: texts.voice, cell: ({ voiceId }) => voiceId, hint: ({ voiceId }) => voiceId },
      { id: 'version', title: texts.version, cell: ({ version }) => `v${version}` },
      { id: 'state', title: texts.state, cell: ({ isPublished }) => <VersionBadge isPublished={isPublished} /> },
      {
        id: 'changed',
        title: texts.changed,
        cell: ({ updatedAt }) => <time dateTime={updatedAt}>{format.ago(updatedAt)}</time>,
        hint: ({ updatedAt }) => format.dateTime(updatedAt),
      },
      {
        id: 'try',
        title: <span className="visually-hidden">{trying.try}</span>,
        // Without the scope there is nothing to press; the page of an agent says why.
        cell: ({ id, name }) =>
          isAllowed && (
            <button
              type="button"
              className={classes.try}
              aria-label={trying.tryAgent(name)}
              onClick={() => open({ id, name })}
            >
              {trying.try}
            </button>
          ),
      },
    ];
  }, [texts, language, format, isNarrow, trying, open, isAllowed]);
}

/** The link covers the whole row. On narrow screens, it also shows what has no column. */
function nameCell({ id, name }: AgentRow, under: string | null): ReactNode {
  return (
    <>
      <a href={`/agents/${id}`} className={classes.name}>
        {name}
      </a>
      {under !== null && <span className={classes.under}>{under}</span>}
    </>
  );
}
