import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { CallIcon, DownloadIcon, SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { lazyPart } from '../../lazy-page.ts';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { LazyPart } from '../../parts/lazy-part.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { CallFilterBar } from './call-filter-bar.tsx';
import {
  type CallFilters,
  countFilters,
  exportQuery,
  finishedQuery,
  isSearch,
  openQuery,
  readFilters,
  searchOf,
  writeFilters,
} from './call-filters.ts';
import { useFinishedCalls, useOpenCalls } from './call-list.ts';
import { CallTable } from './call-table.tsx';
import { FigureCalls } from './figure-calls.tsx';
import { FinishedCalls } from './finished-calls.tsx';
import { readSearch } from './search-filter.ts';
import { callsTexts } from './texts.ts';

const ExportDialog = lazyPart(async () => (await import('./export/export-dialog.tsx')).ExportDialog);

export function Calls() {
  const texts = useTexts(callsTexts);
  const [parameters] = useSearchParams();
  const filters = readFilters(parameters);
  const search = searchOf(filters);
  const [isExporting, setIsExporting] = useState(false);
  const close = () => setIsExporting(false);
  const actions = (
    <GuardedButton
      scope="calls:read"
      variant="default"
      leftSection={<DownloadIcon size={16} />}
      onClick={() => setIsExporting(true)}
    >
      {texts.export}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={texts.description} actions={actions} />
      {isExporting && (
        <LazyPart fallback={null} onClose={close}>
          <ExportDialog source={search === null ? { query: exportQuery(filters) } : { search }} onClose={close} />
        </LazyPart>
      )}
      <ScopeGuard scope="calls:read">
        <FilteredCalls />
      </ScopeGuard>
    </>
  );
}

/** The filters are part of the URL, so that they can be shared and survive a reload. */
function FilteredCalls() {
  const [parameters, setParameters] = useSearchParams();
  const filters = readFilters(parameters);
  const search = readSearch(parameters);
  const clear = () => setParameters({}, { replace: true });
  const change = (part: Partial<CallFilters>) =>
    setParameters(writeFilters({ ...filters, ...part }), { replace: true });
  if (search !== null) return <FigureCalls filter={search} onClear={clear} />;
  return (
    <>
      <CallFilterBar filters={filters} onChange={change} onClear={clear} />
      <Results filters={filters} onClear={clear} />
    </>
  );
}

function Results({ filters, onClear }: { readonly filters: CallFilters; readonly onClear: () => void }) {
  const { texts: shared, format } = useLanguage();
  const texts = useTexts(callsTexts);
  const open = useOpenCalls(openQuery(filters));
  const query = finishedQuery(filters);
  const search = searchOf(filters);
  const finished = useFinishedCalls(query, search);
  const isSearching = isSearch(filters);
  if (open.isPending || finished.isPending) {
    return (
      <Card isFlush>
        <RowSkeletons />
      </Card>
    );
  }
  const error = finished.error ?? open.error;
  if (error !== null && finished.items.length === 0 && open.items.length === 0) {
    const retry = () => Promise.all([open.refetch(), finished.refetch()]);
    return (
      <Card isFlush>
        <ErrorState error={error} onRetry={retry} />
      </Card>
    );
  }
  if (finished.items.length === 0 && open.items.length === 0) {
    // A page of a search can be empty although older calls match.
    const more = finished.hasNextPage && {
      isPending: finished.isFetchingNextPage,
      onClick: () => void finished.fetchNextPage(),
    };
    if (isSearching) return <NothingSaid more={more || null} onClear={onClear} />;
    return <Nothing isFiltered={countFilters(filters) > 0} onClear={onClear} />;
  }
  return (
    <Stack gap="lg">
      {open.items.length > 0 && (
        <Card title={texts.now} isFlush>
          <CallTable label={texts.now} calls={open.items} />
          {open.hasMore && (
            <Text size="xs" c="dimmed" p="sm" ta="center">
              {texts.nowMore(format.number(open.items.length))}
            </Text>
          )}
        </Card>
      )}
      {query !== null && (
        <FinishedCalls
          key={JSON.stringify(filters)}
          title={isSearching ? texts.foundTitle : texts.finished}
          calls={finished.items}
        />
      )}
      {finished.hasNextPage && (
        <Button
          variant="default"
          loading={finished.isFetchingNextPage}
          onClick={() => finished.fetchNextPage()}
          mx="auto"
        >
          {shared.loadMore}
        </Button>
      )}
    </Stack>
  );
}

interface NothingSaidProps {
  readonly more: { readonly isPending: boolean; readonly onClick: () => void } | null;
  readonly onClear: () => void;
}

function NothingSaid({ more, onClear }: NothingSaidProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(callsTexts);
  const action =
    more === null ? (
      <Button variant="default" onClick={onClear}>
        {shared.clearFilters}
      </Button>
    ) : (
      <Button variant="default" loading={more.isPending} onClick={more.onClick}>
        {texts.searchOn}
      </Button>
    );
  return (
    <Card isFlush>
      <EmptyState icon={<SearchIcon />} title={more === null ? texts.foundNothing : texts.foundSoFar} actions={action}>
        {texts.foundNext}
      </EmptyState>
    </Card>
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(callsTexts);
  if (isFiltered) {
    const clear = (
      <Button variant="default" onClick={onClear}>
        {shared.clearFilters}
      </Button>
    );
    return (
      <Card isFlush>
        <EmptyState icon={<SearchIcon />} title={texts.nothingTitle} actions={clear}>
          {texts.nothingNext}
        </EmptyState>
      </Card>
    );
  }
  const next = (
    <Button component={Link} href="/agents" variant="default">
      {texts.toAgents}
    </Button>
  );
  return (
    <Card isFlush>
      <EmptyState icon={<CallIcon />} title={texts.emptyTitle} actions={next}>
        {texts.emptyNext}
      </EmptyState>
    </Card>
  );
}
