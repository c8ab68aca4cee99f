import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before } from 'node:test';

/** A call at the carrier. */
export interface PlacedCall {
  readonly sid: string;
  readonly form: URLSearchParams;
  readonly createdAt: number;
  status: string;
  duration: string | null;
  /** Where it was moved to: an address or a document. */
  readonly moves: string[];
  /** The seconds after which the carrier ends it by itself, if a request has set them. */
  timeLimit: string | null;
}

/** What happens to the next request that dials. `lost`: the connection breaks before or after the call was placed. */
export type DialBehavior =
  | 'place'
  | 'lost before'
  | 'lost after'
  | { readonly status: number; readonly code?: number; readonly retryAfter?: number; readonly places?: boolean };

/** The REST side of a carrier on a loopback port, which does what a test tells it. */
export class ScriptedCarrier {
  /** In order; then `place`. */
  readonly behaviors: DialBehavior[] = [];
  readonly placed: PlacedCall[] = [];
  /** How often a request to dial arrived, whatever became of it. */
  dialRequests = 0;
  /** Fails every other request with this status while it is set. */
  failing: number | null = null;
  /** Whether calls end at once when they are hung up. */
  hangsUpAtOnce = true;
  readonly hangUps: string[] = [];
  #count = 0;
  now: () => number = Date.now;
  onDial: (call: PlacedCall) => Promise<void> = async () => {};
  url = '';

  /** Before a test. */
  reset(): void {
    this.behaviors.length = 0;
    this.placed.length = 0;
    this.hangUps.length = 0;
    this.dialRequests = 0;
    this.failing = null;
    this.hangsUpAtOnce = true;
    this.onDial = async () => {};
  }

  call(sid: string | undefined): PlacedCall {
    const found = this.placed.find((each) => each.sid === sid);
    if (found === undefined) throw new Error('the carrier has no such call');
    return found;
  }

  /** A call that we did not dial, such as an inbound one. */
  add(form: Record<string, string>, status = 'ringing'): PlacedCall {
    this.#count += 1;
    const sid = `CA${String(this.#count).padStart(32, '0')}`;
    const given = { sid, form: new URLSearchParams(form), createdAt: this.now(), status };
    const call = { ...given, duration: null, timeLimit: null, moves: [] };
    this.placed.push(call);
    return call;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const url = new URL(request.url ?? '', 'http://carrier');
    const sid = /\/Calls\/(\w+)\.json$/.exec(url.pathname)?.[1];
    if (request.method === 'POST' && sid === undefined) return this.#dial(form, request.socket, response);
    if (this.failing !== null) return send(response, this.failing, {});
    if (sid === undefined) return this.#list(url.searchParams, response);
    const call = this.placed.find((each) => each.sid === sid);
    if (call === undefined) return send(response, 404, { code: 20404 });
    if (request.method === 'GET') return send(response, 200, resourceOf(call));
    return this.#change(call, form, response);
  }

  async #dial(form: URLSearchParams, socket: Socket, response: ServerResponse): Promise<void> {
    this.dialRequests += 1;
    const behavior = this.behaviors.shift() ?? 'place';
    if (behavior === 'lost before') return void socket.destroy();
    if (typeof behavior === 'object' && behavior.places !== true) {
      const { status, code, retryAfter } = behavior;
      if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
      return send(response, status, code === undefined ? {} : { code, message: 'no' });
    }
    const call = this.add(Object.fromEntries(form), 'queued');
    await this.onDial(call);
    if (behavior === 'lost after') return void socket.destroy();
    send(response, typeof behavior === 'object' ? behavior.status : 201, resourceOf(call));
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const calls = this.placed.filter(
      ({ form }) => form.get('To') === query.get('To') && form.get('From') === query.get('From'),
    );
    send(response, 200, { calls: calls.map(resourceOf) });
  }

  #change(call: PlacedCall, form: URLSearchParams, response: ServerResponse) {
    const isOver = ['completed', 'busy', 'no-answer', 'failed', 'canceled'].includes(call.status);
    if (isOver) return send(response, 400, { code: 21220 });
    if (form.has('Status')) {
      this.hangUps.push(call.sid);
      if (this.hangsUpAtOnce) {
        call.duration = call.status === 'in-progress' ? '7' : '0';
        call.status = call.status === 'in-progress' ? 'completed' : 'canceled';
      }
    } else if (form.has('TimeLimit')) {
      if (call.status !== 'in-progress') return send(response, 400, { code: 21220 });
      call.timeLimit = form.get('TimeLimit');
    } else call.moves.push(form.get('Url') ?? form.get('Twiml') ?? '');
    send(response, 200, resourceOf(call));
  }
}

function resourceOf({ sid, form, createdAt, status, duration }: PlacedCall) {
  const date = new Date(createdAt).toUTCString().replace('GMT', '+0000');
  return {
    sid,
    to: form.get('To'),
    from: form.get('From'),
    status,
    direction: 'outbound-api',
    date_created: date,
    duration,
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** One for a whole suite. */
export function useScriptedCarrier(): ScriptedCarrier {
  const carrier = new ScriptedCarrier();
  const server = createServer((request, response) => void carrier.serve(request, response));
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    carrier.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return carrier;
}
