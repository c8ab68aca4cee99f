import { NativeSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { StateConflictError, type Webhook } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { maxCounted, type ReplayChoice, replayStatuses, useReplayCount } from './use-webhooks.ts';
import { webhookTexts } from './webhook-texts.ts';

const hourMs = 3_600_000;
/** A little less than the 30 days that events are kept. */
const periods = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs - hourMs } as const;
type Period = keyof typeof periods;

/** Says how many events would be sent before any is. */
export function ReplayDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const notice = useNotice();
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const [period, setPeriod] = useState<Period>('day');
  const [choice, setChoice] = useState<ReplayChoice>('missed');
  const since = useMemo(() => new Date(Date.now() - periods[period]).toISOString(), [period]);
  const { data: count, error: countError } = useReplayCount(webhook, since, choice);
  const statuses = choice === 'all' ? 'all' : replayStatuses[choice];
  const replaying = useSingleMutation({
    mutationFn: async () => await webhooks.replay(webhook.id, { since, statuses }),
    onSuccess: ({ matched }) => {
      queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      notice(texts.replayStarted(format.number(matched)));
      onClose();
    },
  });
  const error = replaying.error ?? countError;
  return (
    <ActionDialog
      title={texts.replay}
      confirm={texts.replayStart}
      isBarred={count === undefined || count === 0}
      action={{ isPending: replaying.isPending, error }}
      explanation={isRunning(error) ? texts.replayRunning : undefined}
      onConfirm={replaying.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.replayText}</Text>
      <Choices period={period} onPeriod={setPeriod} choice={choice} onChoice={setChoice} />
      <Text size="sm" fw={600} role="status">
        {count === undefined
          ? texts.counting
          : count === 0
            ? texts.countNone
            : count > maxCounted
              ? texts.countMore(format.number(maxCounted))
              : texts.count(format.number(count))}
      </Text>
    </ActionDialog>
  );
}

interface ChoicesProps {
  readonly period: Period;
  readonly onPeriod: (period: Period) => void;
  readonly choice: ReplayChoice;
  readonly onChoice: (choice: ReplayChoice) => void;
}

function Choices({ period, onPeriod, choice, onChoice }: ChoicesProps) {
  const texts = useTexts(webhookTexts);
  return (
    <>
      <NativeSelect
        label={texts.since}
        data={[
          { value: 'hour', label: texts.sinceHour },
          { value: 'day', label: texts.sinceDay },
          { value: 'week', label: texts.sinceWeek },
          { value: 'month', label: texts.sinceMonth },
        ]}
        value={period}
        onChange={({ currentTarget: { value } }) => onPeriod(value as Period)}
        data-autofocus
      />
      <NativeSelect
        label={texts.which}
        data={[
          { value: 'missed', label: texts.whichMissed },
          { value: 'failed', label: texts.whichFailed },
          { value: 'skipped', label: texts.whichSkipped },
          { value: 'all', label: texts.whichAll },
        ]}
        value={choice}
        onChange={({ currentTarget: { value } }) => onChoice(value as ReplayChoice)}
      />
    </>
  );
}

function isRunning(error: Error | null): boolean {
  return error instanceof StateConflictError && error.reason === 'replay_running';
}
