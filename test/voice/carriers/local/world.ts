import assert from 'node:assert/strict';
import { Carrier, type CarrierOptions } from '../../../../src/voice/carriers/local/carrier.ts';
import type { Leg } from '../../../../src/voice/carriers/local/leg.ts';
import type { MediaSocketEvents, WebhookRequest, WebhookResponse } from '../../../../src/voice/carriers/local/ports.ts';
import { type RestResponse, serveRest } from '../../../../src/voice/carriers/local/rest.ts';
import { VirtualClock } from '../../../../src/voice/clock.ts';

export const accountSid = `AC${'1'.repeat(32)}`;
export const authToken = 'a-secret-token';
export const apiKey = { sid: `SK${'2'.repeat(32)}`, secret: 'a-secret-of-a-key' };
export const number = '+99911234567';
/** 2026-11-18T00:00:00Z. */
export const midnight = 1_794_960_000_000;

export interface SentWebhook {
  readonly request: WebhookRequest;
  readonly parameters: Record<string, string>;
  readonly atMs: number;
}

export interface Message {
  readonly event: string;
  readonly atMs: number;
  // biome-ignore lint/suspicious/noExplicitAny: messages have many shapes, and tests read one field of them.
  readonly [field: string]: any;
}

/** The server's side of a media socket. */
export class ServerSocket {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: MediaSocketEvents;
  readonly messages: Message[] = [];
  isClosed = false;
  isCut = false;

  constructor(url: string, headers: Readonly<Record<string, string>>, events: MediaSocketEvents) {
    this.url = url;
    this.headers = headers;
    this.events = events;
  }

  of(event: string): Message[] {
    return this.messages.filter((message) => message.event === event);
  }

  send(message: Record<string, unknown>): void {
    this.events.message(JSON.stringify({ streamSid: this.of('start')[0]?.streamSid, ...message }));
  }

  media(bytes: Uint8Array): void {
    this.send({ event: 'media', media: { payload: Buffer.from(bytes).toString('base64') } });
  }

  mark(name: string): void {
    this.send({ event: 'mark', mark: { name } });
  }

  clear(): void {
    this.send({ event: 'clear' });
  }

  marks(): [name: string, atMs: number][] {
    return this.of('mark').map(({ mark, atMs }) => [mark.name, atMs]);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.events.closed(false);
  }
}

type Answer = (webhook: SentWebhook) => string | WebhookResponse | Promise<WebhookResponse>;

/** A carrier in virtual time, and the server that it calls. */
export class World {
  readonly clock = new VirtualClock();
  readonly webhooks: SentWebhook[] = [];
  readonly sockets: ServerSocket[] = [];
  readonly carrier: Carrier;
  /** Documents by path; a path without one gets an empty 200. */
  readonly documents: Record<string, Answer> = {};

  constructor(options: Partial<CarrierOptions> = {}) {
    this.carrier = new Carrier({
      clock: this.clock,
      now: () => midnight + this.clock.now(),
      sendWebhook: (request) => this.#answer(request),
      openSocket: (url, headers, events) => this.#open(url, headers, events),
      recordedMs: 120_000,
      ...options,
    });
    this.carrier.addAccount({ accountSid, authToken, apiKeys: [apiKey], numbersOnDemand: true });
  }

  /** Runs everything that is due, one timer after the other, each with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    await settled();
    while (this.clock.runNext(until)) await settled();
    this.clock.advance(until - this.clock.now());
    await settled();
  }

  async rest(method: string, path: string, form: Record<string, string | string[]> = {}): Promise<RestResponse | null> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) for (const each of [value].flat()) body.append(name, each);
    const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    return serveRest(this.carrier, {
      method,
      path: `/2010-04-01/Accounts/${accountSid}${path}`,
      authorization,
      body: body.toString(),
    });
  }

  /** Dials a phone by request; its answer document is at `/answer`. */
  async dial(to: string, form: Record<string, string | string[]> = {}): Promise<Leg> {
    const response = await this.rest('POST', '/Calls.json', {
      To: to,
      From: number,
      Url: 'http://service.test/answer',
      StatusCallback: 'http://service.test/status',
      StatusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      ...form,
    });
    assert.ok(response?.status === 201, JSON.stringify(response));
    return this.carrier.leg((response.body as { sid: string }).sid) as Leg;
  }

  /** The parameters of the webhooks to a path. */
  sent(path: string): Record<string, string>[] {
    return this.webhooks.filter(({ request }) => pathOf(request.url) === path).map(({ parameters }) => parameters);
  }

  statuses(): (string | undefined)[] {
    return this.sent('/status').map(({ CallStatus }) => CallStatus);
  }

  get socket(): ServerSocket {
    const socket = this.sockets.at(-1);
    assert.ok(socket !== undefined, 'no media socket was opened');
    return socket;
  }

  async #answer(request: WebhookRequest): Promise<WebhookResponse> {
    const query = new URL(request.url).searchParams;
    const parameters = Object.fromEntries(request.body === null ? query : new URLSearchParams(request.body));
    const webhook = { request, parameters, atMs: this.clock.now() };
    this.webhooks.push(webhook);
    const answer = await (this.documents[pathOf(request.url)]?.(webhook) ?? '');
    return typeof answer === 'string' ? { status: 200, contentType: 'text/xml', body: answer } : answer;
  }

  #open(url: string, headers: Readonly<Record<string, string>>, events: MediaSocketEvents) {
    const socket = new ServerSocket(url, headers, events);
    this.sockets.push(socket);
    queueMicrotask(() => events.opened());
    return {
      send: (text: string) => void socket.messages.push({ ...JSON.parse(text), atMs: this.clock.now() }),
      close: () => {
        if (!socket.isClosed) queueMicrotask(() => events.closed(false));
        socket.isClosed = true;
      },
      cut: () => {
        queueMicrotask(() => events.closed(true));
        socket.isCut = true;
      },
    };
  }
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** All promises that can settle have. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
