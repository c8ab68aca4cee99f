import { after } from 'node:test';
import { pino } from 'pino';
import type { Kernel } from '../../../../src/areas/area.ts';
import { newCarrier } from '../../../../src/areas/phone/carriers/carrier.ts';
import { createCarrierStore } from '../../../../src/areas/phone/carriers/store.ts';
import { createDestinations } from '../../../../src/areas/phone/destinations.ts';
import { createDialing, type DialingParts } from '../../../../src/areas/phone/dialing.ts';
import { createDialStore, type Dial } from '../../../../src/areas/phone/dials/store.ts';
import { createDoNotCallStore } from '../../../../src/areas/phone/do-not-call/store.ts';
import { newPhoneNumber } from '../../../../src/areas/phone/numbers/phone-number.ts';
import { createNumberStore } from '../../../../src/areas/phone/numbers/store.ts';
import type { Call } from '../../../../src/contract/calls/call.ts';
import { createCarrierBody } from '../../../../src/contract/phone/carrier.ts';
import { importNumberBody, type PhoneNumber } from '../../../../src/contract/phone/phone-number.ts';
import { createIdGenerator } from '../../../../src/core/ids.ts';
import type { PlainReply } from '../../../../src/http/plain-routes.ts';
import { JobRun } from '../../../../src/jobs/job-run.ts';
import { createJobQueue } from '../../../../src/jobs/queue.ts';
import { createGuard } from '../../../../src/net/guard.ts';
import { AllowedNetworks } from '../../../../src/net/networks.ts';
import type { Database } from '../../../../src/storage/database.ts';
import { migrate } from '../../../../src/storage/migrate.ts';
import { openDatabase } from '../../../../src/storage/open.ts';
import { createTwilioClient } from '../../../../src/voice/carriers/twilio/client.ts';
import { twilioSignature } from '../../../../src/voice/carriers/twilio/signature.ts';
import { VirtualClock } from '../../../../src/voice/clock.ts';
import { TestClock } from '../../../jobs/support.ts';
import { type Engine, locationOf } from '../../../support/engines.ts';
import { testSealer } from '../../../support/sealer.ts';
import { type ScriptedCarrier, useScriptedCarrier } from './scripted-carrier.ts';
import { TestCalls } from './test-calls.ts';

export const base = 'https://phone.example.com';
export const authToken = 'a-secret-token';
export const ourNumber = '+81312345678';
export const theirNumber = '+81398765432';
const accountSid = `AC${'1'.repeat(32)}`;

export type World = Awaited<ReturnType<typeof startWorld>>;

/** A carrier, and worlds around it that share a database. Each has a workspace of its own. */
export function useWorlds(engine: Engine) {
  const carrier = useScriptedCarrier();
  let url: Promise<string> | undefined;
  const opened = new Map<string, Database>();
  const open = async (databaseUrl: string): Promise<Database> => {
    const known = opened.get(databaseUrl);
    if (known !== undefined) return known;
    const database = openDatabase(locationOf(databaseUrl), () => {});
    opened.set(databaseUrl, database);
    await migrate(database, Date.now);
    return database;
  };
  after(async () => {
    for (const database of opened.values()) await database.close();
  });
  const databaseUrl = (): Promise<string> => {
    url ??= engine.newServiceUrl();
    return url;
  };
  return {
    carrier,
    databaseUrl,
    start: async (options: Partial<DialingParts> = {}, onDatabase?: string): Promise<World> => {
      carrier.reset();
      return startWorld(await open(onDatabase ?? (await databaseUrl())), carrier, options);
    },
  };
}

