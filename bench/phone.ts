import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { twilioSignature } from '../src/voice/carriers/twilio/signature.ts';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import { frameMs, scriptOf, talk } from './live-caller.ts';
import { accountSid, authToken, PhoneCaller, type PhoneScript, phoneScript, publicUrl } from './phone-caller.ts';
import { figure } from './report.ts';
import type { Seed } from './seed.ts';
import { startProduct, workingCopy } from './servers.ts';
import { median, percentileOf } from './statistics.ts';
import { atLeast, atMost, type Target } from './targets.ts';
import { doubles, doublesMs, doubleTurnMs, loadText, Service } from './web-calls.ts';

const ourNumber = '+442079460100';
const inboundPerSecond = 50;
const inboundRequests = 500;
const answeredCalls = 200;
const answeredPerSecond = 10;
/** How many calls are tried at a time, until the own overhead is too large. */
const callCounts = [100, 200, 300];
const maxOwnMs = 25;
/** Calls of each kind whose memory is compared. */
const [fewCalls, manyCalls] = [50, 250];
const sampleMs = 250;

/** Phone calls over the paths and the socket of a carrier, which this process plays on the other core. */
export async function measurePhone(seed: Seed): Promise<readonly Target[]> {
  const withService = async <Result>(measure: (service: PhoneService) => Promise<Result>): Promise<Result> => {
    const environment = {
      ...{ CALL_CONCURRENCY: '10000', CALL_RATE: 'off', RATE_LIMIT: 'off' },
      // Nothing listens there: calls arrive, and none is dialed.
      ...{ PUBLIC_URL: publicUrl, TWILIO_BASE_URL: 'http://127.0.0.1:9' },
    };
    const server = await startProduct(seed, workingCopy(seed.databaseFile), environment);
    const service = new PhoneService(new Service(server, seed.keys[0] as string), server.port);
    try {
      return await measure(service);
    } finally {
      await service.close();
    }
  };
  const words = phoneScript('tomorrow', 10, doubleTurnMs);
  return [
    await withService((service) => inboundDocuments(service)),
    await withService((service) => firstFrames(service, words)),
    await withService((service) => callsAtOnce(service, words)),
    await memoryPerCall(withService, words),
  ];
}

/** The service with its phone calls, as the carrier sees it. */
class PhoneService {
  readonly api: Service;
  readonly port: number;
  private readonly pool: Pool;
  private carrierId = '';

  constructor(api: Service, port: number) {
    this.api = api;
    this.port = port;
    this.pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  }

  /** An agent answers the number. */
  async setUp(content: object): Promise<void> {
    const { api } = this;
    const { id: agentId } = await api.send('POST', '/agents', content);
    await api.send('POST', `/agents/${agentId}/publish`);
    const account = { provider: 'twilio', settings: { accountSid }, credentials: { authToken } };
    const { id: carrierId } = await api.send('POST', '/carriers', { name: 'bench', ...account });
    this.carrierId = carrierId;
    const inbound = { agentId };
    await api.send('POST', '/phone-numbers', { carrierId, number: ourNumber, inbound, configureCarrier: false });
  }

