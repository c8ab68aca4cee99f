import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Turn } from '../../../src/contract/turn.ts';
import { type Call, type CallEvent, newCall, newEvent, newTurn } from './sample-calls.ts';

/** What the agent does with a message. */
export interface Script {
  readonly deltas?: readonly string[];
  readonly turns?: readonly Partial<Turn>[];
  readonly status?: Call['status'];
  readonly failure?: { readonly code: string; readonly status: number; readonly details?: object };
  /** The stream waits for this before its last event. */
  readonly until?: Promise<void>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/**
 * The operations on calls that the dashboard uses, with what a test wants them to say. A server and not a fulfilled
 * route, so that replies arrive in pieces and a request for events can wait.
 */
export class CallServer {
  readonly asked: Asked[] = [];
  readonly calls: Call[] = [];
  readonly events = new Map<string, CallEvent[]>();
  readonly turns = new Map<string, Turn[]>();
  /** One for each message, in order. */
  readonly scripts: Script[] = [];
  /** The next calls.create fails with it. */
  refusal: Script['failure'] | undefined;
  template: Partial<Call> = {};
  #wake: (() => void)[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<CallServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const self = new CallServer(server);
    server.on('request', (request, response) => self.#serve(request, response));
    return self;
  }

  /** Answers the requests of a page for calls. */
  async join(page: Page): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await page.route(/\/api\/v1\/calls(\/|\?|$)/, (route) => {
      const { pathname, search } = new URL(route.request().url());
      return route.continue({ url: `http://127.0.0.1:${port}${pathname}${search}` });
    });
  }

  add(fields: Partial<Call> = {}, turns: readonly Partial<Turn>[] = []): Call {
    const call = newCall(this.calls.length, fields);
    this.calls.unshift(call);
    const all = turns.map((turn, index) => newTurn({ ...turn, index }));
    this.turns.set(call.id, all);
    this.events.set(call.id, []);
    this.tell(call.id, 'state_changed', { from: null, to: 'registered', endReason: null });
    for (const turn of all) this.tell(call.id, 'turn_completed', { turn });
    return call;
  }

  /** Adds an event, and answers those who wait for it. */
  tell(id: string, type: string, data: object): void {
    const list = this.events.get(id) ?? [];
    this.events.set(id, [...list, newEvent(id, list.length + 1, type, data)]);
    for (const wake of this.#wake.splice(0)) wake();
  }

  end(id: string, endReason: string): Call {
    const call = this.#find(id) as Call;
    if (call.endReason !== null) return call;
    const endedAt = new Date().toISOString();
    Object.assign(call, { status: 'ended', endReason, endedAt, durationMs: 21_000 });
    if (call.transcriptStatus === 'live') Object.assign(call, { transcriptStatus: 'available' });
    this.tell(id, 'state_changed', { from: 'ongoing', to: 'ended', endReason });
    return call;
  }

  count(method: string, ending: string): number {
    return this.asked.filter((one) => one.method === method && one.path.endsWith(ending)).length;
  }

  close(): void {
    for (const wake of this.#wake.splice(0)) wake();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #find(id: string | undefined): Call | undefined {
    return this.calls.find((call) => call.id === id);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const text = (await request.toArray()).join('');
    const { method = 'GET', headers } = request;
    const asked = { method, path: url.pathname, query: url.searchParams, headers, body: text ? JSON.parse(text) : {} };
    this.asked.push(asked);
    const [, , , , id, operation] = url.pathname.split('/');
    if (id === undefined) return method === 'POST' ? this.#create(asked, response) : this.#list(asked, response);
    const call = this.#find(id);
    if (call === undefined) return fail(response, 404, 'NOT_FOUND');
    if (operation === 'messages') return await this.#reply(call, asked, response);
    if (operation === 'events') return await this.#eventsOf(call, asked, response);
    if (operation === 'end') {
      return send(response, 200, this.end(id, 'api_end'));
    }
    if (operation === 'transcript') {
      const { transcriptStatus: reason } = call;
      if (reason === 'not_stored' || reason === 'deleted') return fail(response, 404, 'NOT_FOUND', { reason });
      return send(response, 200, { callId: id, status: reason, language: 'en', turns: this.turns.get(id) });
    }
    if (operation === 'redact') {
      const isAll = asked.body.to === 'basic_attributes_only';
      Object.assign(call, { dataStorageSetting: asked.body.to }, isAll && { transcriptStatus: 'deleted' });
      return send(response, 200, call);
    }
    if (method === 'DELETE') {
      this.calls.splice(this.calls.indexOf(call), 1);
      return send(response, 200, { id, deleted: true });
    }
    send(response, 200, call);
  }

  #create(asked: Asked, response: ServerResponse): void {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal !== undefined) {
      fail(response, refusal.status, refusal.code, refusal.details);
      return;
    }
    const { agentId, agentVersion } = asked.body as { agentId: string; agentVersion: string };
    const isDraft = agentVersion === 'latest';
    const call = this.add({ agentId, isDraft, status: 'ongoing', ...this.template });
    send(response, 201, call);
  }