/** Everything between a carrier and calls, whose time and jobs a test controls. */
async function startWorld(database: Database, carrier: ScriptedCarrier, options: Partial<DialingParts>) {
  const clock = new TestClock();
  const { now } = clock;
  carrier.now = now;
  const newId = createIdGenerator();
  const queue = createJobQueue({ database, newId, sealer: testSealer, now });
  const kernel = {
    database,
    newId,
    now,
    sealer: testSealer,
    jobs: queue,
    logger: pino({ level: 'silent' }),
  } as unknown as Kernel;
  const statusChanges: string[] = [];
  const carriers = createCarrierStore({
    ...{ database, sealer: testSealer, now, publicUrl: base, ownAddress: () => 'http://127.0.0.1:1' },
    clientOf: async (_provider, credentials) => createTwilioClient({ baseUrl: carrier.url, credentials }),
    onStatusChange: async (_queries, { to }) => void statusChanges.push(to),
  });
  const numbers = createNumberStore(database);
  const doNotCall = createDoNotCallStore(database, now);
  const destinations = createDestinations({ carriers, numbers, doNotCall, sealer: testSealer, now });
  const calls = new TestCalls();
  const guard = createGuard({ allowedNetworks: new AllowedNetworks(['127.0.0.0/8']) });
  const dialing = createDialing(kernel, {
    ...{ carriers, numbers, doNotCall, destinations, calls, guard, isServing: () => true, clock: new VirtualClock() },
    findAgent: async (_queries, _workspaceId, id, version) =>
      id.startsWith('agt_')
        ? ({ agent: { version: version === 'latest' ? 9 : 1, language: 'ja', maxCallDurationMs: 600_000 } } as never)
        : undefined,
    secrets: async () => ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ...options,
  });
  calls.onSettled = dialing.onCallSettled;
  const dials = createDialStore(database, testSealer);
  after(() => guard.close());

  const workspaceId = newId('ws');
  const timestamp = new Date(now()).toISOString();
  const body = createCarrierBody.parse({
    ...{ name: 'the carrier', provider: 'twilio', settings: { accountSid }, credentials: { authToken } },
    limits: { maxCallsPerSecond: 50 },
  });
  const own = newCarrier({ id: newId('car'), workspaceId }, body, timestamp);
  await database.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)', [
    workspaceId,
    workspaceId,
    1,
  ]);
  await database.transaction((queries) => carriers.insert(queries, own, { authToken }));

  const addNumber = async (change: Partial<Pick<PhoneNumber, 'inbound' | 'outbound'>> = {}, number = ourNumber) => {
    const given = importNumberBody.parse({ carrierId: own.id, number, outbound: { enabled: true } });
    const made = newPhoneNumber(newId('num'), own, given, timestamp);
    const phoneNumber = { ...made, status: 'active', verifiedAt: timestamp, ...change } as PhoneNumber;
    await database.transaction((queries) =>
      numbers.insert(queries, phoneNumber, { provider: 'twilio', isRouted: true }),
    );
    return phoneNumber;
  };

  const dial = async (options: { to?: string; agentSettings?: object } = {}): Promise<string> => {
    const { to = theirNumber, agentSettings = {} } = options;
    const call = calls.add(newId('call'), workspaceId);
    const agent = { maxCallDurationMs: 600_000, language: 'ja', agentSettings };
    const line = { phoneNumberId: 'num_1', carrierId: own.id, from: ourNumber, to, ringTimeoutMs: 30_000 };
    await database.transaction((queries) => dialing.lines.dial(queries, call as unknown as Call, line, agent as never));
    return call.id;
  };

  /** Runs jobs until none is due. */
  const runJobs = async (ofWorkspace = workspaceId): Promise<void> => {
    const kinds = new Map(dialing.jobs.map((kind) => [kind.name, kind]));
    for (;;) {
      const all = await queue.due([...kinds.keys()]);
      const due = all.filter((each) => each.dueInMs <= 0 && each.workspaceId === ofWorkspace);
      if (due.length === 0) return;
      const wanted = due.map(({ kind, workspaceId: id }) => ({ kind, workspaceId: id, limit: 10 }));
      const { claimed } = await queue.exchange('test', [], wanted, 30_000);
      for (const job of claimed) {
        const run = new JobRun(job, kinds.get(job.kind) as never);
        await run.perform(queue, 'test');
        if (!run.isCompleted) await queue.exchange('test', [run.outcome(queue, () => 0.5)], [], 30_000);
      }
    }
  };

  /** A request of the carrier, signed unless a test says otherwise. */
  const request = async (
    path: string,
    form: Record<string, string>,
    change: RequestChange = {},
  ): Promise<PlainReply> => {
    const { carrierId = own.id, signature, headers = {} } = change;
    const url = `/carrier/v1/${carrierId}${path}`;
    for (const route of dialing.plainRoutes) {
      const pattern = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      const params = pattern.exec(url)?.groups;
      if (params === undefined) continue;
      const fields = new URLSearchParams(form);
      const made = signature === undefined ? twilioSignature(authToken, base + url, fields) : signature;
      return route.serve({
        ...{ requestId: 'req', url, params: { ...params }, query: new URLSearchParams(), address: null },
        ...{ body: Buffer.from(fields.toString()), form: () => fields, signal: new AbortController().signal },
        headers: { ...(made === null ? {} : { 'x-twilio-signature': made }), ...headers },
      });
    }
    throw new Error(`no route has the path ${path}`);
  };

  const legs = async (callId: string): Promise<Dial[]> =>
    database.transaction((queries) => dials.lockAll(queries, callId));

  return {
    ...{ database, clock, calls, carriers, numbers, doNotCall, dialing, dials, queue, workspaceId, carrier: own },
    ...{ statusChanges, addNumber, dial, runJobs, request, legs },
    /** Time passes, and what is due by then happens, in steps. */
    pass: async (ms: number, stepMs = 1000): Promise<void> => {
      const end = clock.time + ms;
      while (clock.time < end) {
        clock.time = Math.min(end, clock.time + stepMs);
        await runJobs();
      }
    },
    /** A report of a call, to the address that was given for it. */
    report: (callId: string, sid: string, status: string, more: Record<string, string> = {}) =>
      request(`/calls/${callId}/status`, { CallSid: sid, CallStatus: status, ...more }),
    inbound: (sid: string, more: Record<string, string> = {}, change: RequestChange = {}) =>
      request('/voice', { CallSid: sid, From: theirNumber, To: ourNumber, CallStatus: 'ringing', ...more }, change),
  };
}

export interface RequestChange {
  readonly carrierId?: string;
  /** Null: none. */
  readonly signature?: string | null;
  readonly headers?: Record<string, string>;
}

export function bodyOf({ body }: PlainReply): string {
  return String(body ?? '');
}
