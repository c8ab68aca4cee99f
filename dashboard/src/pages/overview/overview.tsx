import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import type { Result } from '../../analytics/query.ts';
import { useFigures } from '../../analytics/use-figures.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { Tile, Tiles } from '../../parts/tile.tsx';
import { useScope } from '../../session/use-session.ts';
import { healthOf as healthOfWorkflow, isFailing } from '../../workflows/health.ts';
import { useRecentRuns, useWorkflowList } from '../../workflows/runs/use-runs.ts';
import { healthOf } from '../webhooks/health.ts';
import { FirstRun } from './first-run.tsx';
import classes from './overview.module.css';
import { overviewQuery, type Period, summaryOf } from './overview-query.ts';
import { RecentCalls } from './recent-calls.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { overviewTexts } from './texts.ts';
import { useFirstRun } from './use-first-run.ts';
import { refreshMs, useNewestCalls, useSomeWebhooks } from './use-overview.ts';

export function Overview() {
  const own = useTexts(overviewTexts);
  const [period, setPeriod] = useState<Period>('day');
  const firstRun = useFirstRun();
  const choice = (
    <SegmentedControl
      aria-label={own.period}
      value={period}
      onChange={(value) => setPeriod(value as Period)}
      data={[
        { value: 'day', label: own.day },
        { value: 'week', label: own.week },
      ]}
    />
  );
  // Until something has happened, there is nothing to show in numbers.
  const hasNumbers = firstRun.state === 'hidden' || (firstRun.state === 'shown' && firstRun.hasCalls);
  return (
    <>
      <PageHeader description={own.description} actions={hasNumbers ? choice : undefined} />
      {firstRun.state === 'loading' && <Skeletons />}
      {firstRun.state === 'shown' && <FirstRun firstRun={firstRun} />}
      {hasNumbers && <Numbers period={period} />}
      <RecentChanges />
    </>
  );
}

function Numbers({ period }: { readonly period: Period }) {
  const { isAllowed, reason } = useScope('analytics:read');
  const figures = useFigures(overviewQuery(period), { refetchInterval: refreshMs });
  if (isAllowed && figures.data === undefined && figures.error === null) return <Skeletons />;
  return (
    <>
      {figures.data === undefined && figures.error !== null && (
        <Card isFlush>
          <ErrorState error={figures.error} onRetry={figures.refetch} />
        </Card>
      )}
      <Tiles>
        {figures.data !== undefined && <CallTiles result={figures.data} period={period} />}
        <WebhookTile />
        <WorkflowTile />
      </Tiles>
      {!isAllowed && (
        <Text size="xs" c="dimmed" className={classes.note as string}>
          {reason}
        </Text>
      )}
      <ScopeGuard scope="calls:read">
        <Newest />
      </ScopeGuard>
    </>
  );
}

function Newest() {
  const { data, error, refetch } = useNewestCalls();
  if (data !== undefined) return <RecentCalls calls={data} />;
  return <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />}</Card>;
}

/** Each leads to the figures of the same period. */
function CallTiles({ result, period }: { readonly result: Result; readonly period: Period }) {
  const { format } = useLanguage();
  const texts = useTexts(overviewTexts);
  const { calls, failed, judged, successful, successRate, spokenReplyMs, chatReplyMs } = summaryOf(result);
  const failures = failed === 0 ? texts.noFailedCalls : texts.failedCalls(format.number(failed));
  const href = `/analytics?period=${period === 'day' ? '24h' : '7d'}`;
  return (
    <>
      <Tile
        label={texts.calls}
        href={href}
        value={format.number(calls)}
        more={calls === 0 ? texts.noCalls : failures}
      />
      <Tile
        label={texts.success}
        href={href}
        value={successRate === null ? '–' : format.share(Math.round(successRate * 1000) / 1000)}
        more={judged === 0 ? texts.notJudged : texts.judged(format.number(successful), format.number(judged))}
      />
      <Tile
        label={texts.latency}
        href={href}
        value={spokenReplyMs === null ? '–' : format.milliseconds(spokenReplyMs)}
        more={chatReplyMs === null ? texts.latencyHint : texts.chatLatency(format.milliseconds(chatReplyMs))}
      />
    </>
  );
}

function WebhookTile() {
  const { format } = useLanguage();
  const texts = useTexts(overviewTexts);
  const { data } = useSomeWebhooks();
  if (data === undefined) return null;
  const failing = data.filter((webhook) => {
    const health = healthOf(webhook);
    return health === 'failing' || (health === 'disabled' && webhook.disabledReason !== 'by_user');
  });
  return (
    <Tile
      label={texts.webhooks}
      href="/webhooks"
      value={format.number(failing.length)}
      tone={failing.length > 0 ? 'bad' : undefined}
      more={data.length === 0 ? texts.noWebhooks : texts.ofWebhooks(format.number(data.length))}
    />
  );
}

/** Those that fail, and those that were disabled because they did. */
function WorkflowTile() {
  const { format } = useLanguage();
  const texts = useTexts(overviewTexts);
  const { data: workflows } = useWorkflowList();
  const { data: runs } = useRecentRuns();
  if (workflows === undefined || runs === undefined || workflows.length === 0) return null;
  const health = workflows.map((workflow) => healthOfWorkflow(workflow, runs));
  const failing = health.filter(isFailing).length;
  const disabled = health.filter((each) => each === 'disabled' || each === 'disabled_failing').length;
  return (
    <Tile
      label={texts.workflows}
      href="/workflows"
      value={format.number(failing)}
      tone={failing > 0 ? 'bad' : undefined}
      more={
        disabled === 0
          ? texts.ofWorkflows(format.number(workflows.length))
          : texts.disabledOf(format.number(disabled), format.number(workflows.length))
      }
    />
  );
}

/** As large as the content that replaces it, to avoid layout shifts. */
function Skeletons() {
  const { texts } = useLanguage();
  return (
    <div aria-busy="true">
      <span className="visually-hidden" role="status">
        {texts.loading}
      </span>
      <Tiles>
        {['calls', 'success', 'latency', 'webhooks'].map((name) => (
          <Skeleton key={name} height={104} radius="lg" />
        ))}
      </Tiles>
    </div>
  );
}
