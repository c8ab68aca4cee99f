import type { Clock } from '../../clock.ts';
import type { Faults, WebhookKind } from './faults.ts';
import { signatureOf } from './formats.ts';
import { ConnectionFailed, type SendWebhook, type WebhookRequest, type WebhookResponse } from './ports.ts';
import { DocumentError, maxDocumentBytes } from './twiml.ts';
import { pause, within } from './waiting.ts';

/** How long Twilio waits for a response. */
const timeoutMs = 15_000;
const defaultLateMs = 1000;
/** A webhook that waits for the next one of its call is sent after this time, if there is none. */
const maxReversedMs = 5000;

/** The call that a webhook is about. */
export interface WebhookSubject {
  readonly sid: string;
  readonly to: string;
  readonly status: string;
  readonly account: { readonly options: { readonly authToken: string } };
}

export interface Webhook {
  readonly kind: WebhookKind;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly parameters: Readonly<Record<string, string>>;
}

export interface WebhooksOptions {
  readonly clock: Clock;
  readonly send: SendWebhook;
  readonly faults: Faults;
  /** Aborted when the carrier closes. */
  readonly signal: AbortSignal;
}

/** Signed requests to the owner of the account, with Twilio's timeout. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  /** The reports of each call are sent in order: the end of its last one. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #reversed = new Map<string, () => Promise<void>>();

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** A report whose response does not matter. */
  report(subject: WebhookSubject, webhook: Webhook): void {
    if (this.#options.signal.aborted) return;
    const before = this.#last.get(subject.sid) ?? Promise.resolve();
    const sent = before.then(() => this.#report(subject, webhook)).catch(() => {});
    this.#last.set(subject.sid, sent);
    void sent.then(() => {
      if (this.#last.get(subject.sid) === sent) this.#last.delete(subject.sid);
    });
  }

  /** Requests a document. Throws a `DocumentError` if there is none. */
  async document(subject: WebhookSubject, webhook: Webhook): Promise<WebhookResponse> {
    const response = await this.#documentResponse(subject, webhook);
    if (response === null) throw new DocumentError(11_205, 'The server did not respond.');
    if (response.status < 200 || response.status >= 300) {
      throw new DocumentError(11_200, `The server responded with HTTP ${response.status}.`);
    }
    if (Buffer.byteLength(response.body) > maxDocumentBytes)
      throw new DocumentError(11_750, 'The document is too long.');
    return response;
  }

  async #documentResponse(subject: WebhookSubject, webhook: Webhook): Promise<WebhookResponse | null> {
    const { clock, signal } = this.#options;
    const fault = this.#fault(subject, webhook);
    if (fault?.kind === 'missing') return null;
    if (fault?.kind === 'late') await pause(clock, fault.ms ?? defaultLateMs, signal);
    const response = await this.#send(subject, webhook, fault?.kind === 'badly_signed');
    if (fault?.kind === 'twice') await this.#send(subject, webhook, false);
    return response;
  }

  async #report(subject: WebhookSubject, webhook: Webhook): Promise<void> {
    const { clock, signal } = this.#options;
    const fault = this.#fault(subject, webhook);
    const send = async (isBadlySigned = false): Promise<void> => {
      await this.#send(subject, webhook, isBadlySigned);
    };
    switch (fault?.kind) {
      case 'missing':
        break;
      case 'late':
        // The next ones overtake it.
        void pause(clock, fault.ms ?? defaultLateMs, signal).then(
          () => send(),
          () => {},
        );
        break;
      case 'reversed':
        this.#hold(subject.sid, send);
        return;
      case 'twice':
        await send();
        await send();
        break;
      default:
        await send(fault?.kind === 'badly_signed');
    }
    await this.#release(subject.sid);
  }

  #hold(sid: string, send: () => Promise<void>): void {
    this.#reversed.set(sid, send);
    const { clock, signal } = this.#options;
    void pause(clock, maxReversedMs, signal).then(
      () => this.#release(sid),
      () => {},
    );
  }

  async #release(sid: string): Promise<void> {
    const waiting = this.#reversed.get(sid);
    this.#reversed.delete(sid);
    await waiting?.();
  }

  #fault(subject: WebhookSubject, { kind, parameters }: Webhook) {
    const callStatus = parameters.CallStatus ?? subject.status;
    return this.#options.faults.ofWebhook({ callSid: subject.sid, to: subject.to, webhook: kind, callStatus });
  }

  /** Null if there was no response. Twilio tries again once, if it could not connect. */
  async #send(subject: WebhookSubject, webhook: Webhook, isBadlySigned: boolean): Promise<WebhookResponse | null> {
    const request = requestOf(subject, webhook, isBadlySigned);
    const first = await this.#attempt(request);
    const response = first === 'not_connected' ? await this.#attempt(request) : first;
    return response === 'not_connected' ? null : response;
  }

  async #attempt(request: WebhookRequest): Promise<WebhookResponse | null | 'not_connected'> {
    if (this.#options.signal.aborted) return null;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    this.#options.signal.addEventListener('abort', abort);
    try {
      const sent = this.#options.send(request, controller.signal);
      // The response to an aborted request does not matter.
      sent.catch(() => {});
      return await within(this.#options.clock, timeoutMs, sent, null);
    } catch (error) {
      return error instanceof ConnectionFailed ? 'not_connected' : null;
    } finally {
      this.#options.signal.removeEventListener('abort', abort);
      abort();
    }
  }
}

function requestOf(subject: WebhookSubject, webhook: Webhook, isBadlySigned: boolean): WebhookRequest {
  const { authToken } = subject.account.options;
  const form = new URLSearchParams(webhook.parameters).toString();
  const isGet = webhook.method === 'GET';
  const url = isGet ? `${webhook.url}${webhook.url.includes('?') ? '&' : '?'}${form}` : webhook.url;
  const secret = isBadlySigned ? `${authToken}-of-another-account` : authToken;
  return {
    url,
    method: webhook.method,
    headers: {
      'x-twilio-signature': signatureOf(secret, url, isGet ? {} : webhook.parameters),
      'user-agent': 'TwilioProxy/1.1',
      accept: '*/*',
      ...(isGet ? {} : { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }),
    },
    body: isGet ? null : form,
  };
}