  #list({ query }: Asked, response: ServerResponse): void {
    const cursor = query.get('cursor');
    const [filters, start] = cursor === null ? [query, 0] : readCursor(cursor);
    const limit = Number(query.get('limit') ?? 50);
    const found = this.calls.filter((call) => matches(call, filters));
    const end = start + limit;
    const nextCursor = end < found.length ? writeCursor(filters, end) : null;
    send(response, 200, { items: found.slice(start, end), pagination: { nextCursor } });
  }

  async #eventsOf(call: Call, { query }: Asked, response: ServerResponse): Promise<void> {
    const start = Number(query.get('cursor') ?? 0);
    const isOver = () => call.endReason !== null;
    const wait = Number(query.get('waitSeconds') ?? 0);
    if ((this.events.get(call.id)?.length ?? 0) <= start && wait > 0 && !isOver()) {
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    const items = (this.events.get(call.id) ?? []).slice(start, start + Number(query.get('limit') ?? 50));
    const end = start + items.length;
    const isLast = isOver() && end === this.events.get(call.id)?.length;
    send(response, 200, { items, pagination: { nextCursor: isLast ? null : String(end) } });
  }

  async #reply(call: Call, { body }: Asked, response: ServerResponse): Promise<void> {
    const { deltas = [], turns = [], status = 'ongoing', failure, until } = this.scripts.shift() ?? {};
    if (failure !== undefined && deltas.length === 0) {
      return fail(response, failure.status, failure.code, failure.details);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const before = this.turns.get(call.id) ?? [];
    const said =
      body.text === undefined ? [] : [newTurn({ index: before.length, role: 'caller', text: `${body.text}` })];
    const index = before.length + said.length;
    const all = [...said, ...turns.map((turn, place) => newTurn({ ...turn, index: index + place }))];
    for (const turn of turns) {
      if (turn.role === 'tool') response.write(event('tool', { name: turn.toolCall?.name }));
    }
    for (const delta of deltas) response.write(event('text', { turn: index + turns.length - 1, delta }));
    await until;
    if (failure !== undefined) {
      response.end(event('error', errorBody(failure.code, failure.details)));
      return;
    }
    this.turns.set(call.id, [...before, ...all]);
    for (const turn of all) this.tell(call.id, 'turn_completed', { turn });
    if (status !== 'ongoing') this.end(call.id, 'agent_hangup');
    response.end(event('done', { turns: all, status }));
  }
}

function matches(call: Call, query: URLSearchParams): boolean {
  const values = (name: string) => query.get(name)?.split(',');
  const isOneOf = (name: keyof Call) => values(name)?.includes(String(call[name])) ?? true;
  const after = query.get('createdAfter');
  const before = query.get('createdBefore');
  return (
    (['agentId', 'agentVersion', 'type', 'status', 'endReason'] as const).every(isOneOf) &&
    (after === null || call.createdAt >= after) &&
    (before === null || call.createdAt < before)
  );
}

function writeCursor(filters: URLSearchParams, place: number): string {
  return Buffer.from(JSON.stringify([filters.toString(), place])).toString('base64url');
}

function readCursor(cursor: string): [URLSearchParams, number] {
  const [filters, place] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  return [new URLSearchParams(filters), place];
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function errorBody(code: string, details: object = {}): object {
  return { error: { code, message: code, details, requestId: 'req_test' } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, status: number, code: string, details?: object): void {
  send(response, status, errorBody(code, details));
}
