import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { AuditIcon, SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import table from '../../parts/virtual-table.module.css';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { type AuditFilters, countAuditFilters, readAuditFilters, writeAuditFilters } from './audit-filters.ts';
import { useAuditList } from './audit-list.ts';
import { AuditTable } from './audit-table.tsx';
import { auditTexts } from './texts.ts';

export function Audit() {
  const { description } = useTexts(auditTexts);
  return (
    <div className={table.page}>
      <PageHeader description={description} />
      <ScopeGuard scope="audit:read">
        <FilteredLog />
      </ScopeGuard>
    </div>
  );
}

function FilteredLog() {
  const { texts: shared } = useLanguage();
  const [parameters, setParameters] = useSearchParams();
  const filters = useMemo(() => readAuditFilters(parameters), [parameters]);
  const change = (next: Partial<AuditFilters>) => setParameters(writeAuditFilters({ ...filters, ...next }));
  const clear = () => setParameters({});
  return (
    <>
      <AuditFilterBar filters={filters} onChange={change} onClear={clear} />
      <div className={table.place}>
        <Card isFlush>
          <Results
            filters={filters}
            clear={
              <Button variant="default" onClick={clear}>
                {shared.clearFilters}
              </Button>
            }
          />
        </Card>
      </div>
    </>
  );
}

function Results({ filters, clear }: { readonly filters: AuditFilters; readonly clear: React.ReactNode }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(auditTexts);
  const list = useAuditList(filters);
  if (list.isPending) return <RowSkeletons />;
  if (list.entries.length > 0) return <AuditTable key={JSON.stringify(filters)} list={list} />;
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isSearching) {
    return (
      <EmptyState icon={<SearchIcon />} title={shared.loading}>
        {texts.searching}
      </EmptyState>
    );
  }
  if (countAuditFilters(filters) === 0) {
    return (
      <EmptyState icon={<AuditIcon />} title={texts.emptyTitle}>
        {texts.emptyNext}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchIcon />} title={texts.nothingTitle} actions={clear}>
      {texts.nothingNext}
    </EmptyState>
  );
}
