import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { useKeyNames } from '../../parts/key-names.ts';
import { routeText } from '../../parts/route-texts.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import classes from './audit.module.css';
import type { useAuditList } from './audit-list.ts';
import { auditTexts } from './texts.ts';

const wideTemplate =
  'minmax(8rem, 0.8fr) minmax(10rem, 1fr) minmax(10rem, 1.6fr) minmax(8rem, 1fr) minmax(8rem, 1.2fr)';

interface AuditTableProps {
  readonly list: ReturnType<typeof useAuditList>;
}

export function AuditTable({ list }: AuditTableProps) {
  const { texts } = useLanguage();
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const wide = useColumns();
  const columns = isNarrow ? [wide[2] as Column<AuditEntry>, wide[0] as Column<AuditEntry>] : wide;
  return (
    <VirtualTable
      key={String(isNarrow)}
      label={texts.audit}
      columns={columns}
      items={list.entries}
      idOf={({ id }) => id}
      rowHeight={isNarrow ? 64 : 44}
      template={isNarrow ? 'minmax(0, 1fr) auto' : wideTemplate}
      hasMore={list.hasMore}
      onNearEnd={list.loadMore}
      footer={<Footer list={list} />}
    />
  );
}

function useColumns(): readonly Column<AuditEntry>[] {
  const { language } = useLanguage();
  const texts = useTexts(auditTexts);
  const names = useKeyNames();
  return useMemo(() => {
    const who = ({ keyId }: AuditEntry) => (keyId === null ? texts.commandLine : (names.get(keyId) ?? keyId));
    return [
      { id: 'when', title: texts.when, cell: ({ at }) => <Ago at={at} /> },
      { id: 'what', title: texts.what, cell: ({ routeId }) => routeText(routeId, language) },
      { id: 'resource', title: texts.resource, cell: (entry) => <Resource entry={entry} who={who(entry)} /> },
      { id: 'who', title: texts.who, cell: (entry) => <span title={entry.keyId ?? undefined}>{who(entry)}</span> },
      {
        id: 'request',
        title: texts.request,
        cell: ({ requestId }) => (
          <span className={classes.id} title={requestId ?? undefined}>
            {requestId ?? '—'}
          </span>
        ),
      },
    ];
  }, [texts, names, language]);
}

/** Leads to all that was done to it. On a narrow screen it says what has no column there. */
function Resource({ entry, who }: { readonly entry: AuditEntry; readonly who: string }) {
  const { language } = useLanguage();
  return (
    <>
      <span className={classes.over}>
        {routeText(entry.routeId, language)} · {who}
      </span>
      <Link
        href={`/audit?resourceId=${encodeURIComponent(entry.resourceId)}`}
        className={classes.resource as string}
        title={entry.resourceId}
      >
        {entry.resourceId}
      </Link>
    </>
  );
}

function Footer({ list }: AuditTableProps) {
  const { texts, format } = useLanguage();
  const { loadingMore, shown, shownSoFar, moreFailed } = useTexts(auditTexts);
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
  const count = format.number(list.entries.length);
  return list.hasMore ? shownSoFar(count) : shown(count);
}
