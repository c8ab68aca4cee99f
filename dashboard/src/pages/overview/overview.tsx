import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { Tile, Tiles } from '../../parts/tile.tsx';
import { useScope } from '../../session/use-session.ts';
import { healthOf } from '../webhooks/health.ts';
import { summariseCalls } from './call-summary.ts';
import { FirstRun } from './first-run.tsx';
import classes from './overview.module.css';
import { RecentCalls } from './recent-calls.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { overviewTexts } from './texts.ts';
import { useFirstRun } from './use-first-run.ts';
import { type NewestCalls, type Period, useNewestCalls, useSomeWebhooks } from './use-overview.ts';

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
  const { isAllowed } = useScope('calls:read');
  const { data, error, refetch } = useNewestCalls(period);
  if (isAllowed && data === undefined) {
    if (error === null) return <Skeletons />;
    return (
      <Card isFlush>
        <ErrorState error={error} onRetry={refetch} />
      </Card>
    );
  }
  return (
    <>
      <NumberTiles newest={data} />
      <ScopeGuard scope="calls:read">{data !== undefined && <RecentCalls calls={data.items} />}</ScopeGuard>
    </>
  );
}

/** Without the scope for calls, only what is known about webhooks. */
function NumberTiles({ newest }: { readonly newest: NewestCalls | undefined }) {
  const { format } = useLanguage();
  const texts = useTexts(overviewTexts);
  return (
    <>
      <Tiles>
        {newest !== undefined && <CallTiles newest={newest} />}
        <WebhookTile />
      </Tiles>
      {newest?.hasMore && (
        <Text size="xs" c="dimmed" className={classes.note as string}>
          {texts.newest(format.number(newest.items.length))}
        </Text>
      )}
    </>
  );
}

function CallTiles({ newest: { items, hasMore } }: { readonly newest: NewestCalls }) {
  const { format } = useLanguage();
  const texts = useTexts(overviewTexts);
  const { calls, failed, judged, successful, medianReplyMs } = summariseCalls(items);
  const count = format.number(calls);
  const failures = failed === 0 ? texts.noFailedCalls : texts.failedCalls(format.number(failed));
  return (
    <>
      <Tile
        label={texts.calls}
        href="/calls"
        value={hasMore ? texts.atLeast(count) : count}
        more={calls === 0 ? texts.noCalls : failures}
      />
      <Tile
        label={texts.success}
        value={judged === 0 ? '–' : format.share(Math.round((successful / judged) * 1000) / 1000)}
        more={judged === 0 ? texts.notJudged : texts.judged(format.number(successful), format.number(judged))}
      />
      <Tile
        label={texts.latency}
        value={medianReplyMs === null ? '–' : format.milliseconds(medianReplyMs)}
        more={medianReplyMs === null ? texts.notMeasured : texts.latencyHint}
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
