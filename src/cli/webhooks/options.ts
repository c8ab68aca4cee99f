import type { CommandOptions, ConnectionOptions } from '../connection/connection.ts';

export interface WriteWebhookOptions extends CommandOptions {
  readonly url?: string;
  readonly events?: string;
  readonly agents?: string;
  readonly include?: string;
  readonly description?: string;
  readonly status?: string;
}

export interface ReplayOptions extends CommandOptions {
  readonly since: string;
  readonly until?: string;
  readonly statuses?: string;
  readonly types?: string;
}

export interface TailOptions extends CommandOptions {
  readonly type?: string;
  readonly since?: string;
  readonly cursor?: string;
}

export interface ListenOptions extends ConnectionOptions {
  readonly forward: string;
  readonly type?: string;
}