  /** A call arrives. Resolves to its media socket and how long the document took. */
  async announce(): Promise<{ readonly callSid: string; readonly path: string; readonly ms: number }> {
    const callSid = `CA${randomBytes(16).toString('hex')}`;
    const startedAt = performance.now();
    const text = await this.post('/voice', {
      CallSid: callSid,
      AccountSid: accountSid,
      CallStatus: 'ringing',
      Direction: 'inbound',
      From: '+447400100001',
      To: ourNumber,
    });
    const ms = performance.now() - startedAt;
    const path = /wss:\/\/phone\.example([^"]+)"/.exec(text)?.[1];
    if (path === undefined) throw new Error(`a call was not answered: ${text}`);
    return { callSid, path, ms };
  }

  async hangUp(callSid: string): Promise<void> {
    await this.post('/status', {
      CallSid: callSid,
      AccountSid: accountSid,
      CallStatus: 'completed',
      CallDuration: '1',
      From: '+447400100001',
      To: ourNumber,
    });
  }

  /** Has so many calls for a while. */
  async converse(count: number, script: PhoneScript, durationMs: number): Promise<readonly PhoneCaller[]> {
    const callers: PhoneCaller[] = [];
    for (let index = 0; index < count; index += 1) {
      const { callSid, path } = await this.announce();
      const position = Math.floor((index * script.frames.length) / count);
      callers.push(new PhoneCaller(this.port, path, callSid, script, position));
    }
    await Promise.all(callers.map(({ isOpen }) => isOpen));
    await talk(callers, durationMs);
    for (const { callSid } of callers) await this.hangUp(callSid);
    return callers;
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.api.close();
  }

  private async post(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const url = `/carrier/v1/${this.carrierId}${path}`;
    const signature = twilioSignature(authToken, publicUrl + url, Object.entries(fields));
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature,
      'user-agent': 'TwilioProxy/1.1',
    };
    const body = new URLSearchParams(fields).toString();
    const response = await this.pool.request({ method: 'POST', path: url, headers, body });
    const text = await response.body.text();
    // What was measured is over: a report that a busy process refuses is of no interest.
    const isRefusedReport = response.statusCode === 503 && path === '/status';
    if (response.statusCode !== 200 && !isRefusedReport) throw new Error(`${path}: ${response.statusCode} ${text}`);
    return text;
  }
}

type WithService = <Result>(measure: (service: PhoneService) => Promise<Result>) => Promise<Result>;

/** Runs something so often, at fixed times, whether or not what was started is over. */
async function atRate<Result>(count: number, perSecond: number, run: () => Promise<Result>): Promise<Result[]> {
  const startedAt = performance.now();
  const started: Promise<Result>[] = [];
  for (let index = 0; index < count; index += 1) {
    await delay(Math.max(0, startedAt + (index * 1000) / perSecond - performance.now()));
    started.push(run());
  }
  return Promise.all(started);
}

const fixedBegin = { ...doubles, beginMessage: 'Hello, this is the front desk. How can I help you?' };

async function inboundDocuments(service: PhoneService): Promise<Target> {
  await service.setUp(fixedBegin);
  await atRate(inboundPerSecond, inboundPerSecond, () => service.announce());
  const announced = await atRate(inboundRequests, inboundPerSecond, () => service.announce());
  const times = announced.map(({ ms }) => ms);
  const note = `median ${figure(median(times))} ms of ${times.length} calls, ${loadText()}`;
  return atMost(
    `inbound request → document, ${inboundPerSecond} per second, p99`,
    percentileOf(times, 0.99),
    100,
    'ms',
    note,
  );
}

async function firstFrames(service: PhoneService, script: PhoneScript): Promise<Target> {
  await service.setUp(fixedBegin);
  const answer = async (): Promise<number> => {
    const { callSid, path } = await service.announce();
    const caller = new PhoneCaller(service.port, path, callSid, script, 0);
    const ms = await caller.firstFrameMs;
    await caller.end();
    await service.hangUp(callSid);
    return ms;
  };
  await atRate(answeredPerSecond * 2, answeredPerSecond, answer);
  const times = await atRate(answeredCalls, answeredPerSecond, answer);
  const note = `median ${figure(median(times))} ms of ${times.length} calls, ${loadText()}`;
  return atMost('answered → first frame of a fixed begin message, p99', percentileOf(times, 0.99), 150, 'ms', note);
}

async function callsAtOnce(service: PhoneService, script: PhoneScript): Promise<Target> {
  await service.setUp(doubles);
  let sustained = 0;
  let also = '';
  for (const count of callCounts) {
    const own = await ownTimes(service, count, script);
    const p99 = percentileOf(own, 0.99);
    also = `${also}${count}: ${figure(p99)} ms of ${own.length} turns, `;
    if (!(p99 <= maxOwnMs)) break;
    sustained = count;
  }
  return atLeast(
    `phone calls with own overhead p99 ≤ ${maxOwnMs} ms`,
    sustained,
    200,
    `p99 of ${also}${loadText()}`,
    'calls',
  );
}

async function ownTimes(service: PhoneService, count: number, script: PhoneScript): Promise<number[]> {
  const callers = await service.converse(count, script, doublesMs);
  const sids = new Set(callers.map(({ callSid }) => callSid));
  const ids = await callIdsOf(service, sids);
  const latencies = await service.api.latenciesOf(ids);
  const expected = count * (doublesMs / (script.frames.length * frameMs) - 1);
  // Most callers got no answer in time: there are too many.
  if (latencies.length < 0.5 * expected) return [Number.POSITIVE_INFINITY];
  return latencies.map(({ ownMs }) => ownMs ?? 0);
}

/** The newest calls, by the carrier's ids of them. */
async function callIdsOf({ api }: PhoneService, sids: ReadonlySet<string>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null && ids.length < sids.size; ) {
    const page = await api.send('GET', `/calls?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
    for (const { id, providerCallId } of page.items) if (sids.has(providerCallId)) ids.push(id);
    cursor = page.pagination.nextCursor;
  }
  return ids;
}

/**
 * What a call adds to the memory, for phone calls and web calls: the difference between few and many, each on a service
 * of its own, so that what the first call loads does not count.
 */
async function memoryPerCall(withService: WithService, script: PhoneScript): Promise<Target> {
  const frames = { frames: scriptOf(testFrames('tomorrow', 10), doubleTurnMs), lastVoiced: 9 };
  const phone = (count: number) =>
    withService(async (service) => {
      await service.setUp(doubles);
      return memoryDuring(service.api, () => service.converse(count, script, doublesMs));
    });
  const web = (count: number) =>
    withService(({ api }) => memoryDuring(api, () => api.call(doubles, count, frames, doublesMs)));
  const perPhoneCall = ((await phone(manyCalls)) - (await phone(fewCalls))) / (manyCalls - fewCalls);
  const perWebCall = ((await web(manyCalls)) - (await web(fewCalls))) / (manyCalls - fewCalls);
  const note = `${figure(perPhoneCall)} MB against ${figure(perWebCall)} MB, ${manyCalls} calls compared with ${fewCalls}, ${loadText()}`;
  return atMost('memory per phone call against a web call', perPhoneCall / perWebCall, 1.1, '×', note);
}

/** The median of the resident memory in the last part of some calls, in MB. */
async function memoryDuring(service: Service, call: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  const timer = setInterval(() => void samples.push(service.residentMegabytes), sampleMs);
  try {
    await call();
  } finally {
    clearInterval(timer);
  }
  return median(samples.slice(-Math.floor((doublesMs / sampleMs) * 0.75), -4));
}
