import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '../../../net/node-http.ts';
import { type Clock, realClock } from '../../clock.ts';
import type { AccountOptions, OwnedNumber, PhoneNumberSettings } from './accounts.ts';
import type { InboundCall } from './call-request.ts';
import { Carrier, type CarrierOptions } from './carrier.ts';
import type { Fault } from './faults.ts';
import type { Leg } from './leg.ts';
import { createNetwork } from './network.ts';
import { authenticated, type RestRequest, type RestResponse, serveRest } from './rest.ts';

export interface LocalCarrierOptions extends Partial<Omit<CarrierOptions, 'now'>> {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly clock?: Clock;
  /** On 127.0.0.1; 0, the default, is any free one. */
  readonly port?: number;
  /** Hosts that are called besides loopback addresses, such as the one that the service listens on. */
  readonly otherHosts?: readonly string[];
}

/** A carrier on a loopback port that behaves like Twilio's programmable voice. */
export interface LocalCarrier {
  /** Such as `http://127.0.0.1:41234`: what takes the place of `https://api.twilio.com`. */
  readonly address: string;
  readonly carrier: Carrier;
  addAccount(account: AccountOptions): void;
  addNumber(accountSid: string, number: string, settings?: PhoneNumberSettings): OwnedNumber;
  /** A phone calls one of the numbers. */
  callNumber(call: InboundCall): Leg;
  close(): Promise<void>;
}

const maxBodyBytes = 64 * 1024;

export async function startLocalCarrier(options: LocalCarrierOptions): Promise<LocalCarrier> {
  const carrier = new Carrier({
    clock: realClock,
    ...createNetwork(options.otherHosts ?? []),
    ...options,
  });
  const server = new Server((request: IncomingMessage, response: ServerResponse) => {
    serve(carrier, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => resolve());
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    carrier,
    addAccount: (account) => void carrier.addAccount(account),
    addNumber: (accountSid, number, settings) => carrier.addNumber(accountSid, number, settings),
    callNumber: (call) => carrier.callNumber(call),
    async close() {
      carrier.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(carrier: Carrier, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  if (body === null) {
    send(response, { status: 413, body: { code: 20_413, message: 'The body is too long', status: 413 } });
    return;
  }
  const { method = 'GET', url: path = '/', headers } = request;
  const read: RestRequest = { method, path, authorization: headers.authorization ?? '', body };
  const answer = path.startsWith(controlPath) ? serveControl(carrier, read) : await serveRest(carrier, read);
  if (answer === null) response.destroy();
  else send(response, answer);
}

/** Null if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= maxBodyBytes) chunks.push(chunk as Buffer);
  }
  return size > maxBodyBytes ? null : Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: RestResponse): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length });
  response.end(text);
}

/** What Twilio does not have: paths for those who run the carrier in a process of its own, with the same credentials. */
const controlPath = '/local/';

function serveControl(carrier: Carrier, request: RestRequest): RestResponse {
  const caller = authenticated(carrier, request.authorization);
  if (caller === null) return { status: 401, body: { message: 'Authenticate' } };
  try {
    switch (`${request.method} ${request.path}`) {
      case 'POST /local/calls':
        return { status: 201, body: { callSid: carrier.callNumber(inboundCall(request, caller.account.sid)).sid } };
      case 'GET /local/calls':
        return { status: 200, body: { calls: carrier.log() } };
      case 'GET /local/violations':
        return { status: 200, body: { violations: carrier.violations, notifications: carrier.notifications } };
      case 'POST /local/faults':
        carrier.faults.add(JSON.parse(request.body) as Fault);
        return { status: 201, body: {} };
      case 'DELETE /local/faults':
        carrier.faults.clear();
        return { status: 200, body: {} };
      default:
        return { status: 404, body: { message: 'Not found' } };
    }
  } catch (error) {
    return { status: 400, body: { message: error instanceof Error ? error.message : 'Bad request' } };
  }
}

/** To a number of the account that asks for it. */
function inboundCall({ body }: RestRequest, accountSid: string): InboundCall {
  return { ...(JSON.parse(body) as InboundCall), accountSid };
}
