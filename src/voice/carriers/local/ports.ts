/** What the carrier needs of the outside: tests pass functions of their own, and no network is used. */

export interface WebhookRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Null for GET. */
  readonly body: string | null;
}

export interface WebhookResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Rejects if there was no response; with `ConnectionFailed` if nothing was sent. */
export type SendWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookResponse>;

export class ConnectionFailed extends Error {}

export interface MediaSocketEvents {
  opened(): void;
  message(text: string): void;
  /** Once, also if it was never open. `hasFailed`: no close frame came. */
  closed(hasFailed: boolean): void;
}

export interface MediaSocket {
  send(text: string): void;
  close(): void;
  /** Without a close frame, like a broken network. */
  cut(): void;
}

export type OpenMediaSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
  events: MediaSocketEvents,
) => MediaSocket;
