import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import type { PhoneNumberSettings } from '../../../src/voice/carriers/local/accounts.ts';
import { type LocalCarrier, startLocalCarrier } from '../../../src/voice/carriers/local/server.ts';
import { type Answer, send } from '../../support/client.ts';
import type { Engine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService } from '../../support/service.ts';

export const accountSid = `AC${'1'.repeat(32)}`;
export const authToken = 'planted-auth-token';
export const apiKey = { sid: `SK${'2'.repeat(32)}`, secret: 'planted-key-secret' };

/** The way from the internet to a service: a public address, and a proxy that can be broken. */
export interface FrontDoor {
  readonly url: string;
  /** Whatever it answers instead of passing requests on. */
  mode: 'open' | 'wrong service' | 'silent';
  port: number;
}

/** A service with a public address, and an account at a carrier that behaves like Twilio. */
export interface PhoneWorld {
  readonly service: Service;
  readonly twilio: LocalCarrier;
  readonly door: FrontDoor;
  addNumber(number: string, settings?: PhoneNumberSettings): void;
}

export function usePhoneWorld(engine: Engine, options: Parameters<typeof startService>[1] = {}): PhoneWorld {
  const world = {} as { -readonly [Name in keyof PhoneWorld]: PhoneWorld[Name] };
  let server: Server;
  before(async () => {
    const opened = await openDoor();
    server = opened.server;
    world.door = opened.door;
    world.twilio = await startLocalCarrier({ now: Date.now });
    world.twilio.addAccount({ accountSid, authToken, apiKeys: [apiKey] });
    world.addNumber = (number, settings) => void world.twilio.addNumber(accountSid, number, settings);
    const calls = { publicUrl: world.door.url, ...options.calls };
    world.service = await startService(engine, { twilioUrl: world.twilio.address, ...options, calls });
    world.door.port = world.service.port;
  });
  after(async () => {
    await world.service.close();
    await world.twilio.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return world;
}

async function openDoor(): Promise<{ server: Server; door: FrontDoor }> {
  const server = createServer((incoming, outgoing) => {
    if (door.mode === 'silent') incoming.destroy();
    else if (door.mode === 'wrong service') outgoing.writeHead(200).end('Welcome to nginx!');
    else {
      const { method = 'GET', url: path = '/', headers } = incoming;
      const passed = request({ host: '127.0.0.1', port: door.port, method, path, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const door: FrontDoor = { url, mode: 'open', port: 0 };
  return { server, door };
}

export function twilioCarrier(changes: object = {}): object {
  return { name: 'Shop', provider: 'twilio', settings: { accountSid }, credentials: { authToken }, ...changes };
}

/** Requests of one workspace, each with the status that is expected. */
export function phoneClient(service: Service, key: string) {
  const call = async (status: number, method: string, path: string, body?: object, headers = {}): Promise<Answer> => {
    const answer = await send(service, method, `/api/v1${path}`, { key, body, headers });
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const make = async (path: string, body: object) => (await call(201, 'POST', path, body)).json;
  return {
    call,
    get: async (path: string) => (await call(200, 'GET', path)).json,
    patch: async (path: string, body: object) => (await call(200, 'PATCH', path, body)).json,
    carrier: (body: object = twilioCarrier()) => make('/carriers', body),
    testCarrier: () => make('/carriers', { name: 'Test', provider: 'test' }),
    importNumber: (carrierId: string, number: string, more: object = {}) =>
      make('/phone-numbers', { carrierId, number, ...more }),
    /** The field errors of a request that is refused. */
    refused: async (status: number, method: string, path: string, body?: object) => {
      const { error } = (await call(status, method, path, body)).json;
      return error.details?.fieldErrors ?? error.details;
    },
    /** A number once its checks are done. */
    checked: (id: string) =>
      eventually(async () => {
        const { json } = await call(200, 'GET', `/phone-numbers/${id}`);
        return json.verifiedAt !== null && json;
      }, 'the check of the number'),
    check: async (path: string, name: string) => {
      const { json } = await call(200, 'POST', `${path}/verify`);
      return json.checks.find((each: { name: string }) => each.name === name);
    },
  };
}
