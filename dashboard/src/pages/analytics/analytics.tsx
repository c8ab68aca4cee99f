import { Alert, Button, Checkbox } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { FigureTiles } from '../../analytics/figure-tiles.tsx';
import { type AnalyticsFilters, countConditions, readFilters, scopeOf, writeFilters } from '../../analytics/filters.ts';
import type { Query, Result } from '../../analytics/query.ts';
import { tileMetrics } from '../../analytics/reply-metrics.ts';
import { useFigures } from '../../analytics/use-figures.ts';
import { queryOf } from '../../analytics/view-query.ts';
import { viewTexts } from '../../analytics/view-texts.ts';
import { type BuiltInView, builtInViews } from '../../analytics/views.ts';
import { OverviewIcon, RotateIcon, SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { ViewTabs } from '../../parts/view-tabs.tsx';
import { Alerts } from './alerts.tsx';
import classes from './analytics.module.css';
import { AnalyticsFilterBar } from './analytics-filter-bar.tsx';
import type { Figure } from './figure.ts';
import { FigureCard } from './figure-card.tsx';
import { SavedViews } from './saved-views.tsx';
import { analyticsTexts } from './texts.ts';

export function Analytics() {
  const texts = useTexts(analyticsTexts);
  const views = {
    charts: { title: texts.charts, content: () => <Charts /> },
    views: { title: texts.views, content: () => <SavedViews /> },
    alerts: { title: texts.alerts, content: () => <Alerts /> },
  };
  return (
    <>
      <PageHeader description={texts.description} />
      <ScopeGuard scope="analytics:read">
        <ViewTabs label={texts.parts} views={views} />
      </ScopeGuard>
    </>
  );
}

/** The filters are part of the URL, so that they can be shared and survive a reload. */
function Charts() {
  const [parameters, setParameters] = useSearchParams();
  const filters = readFilters(parameters);
  const change = (part: Partial<AnalyticsFilters>) =>
    setParameters(writeFilters({ ...filters, ...part }), { replace: true });
  const clear = () => change({ agentId: '', agentVersion: '', type: '', direction: '', withDrafts: false });
  const query: Query = { ...scopeOf(filters), metrics: tileMetrics };
  const totals = useFigures(query);
  const isEmpty = totals.data?.calls === 0 && !totals.isPlaceholderData;
  return (
    <>
      <AnalyticsFilterBar filters={filters} onChange={change} onClear={clear} />
      <Below filters={filters} result={totals.data} onChange={change} />
      {totals.data != null && totals.data.filledFrom !== null && <Filling from={totals.data.filledFrom} />}
      {isEmpty ? (
        <Nothing filters={filters} onChange={change} onClear={clear} />
      ) : (
        <>
          <FigureTiles query={query} totals={totals} />
          <ChartGrid filters={filters} />
        </>
      )}
    </>
  );
}

interface BelowProps {
  readonly filters: AnalyticsFilters;
  readonly result: Result | undefined;
  readonly onChange: (change: Partial<AnalyticsFilters>) => void;
}

/** What everything on the page is about. */
function Below({ filters, result, onChange }: BelowProps) {
  const { format } = useLanguage();
  const texts = useTexts(analyticsTexts);
  const queryClient = useQueryClient();
  return (
    <div className={classes.below}>
      <Checkbox
        size="xs"
        label={texts.drafts}
        checked={filters.withDrafts}
        onChange={(event) => onChange({ withDrafts: event.currentTarget.checked })}
      />
      <span className={classes.about}>
        {result !== undefined &&
          texts.about(format.number(result.calls), format.dateTime(result.asOf), result.timeZone)}
      </span>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<RotateIcon size={16} />}
        onClick={() => queryClient.invalidateQueries({ queryKey: ['analytics', 'query'] })}
      >
        {texts.refresh}
      </Button>
    </div>
  );
}

function Filling({ from }: { readonly from: string }) {
  const { format } = useLanguage();
  const texts = useTexts(analyticsTexts);
  return (
    <Alert color="yellow" mb="md" role="status">
      {texts.filling(format.dateTime(from))}
    </Alert>
  );
}

function ChartGrid({ filters }: { readonly filters: AnalyticsFilters }) {
  const texts = useTexts(viewTexts);
  const own = useTexts(analyticsTexts);
  const figureOf = (view: BuiltInView): Figure => ({
    title: texts[view.name],
    about: texts[`${view.name}About`],
    none:
      view.name === 'cost' ? (
        <>
          <p>{texts.costNone}</p>
          <Button component={Link} href="/settings/prices" variant="default" size="xs" mx="auto">
            {own.toPrices}
          </Button>
        </>
      ) : (
        texts[`${view.name}None`]
      ),
    query: queryOf(view, filters),
    chart: view.chart,
  });
  return (
    <div className={classes.grid}>
      {builtInViews.map((view) => (
        <FigureCard key={view.name} figure={figureOf(view)} />
      ))}
    </div>
  );
}

interface NothingProps {
  readonly filters: AnalyticsFilters;
  readonly onChange: (change: Partial<AnalyticsFilters>) => void;
  readonly onClear: () => void;
}

function Nothing({ filters, onChange, onClear }: NothingProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(analyticsTexts);
  const isFiltered = countConditions(filters) > 0;
  const actions = (
    <>
      {filters.period !== '12mo' && (
        <Button variant="default" onClick={() => onChange({ period: '12mo', from: '', to: '', interval: '' })}>
          {texts.longer}
        </Button>
      )}
      {isFiltered ? (
        <Button variant="default" onClick={onClear}>
          {shared.clearFilters}
        </Button>
      ) : (
        <Button component={Link} href="/agents" variant="default">
          {texts.toAgents}
        </Button>
      )}
    </>
  );
  return (
    <Card isFlush>
      <EmptyState
        icon={isFiltered ? <SearchIcon /> : <OverviewIcon />}
        title={isFiltered ? texts.noMatchTitle : texts.noCallsTitle}
        actions={actions}
      >
        {isFiltered ? texts.noMatchNext : texts.noCallsNext}
      </EmptyState>
    </Card>
  );
}
