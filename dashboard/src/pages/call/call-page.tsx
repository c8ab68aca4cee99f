import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Call, NotFoundError } from '../../../../sdk/src/index.ts';
import { isOpen, isRehearsed } from '../../calls/call.ts';
import { WarningIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { JsonBlock } from '../../parts/json-block.tsx';
import { PendingPage } from '../../parts/resource-state.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { ViewTabs } from '../../parts/view-tabs.tsx';
import { AnalysisView } from './analysis/analysis-view.tsx';
import { analysisTexts } from './analysis/texts.ts';
import classes from './call.module.css';
import { CallDeliveries } from './call-deliveries.tsx';
import { useCallEvents } from './call-events.ts';
import { CallHeader } from './call-header.tsx';
import { CallResults } from './call-results.tsx';
import { CallRuns } from './call-runs.tsx';
import { Details } from './details.tsx';
import { EventTable } from './event-table.tsx';
import { PhoneFacts } from './phone-facts.tsx';
import { ReplyTimes } from './reply-times.tsx';
import { callPageTexts } from './texts.ts';
import { TranscriptView } from './transcript-view.tsx';
import { useCall, useTranscript } from './use-call.ts';

export function CallPage({ id }: { readonly id: string }) {
  return (
    <ScopeGuard scope="calls:read">
      <Loader id={id} />
    </ScopeGuard>
  );
}

function Loader({ id }: { readonly id: string }) {
  const texts = useTexts(callPageTexts);
  const { data, error, refetch } = useCall(id);
  if (data === undefined || error instanceof NotFoundError) {
    const list = { href: '/calls', name: texts.toCalls };
    return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
  }
  // Another setting has removed content: nothing that was read before stays on the page.
  return <Loaded key={data.dataStorageSetting} call={data} />;
}

function Loaded({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  const queryClient = useQueryClient();
  const isFollowed = isOpen(call);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['call', call.id], exact: true });
  const events = useCallEvents(call.id, isFollowed, refresh);
  const { transcript, error, refetch } = useTranscript(call, events.events);
  const turns = transcript?.kind === 'turns' ? transcript.turns : null;
  const notApplied = call.notApplied.length === 0 ? '' : ` (${call.notApplied.length})`;
  const views = {
    transcript: {
      title: texts.tabTranscript,
      content: () => (
        <div className={classes.beside}>
          <div>
            <TranscriptView call={call} transcript={transcript} error={error} onRetry={refetch} />
          </div>
          <CallResults call={call} />
        </div>
      ),
    },
    analysis: { title: useTexts(analysisTexts).tab, content: () => <AnalysisView call={call} turns={turns} /> },
    replies: { title: texts.tabReplies, content: () => <ReplyTimes call={call} turns={turns} /> },
    events: { title: texts.tabEvents, content: () => <EventTable events={events} /> },
    deliveries: { title: texts.tabDeliveries, content: () => <CallDeliveries callId={call.id} /> },
    workflows: { title: texts.tabWorkflows, content: () => <CallRuns callId={call.id} /> },
    details: { title: `${texts.tabDetails}${notApplied}`, content: () => <Details call={call} /> },
    json: {
      title: texts.tabJson,
      content: () => (
        <Card title={texts.tabJson} actions={<CopyButton size="xs" value={JSON.stringify(call, null, 2)} />}>
          <JsonBlock value={call} label={texts.tabJson} isWhole />
        </Card>
      ),
    },
  };
  return (
    <>
      <CallHeader call={call} />
      {call.type === 'phone' && <PhoneFacts call={call} events={events} />}
      {isFollowed && (
        <p className={classes.following} role="status">
          {events.error === null ? texts.following : texts.reconnecting}
        </p>
      )}
      {isRehearsed(call) && (
        <Alert variant="default" icon={<WarningIcon />} mb="md" py="xs">
          {texts.rehearsal}
        </Alert>
      )}
      <ViewTabs label={texts.tabs} views={views} />
    </>
  );
}
