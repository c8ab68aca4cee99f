import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { FigureTiles } from '../../analytics/figure-tiles.tsx';
import type { Query } from '../../analytics/query.ts';
import { tileMetrics } from '../../analytics/reply-metrics.ts';
import { useFigures } from '../../analytics/use-figures.ts';
import { browserZone } from '../../analytics/zone.ts';
import { CallIcon } from '../../icons.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { useScope } from '../../session/use-session.ts';
import { finishedQuery, openQuery, readFilters } from '../calls/call-filters.ts';
import { useFinishedCalls, useOpenCalls } from '../calls/call-list.ts';
import { CallTable } from '../calls/call-table.tsx';
import classes from './agent-page.module.css';
import { useAgentTexts } from './texts.ts';

const shownCalls = 20;

/** The latest calls of an agent, the open ones first. */
export function AgentCalls({ agentId }: { readonly agentId: string }) {
  return (
    <ScopeGuard scope="calls:read">
      <Figures agentId={agentId} />
      <Latest agentId={agentId} />
    </ScopeGuard>
  );
}

/** The metrics of the last 30 days, compared with the 30 days before; all charts are one click away. */
function Figures({ agentId }: { readonly agentId: string }) {
  const texts = useAgentTexts();
  const { isAllowed } = useScope('analytics:read');
  const query: Query = {
    range: { last: '30d' },
    timeZone: browserZone(),
    compare: 'previous',
    filter: { field: 'agentId', op: 'eq', value: agentId },
    metrics: tileMetrics,
  };
  const totals = useFigures(query);
  if (!isAllowed) return null;
  return (
    <>
      <p className={classes.allCalls}>
        {texts.figuresPeriod}{' '}
        <Anchor component={Link} href={`/analytics?agentId=${agentId}`} size="sm" underline="always">
          {texts.figuresAll}
        </Anchor>
      </p>
      <FigureTiles query={query} totals={totals} />
    </>
  );
}

function Latest({ agentId }: { readonly agentId: string }) {
  const texts = useAgentTexts();
  const filters = readFilters(new URLSearchParams({ agentId }));
  const open = useOpenCalls(openQuery(filters));
  const finished = useFinishedCalls(finishedQuery(filters));
  if (open.isPending || finished.isPending) {
    return (
      <Card isFlush>
        <RowSkeletons />
      </Card>
    );
  }
  const calls = [...open.items, ...finished.items].slice(0, shownCalls);
  const error = finished.error ?? open.error;
  if (error !== null && calls.length === 0) {
    return <ErrorState error={error} onRetry={() => Promise.all([open.refetch(), finished.refetch()])} />;
  }
  if (calls.length === 0) {
    return (
      <Card isFlush>
        <EmptyState icon={<CallIcon />} title={texts.callsNone}>
          {texts.callsNoneNext}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <p className={classes.allCalls}>
        <Anchor component={Link} href={`/calls?agentId=${agentId}`} size="sm">
          {texts.callsAll}
        </Anchor>
      </p>
      <Card isFlush>
        <CallTable label={texts.callsLatest} calls={calls} />
      </Card>
    </>
  );
}
