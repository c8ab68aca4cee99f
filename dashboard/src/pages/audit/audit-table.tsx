import { type ReactNode, useMemo } from 'react';
import type { AuditEntry } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useKeyNames } from '../../parts/key-names.ts';
import { useIsNarrow } from '../../parts/narrow.ts';
import { usePageName } from '../../parts/page-name.ts';
import { routeText } from '../../parts/route-texts.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import type { Column } from '../../parts/virtual-table-column.ts';
import { VirtualTableFooter } from '../../parts/virtual-table-footer.tsx';
import classes from './audit.module.css';
import type { useAuditList } from './audit-list.ts';
import { auditTexts } from './texts.ts';

const wideTemplate = 'minmax(0, 0.8fr) minmax(0, 1fr) minmax(0, 1.6fr) minmax(0, 1fr) minmax(0, 1.2fr)';

interface AuditTableProps {
  readonly list: ReturnType<typeof useAuditList>;
}

export function AuditTable({ list }: AuditTableProps) {
  const ownTexts = useTexts(auditTexts);
  const isNarrow = useIsNarrow();
  const wide = useColumns(isNarrow);
  const columns = useMemo(
    () => (isNarrow ? wide.filter(({ id }) => id === 'resource' || id === 'when').reverse() : wide),
    [isNarrow, wide],
  );
  return (
    <VirtualTable
      key={String(isNarrow)}
      label={usePageName()}
      columns={columns}
      items={list.entries}
      rowHeight={isNarrow ? 64 : 44}
      template={isNarrow ? 'minmax(0, 1fr) auto' : wideTemplate}
      hasMore={list.hasMore}
      onNearEnd={list.loadMore}
      footer={<VirtualTableFooter count={list.entries.length} list={list} texts={ownTexts} />}
    />
  );
}

function useColumns(isNarrow: boolean): readonly Column<AuditEntry>[] {
  const { language, format } = useLanguage();
  const texts = useTexts(auditTexts);
  const names = useKeyNames();
  return useMemo(() => {
    const what = ({ routeId }: AuditEntry) => routeText(routeId, language);
    const who = ({ keyId }: AuditEntry) => (keyId === null ? texts.commandLine : (names.get(keyId) ?? keyId));
    // As it was at the time. Keys are never renamed, so their names tell for entries without one.
    const nameOf = ({ resourceId, resourceName }: AuditEntry) => resourceName ?? names.get(resourceId) ?? null;
    return [
      {
        id: 'when',
        title: texts.when,
        cell: ({ at }) => <time dateTime={at}>{format.ago(at)}</time>,
        hint: ({ at }) => format.dateTime(at),
      },
      { id: 'what', title: texts.what, cell: what },
      {
        id: 'resource',
        title: texts.resource,
        cell: (entry) => resourceCell(entry, nameOf(entry), isNarrow ? `${what(entry)} · ${who(entry)}` : null),
        hint: ({ resourceId }) => resourceId,
      },
      { id: 'who', title: texts.who, cell: who, hint: ({ keyId }) => keyId },
      {
        id: 'request',
        title: texts.request,
        cell: ({ requestId }) => <span className={classes.id}>{requestId ?? '—'}</span>,
        hint: ({ requestId }) => requestId,
      },
    ];
  }, [texts, names, language, format, isNarrow]);
}

/** Links to all changes of the resource. On narrow screens, it also shows what has no column. */
function resourceCell({ resourceId }: AuditEntry, name: string | null, over: string | null): ReactNode {
  return (
    <>
      {over !== null && <span className={classes.over}>{over}</span>}
      <a
        href={`/audit?resourceId=${encodeURIComponent(resourceId)}`}
        className={classes.resource}
        data-is-named={name !== null || undefined}
      >
        {name ?? resourceId}
      </a>
    </>
  );
}
