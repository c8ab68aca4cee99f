import type { TestWebhook } from '../../../sdk/src/index.ts';

export type EventType = NonNullable<TestWebhook['type']>;

/** The catalog of the service; the compiler checks that it is complete. */
const all: Readonly<Record<EventType, true>> = {
  call_started: true,
  call_ended: true,
  call_analyzed: true,
  call_deleted: true,
  agent_published: true,
  webhook_disabled: true,
  webhook_test: true,
};

export const eventTypes = Object.keys(all) as readonly EventType[];
/** Tests are sent to one webhook only, whatever it subscribes to. */
export const subscribedTypes = eventTypes.filter((type) => type !== 'webhook_test');
