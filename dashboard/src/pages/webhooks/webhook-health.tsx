import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Dot } from '../../parts/dot.tsx';
import { deliveryTones, healthOf, healthTones, isEnded, successRate } from './health.ts';
import { useRecentDeliveries } from './use-webhooks.ts';
import { webhookNames, webhookTexts } from './webhook-texts.ts';
import classes from './webhooks.module.css';

export function HealthDot({ webhook }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhookTexts);
  const health = healthOf(webhook);
  return <Dot tone={healthTones[health]}>{texts[health]}</Dot>;
}

/** Whether events arrive, at a glance. */
export function WebhookHealth({ webhook }: { readonly webhook: Webhook }) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const { data = [] } = useRecentDeliveries(webhook.id);
  const rate = successRate(data);
  const ended = data.filter(({ status, trigger }) => isEnded(status) && trigger !== 'test');
  const waiting = data.filter(({ status }) => status === 'pending').length;
  const { lastSuccessAt, lastFailureAt, failingSince } = webhook;
  const never = texts.never;
  return (
    <>
      <Inactive webhook={webhook} />
      <dl className={classes.tiles}>
        <Tile label={texts.successRate}>
          {rate === null ? '—' : format.share(rate)}
          {rate !== null && <span className={classes.note}>{texts.successRateOf(format.number(ended.length))}</span>}
        </Tile>
        <Tile label={texts.lastSuccess}>{lastSuccessAt === null ? never : <Ago at={lastSuccessAt} />}</Tile>
        <Tile label={texts.lastFailure}>{lastFailureAt === null ? never : <Ago at={lastFailureAt} />}</Tile>
        <Tile label={texts.failingSince}>{failingSince === null ? texts.no : <Ago at={failingSince} />}</Tile>
        <Tile label={texts.waiting}>{format.number(waiting)}</Tile>
      </dl>
      <RecentBar webhookId={webhook.id} />
    </>
  );
}

/** One line per delivery, the newest at the end. The numbers above say the same. */
function RecentBar({ webhookId }: { readonly webhookId: string }) {
  const { format } = useLanguage();
  const names = useTexts(webhookNames);
  const { data = [] } = useRecentDeliveries(webhookId);
  if (data.length === 0) return null;
  return (
    <div className={classes.bar} aria-hidden>
      {data.toReversed().map(({ id, status, createdAt }) => (
        <span key={id} data-tone={deliveryTones[status]} title={`${format.dateTime(createdAt)}: ${names[status]}`} />
      ))}
    </div>
  );
}

function Inactive({ webhook: { status, disabledReason } }: { readonly webhook: Webhook }) {
  const texts = useTexts(webhookTexts);
  if (status === 'active') return null;
  const reasons = { failing: texts.disabledFailing, gone: texts.disabledGone, by_user: texts.disabledByUser };
  const text = status === 'paused' ? texts.pausedText : reasons[disabledReason ?? 'by_user'];
  return (
    <Alert color={status === 'paused' ? 'gray' : 'orange'} title={texts[status]} mb="md">
      {text}
    </Alert>
  );
}

function Tile({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={classes.tile}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
