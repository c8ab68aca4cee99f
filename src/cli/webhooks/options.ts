import type { ConnectionOptions } from '../connection/connection.ts';
import type { PageOptions } from '../resources/pages.ts';

/** The options of every command on webhooks and events. */
export interface WebhookCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export interface ListWebhooksOptions extends WebhookCommandOptions, PageOptions {
  readonly kind?: string;
  readonly status?: string;
  readonly agent?: string;
}

export interface WriteWebhookOptions extends WebhookCommandOptions {
  readonly url?: string;
  readonly events?: string;
  readonly agents?: string;
  readonly include?: string;
  readonly description?: string;
  readonly status?: string;
}

export interface ListDeliveriesOptions extends WebhookCommandOptions, PageOptions {
  readonly status?: string;
  readonly type?: string;
  readonly trigger?: string;
}

export interface ReplayOptions extends WebhookCommandOptions {
  readonly since: string;
  readonly until?: string;
  readonly statuses?: string;
  readonly types?: string;
}

export interface TailOptions extends WebhookCommandOptions {
  readonly type?: string;
  readonly since?: string;
  readonly cursor?: string;
}

export interface ListenOptions extends ConnectionOptions {
  readonly forward: string;
  readonly type?: string;
}
