import { NativeSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { StateConflictError, type Webhook } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { type Period, PeriodSelect, startOfPeriod } from '../../parts/period-select.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { maxCounted, type ReplayChoice, replayStatuses, useReplayCount } from './use-webhooks.ts';
import { webhookTexts } from './webhook-texts.ts';

const hourMs = 3_600_000;

/** Says how many events would be sent before any is. */
export function ReplayDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const notice = useNotice();
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const [period, setPeriod] = useState<Period>('day');
  const [choice, setChoice] = useState<ReplayChoice>('missed');
  const since = useMemo(() => sinceOf(period), [period]);
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
      <PeriodSelect label={texts.since} period={period} onPeriod={onPeriod} data-autofocus />
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

/** Events are kept for 30 days: the oldest would be gone before the replay starts. */
function sinceOf(period: Period): string {
  return new Date(startOfPeriod(period) + (period === 'month' ? hourMs : 0)).toISOString();
}

function isRunning(error: Error | null): boolean {
  return error instanceof StateConflictError && error.reason === 'replay_running';
}
