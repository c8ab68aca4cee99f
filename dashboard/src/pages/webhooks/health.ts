import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts';
import type { Tone } from '../../parts/dot.tsx';

export type Health = 'healthy' | 'failing' | 'paused' | 'disabled' | 'idle';

export function healthOf({ status, failingSince, lastSuccessAt }: Webhook): Health {
  if (status !== 'active') return status;
  if (failingSince !== null) return 'failing';
  return lastSuccessAt === null ? 'idle' : 'healthy';
}

export const healthTones: Readonly<Record<Health, Tone>> = {
  healthy: 'good',
  failing: 'bad',
  paused: 'quiet',
  disabled: 'bad',
  idle: 'quiet',
};

export const deliveryTones: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  pending: 'warn',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'quiet',
};

/** How many of the deliveries that have ended were received; null if none has. Tests do not count. */
export function successRate(deliveries: readonly WebhookDelivery[]): number | null {
  const ended = deliveries.filter(({ status, trigger }) => isEnded(status) && trigger !== 'test');
  if (ended.length === 0) return null;
  return ended.filter(({ status }) => status === 'succeeded').length / ended.length;
}

export function isEnded(status: WebhookDelivery['status']): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** Deliveries of each event whose last one ended in one of these ways: what a replay would send. */
export function eventsToReplay(
  newestFirst: readonly WebhookDelivery[],
  statuses: readonly WebhookDelivery['status'][],
): number {
  const last = new Map<string, WebhookDelivery['status']>();
  for (const { eventId, status, trigger } of newestFirst) {
    if (trigger !== 'test' && !last.has(eventId)) last.set(eventId, status);
  }
  return [...last.values()].filter((status) => statuses.includes(status)).length;
}

/** An agent whose requests to tools are signed has a webhook for its secret. Without a URL it sends nothing. */
export function hasUrl({ url }: Webhook): boolean {
  return url !== null;
}
