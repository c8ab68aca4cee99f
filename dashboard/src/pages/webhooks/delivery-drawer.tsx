import { Alert, Anchor, Drawer, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { WebhookDelivery } from '../../../../sdk/src/index.ts';
import { RotateIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dot } from '../../parts/dot.tsx';
import { describeError, ErrorState } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { JsonBlock } from '../../parts/json-block.tsx';
import { useNotice } from '../../parts/notice.ts';
import row from '../../parts/row.module.css';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { Attempts } from './attempts.tsx';
import { deliveryTones } from './health.ts';
import { useDelivery, useEvent } from './use-webhooks.ts';
import { webhookNames, webhookTexts } from './webhook-texts.ts';

interface DeliveryDrawerProps {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
}

/** What was sent, what came back, and when. */
export function DeliveryDrawer({ webhookId, deliveryId, onClose }: DeliveryDrawerProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(webhookTexts);
  const { data, error, refetch } = useDelivery(webhookId, deliveryId);
  useFocusReturn(true);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={data === undefined ? texts.delivery : data.eventType}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      {data === undefined ? (
        error === null ? (
          <RowSkeletons />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <Content delivery={data} onClose={onClose} />
      )}
    </Drawer>
  );
}

function Content({ delivery, onClose }: { readonly delivery: WebhookDelivery; readonly onClose: () => void }) {
  const texts = useTexts(webhookTexts);
  const names = useTexts(webhookNames);
  const { status, reason, trigger, id } = delivery;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Dot tone={deliveryTones[status]}>{names[status]}</Dot>
          <span className={row.quiet}>
            {[reason === null ? null : names[reason], trigger === 'event' ? null : names[trigger], id]
              .filter((part) => part !== null)
              .join(' · ')}
          </span>
        </div>
        <Resend delivery={delivery} onDone={onClose} />
      </Group>
      <section aria-label={texts.attempts}>
        <Text component="h3" fw={600} size="sm" mb="xs">
          {texts.attempts}
        </Text>
        <Attempts of={delivery} since={delivery.createdAt} />
      </section>
      <Request delivery={delivery} />
    </Stack>
  );
}

function Resend({ delivery, onDone }: { readonly delivery: WebhookDelivery; readonly onDone: () => void }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(webhookTexts);
  const notice = useNotice();
  const { webhooks } = useClient();
  const queryClient = useQueryClient();
  const resending = useSingleMutation({
    mutationFn: async () => await webhooks.deliveries.resend(delivery.webhookId, delivery.id),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      notice(texts.sentAgain);
      onDone();
    },
  });
  const { error, isPending, mutate } = resending;
  return (
    <Stack gap="xs" align="flex-end">
      <GuardedButton
        scope="webhooks:write"
        size="xs"
        variant="default"
        leftSection={<RotateIcon size={14} />}
        loading={isPending}
        onClick={() => mutate()}
      >
        {texts.sendAgain}
      </GuardedButton>
      {error !== null && (
        <Alert color="red" role="alert" py="xs">
          {describeError(error, shared).advice}
        </Alert>
      )}
    </Stack>
  );
}

/** The body without the transcript, which the list of events does not have. */
function Request({ delivery }: { readonly delivery: WebhookDelivery }) {
  const texts = useTexts(webhookTexts);
  const { data } = useEvent(delivery.eventId);
  if (data === undefined) return <RowSkeletons />;
  const body = data?.body ?? null;
  const subject = data?.subject.type === 'call' ? data.subject.id : null;
  return (
    <section aria-label={texts.request}>
      <Group justify="space-between" mb="xs">
        <Text component="h3" fw={600} size="sm">
          {texts.request}
        </Text>
        {body !== null && <CopyButton size="xs" value={JSON.stringify(body)} />}
      </Group>
      {subject !== null && (
        <Anchor component={Link} href={`/calls/${subject}`} size="xs" display="block" mb="xs">
          {subject}
        </Anchor>
      )}
      <Text size="xs" c="dimmed" mb="xs">
        {body === null ? texts.requestGone : `${texts.requestHeaders} ${texts.withTranscript}`}
      </Text>
      {body !== null && <JsonBlock value={body} label={texts.request} />}
    </section>
  );
}
