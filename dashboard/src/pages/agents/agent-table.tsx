import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { usePageName } from '../../parts/page-name.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { VirtualTableFooter } from '../../parts/virtual-table-footer.tsx';
import { useScope } from '../../session/use-session.ts';
import { useAgentColumns } from './agent-columns.tsx';
import type { AgentRow, useAgentList } from './agent-list.ts';
import { useAgentVersions } from './agent-states.ts';
import { type AgentView, arrange, isArranged } from './agent-view.ts';
import { DeleteAgents } from './delete-agents.tsx';
import { RowMenu, type RowMenuPlace } from './row-menu.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { agentsTexts } from './texts.ts';

/** All columns fit next to the navigation, although long texts may be truncated. */
const wideTemplate =
  '1.25rem minmax(0, 2.3fr) minmax(0, 1.1fr) minmax(0, 0.95fr) minmax(0, 0.9fr) 9.75rem 6.75rem 5.25rem';
const narrowTemplate = '1.25rem minmax(0, 1fr) 5.5rem';
const narrowColumns = ['select', 'name', 'actions'];

/** Sorting and filtering is about this many agents, the newest. */
const maxArranged = 2000;

interface AgentTableProps {
  readonly list: ReturnType<typeof useAgentList>;
  readonly view: AgentView;
}

export function AgentTable({ list, view }: AgentTableProps) {
  const isNarrow = useIsNarrow();
  const { isAllowed: canWrite } = useScope('agents:write');
  const versionsOf = useAgentVersions(list.rows);
  const { rows, hasMore, loadMore } = useArranged(list, view, versionsOf);
  const { selected, toggle, selectAll, clear } = useSelection(rows);
  const [menu, setMenu] = useState<RowMenuPlace | null>(null);
  const [deleted, setDeleted] = useState<readonly AgentRow[] | null>(null);
  const columns = useAgentColumns({
    isNarrow,
    versionsOf,
    selection: canWrite
      ? { selected, toggle, isAll: rows.length > 0 && selected.size === rows.length, selectAll }
      : null,
    onMenu: setMenu,
  });
  const shown = useMemo(
    () => columns.filter(({ id }) => (id !== 'select' || canWrite) && (!isNarrow || narrowColumns.includes(id))),
    [columns, isNarrow, canWrite],
  );
  const template = isNarrow ? narrowTemplate : wideTemplate;
  return (
    <>
      {selected.size > 0 && (
        <SelectionBar
          count={selected.size}
          onClear={clear}
          onDelete={() => setDeleted(rows.filter(({ id }) => selected.has(id)))}
        />
      )}
      <VirtualTable
        // A new search or order, or a new row height, starts at the first row.
        key={`${isNarrow} ${JSON.stringify(view)}`}
        label={usePageName()}
        columns={shown}
        items={rows}
        rowHeight={isNarrow ? 64 : 48}
        template={canWrite ? template : template.replace('1.25rem ', '')}
        hasMore={hasMore}
        onNearEnd={loadMore}
        isDimmed={list.isPlaceholderData}
        footer={<Footer list={list} view={view} count={rows.length} />}
      />
      {menu !== null && <RowMenu place={menu} onClose={() => setMenu(null)} onDelete={(row) => setDeleted([row])} />}
      {deleted !== null && <DeleteAgents agents={deleted} onClose={() => setDeleted(null)} onDeleted={clear} />}
    </>
  );
}

/** Sorted and filtered rows need all of them: they are loaded up to a limit, and not by scrolling. */
function useArranged(
  list: AgentTableProps['list'],
  view: AgentView,
  versionsOf: ReturnType<typeof useAgentVersions>,
): { readonly rows: readonly AgentRow[]; readonly hasMore: boolean; readonly loadMore: () => void } {
  const isOn = isArranged(view);
  const { rows, hasMore, loadMore } = list;
  useEffect(() => {
    if (isOn && hasMore && rows.length < maxArranged) loadMore();
  }, [isOn, hasMore, rows.length, loadMore]);
  const arranged = useMemo(() => (isOn ? arrange(rows, view, versionsOf) : rows), [isOn, rows, view, versionsOf]);
  return isOn ? { rows: arranged, hasMore: false, loadMore } : { rows, hasMore, loadMore };
}

function Footer({ list, view, count }: AgentTableProps & { readonly count: number }) {
  const { format } = useLanguage();
  const texts = useTexts(agentsTexts);
  const isDone = !list.isFetchingNextPage && list.error === null;
  if (!isArranged(view) || !isDone) return <VirtualTableFooter count={list.rows.length} list={list} texts={texts} />;
  const [shown, all] = [format.number(count), format.number(list.rows.length)];
  return list.hasMore ? texts.arrangedOfNewest(shown, all) : texts.arrangedOf(shown, all);
}

/** Rows that are no longer shown are not selected either. */
function useSelection(rows: readonly AgentRow[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set());
  const selected = useMemo(() => {
    if (ids.size === 0) return ids;
    return new Set(rows.flatMap(({ id }) => (ids.has(id) ? [id] : [])));
  }, [rows, ids]);
  const toggle = useCallback(
    (id: string) =>
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const clear = useCallback(() => setIds(new Set()), []);
  const selectAll = useCallback(
    (isAll: boolean) => setIds(isAll ? new Set(rows.map(({ id }) => id)) : new Set()),
    [rows],
  );
  return { selected, toggle, selectAll, clear };
}
