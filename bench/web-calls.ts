import { loadavg } from 'node:os';
import { Pool } from 'undici';
import type { TurnLatency } from '../src/voice/ports.ts';
import { createEmbeddedSpeech } from '../src/voice/providers/embedded/provider.ts';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import { converse, frameMs, frameSamples, type JoinableCall, type Script, scriptOf } from './live-caller.ts';
import type { LoadResult } from './load.ts';
import { residentBytesOf } from './processes.ts';
import { figure } from './report.ts';
import type { BenchContext } from './rounds.ts';
import type { Seed } from './seed.ts';
import { type ProductServer, startProduct, workingCopy } from './servers.ts';
import { median, percentileOf } from './statistics.ts';
import { atLeast, atMost, type Target } from './targets.ts';
import { getPlan, manyConnections } from './works.ts';

export const doublesMs = 20_000;
const spokenMs = 24_000;
/** A caller has a turn this often. */
export const doubleTurnMs = 4000;
const spokenTurnMs = 8000;
const question = 'What time do you open tomorrow?';
/** How many conversations at the same time are tried, until the responses take too long. */
const conversations = [1, 2, 3, 4, 6, 8, 12, 16];
const maxResponseMs = 1500;
const maxWarmUps = 10;
/** At first, hundreds of callers join in the same moment. Turns are counted after that. */
const joiningMs = 1000;
/** How long the agent waits after a word, with the default responsiveness. */
const endpointMs = 300;
export const loadText = () => `load ${loadavg()[0]?.toFixed(1)}`;

const agent = {
  name: 'bench',
  voiceId: 'slt',
  responseEngineType: 'single_prompt',
  prompt: 'x',
  llmModel: 'test-echo',
  language: 'en',
  beginMessage: '',
};
export const doubles = { ...agent, sttProvider: 'test', ttsProvider: 'test' };
/** The words come from the caller's side; where speech begins and ends is found by the embedded detector. */
const detected = { ...agent, sttProvider: 'browser', ttsProvider: 'test', dataStorageSetting: 'everything' };
const embedded = { ...agent, sttProvider: 'embedded', ttsProvider: 'embedded' };

/** Web calls over their socket. The callers run in this process, on the other core. */
export async function measureWebCalls(context: BenchContext, seed: Seed): Promise<readonly Target[]> {
  const environment = { CALL_CONCURRENCY: '10000', CALL_RATE: 'off', RATE_LIMIT: 'off' };
  const withService = async <Result>(measure: (service: Service) => Promise<Result>): Promise<Result> => {
    const server = await startProduct(seed, workingCopy(seed.databaseFile), environment);
    const service = new Service(server, seed.keys[0] as string);
    try {
      return await measure(service);
    } finally {
      await service.close();
    }
  };
  const words = { frames: scriptOf(testFrames('tomorrow', 10), doubleTurnMs), lastVoiced: 9 };
  return [
    await withService((service) => ownOverhead(service, 100, words, 10)),
    await withService((service) => ownOverhead(service, 400, words, 25)),
    await withService((service) => besideReads(context, seed, service, words)),
    ...(await withSpeech(async (spoken) => {
      const end = Math.ceil(spoken.length / frameSamples);
      const heard = { frames: scriptOf(spoken, spokenTurnMs), recognized: { frame: end, text: question } };
      const answered = { frames: scriptOf(spoken, spokenTurnMs) };
      return [
        await withService((service) => detection(service, heard)),
        ...(await withService((service) => embeddedSpeech(service, answered))),
      ];
    })),
  ];
}

/** Runs it with the audio of a question, if speech is installed. */
async function withSpeech(measure: (spoken: Int16Array) => Promise<Target[]>): Promise<Target[]> {
  const { provider } = createEmbeddedSpeech({ models: '/nowhere', programPath: '', isPreloaded: false });
  const tts = provider.tts?.('en');
  try {
    if (tts === undefined || tts === null) {
      process.stdout.write('\n  The optional packages of speech are not installed: embedded speech is skipped\n');
      return [];
    }
    const settings = { voiceId: 'slt', model: null, speed: 1, emotion: null, temperature: null, language: 'en' };
    const parts: number[] = [];
    await new Promise<void>((resolve, reject) => {
      const events = {
        audio: (samples: Int16Array) => void parts.push(...samples),
        done: resolve,
        failed: (detail: string) => reject(new Error(detail)),
      };
      tts.open({ ...settings, rate: 16_000 }, events).say(question, true);
    });
    return await measure(Int16Array.from(parts));
  } finally {
    await provider.close?.();
  }
}

/** The service with its web calls. */
export class Service {
  readonly server: ProductServer;
  /** The response times of the last calls, as their callers saw them. */
  responsesMs: readonly number[] = [];
  private readonly pool: Pool;
  private readonly headers: Record<string, string>;

  constructor(server: ProductServer, key: string) {
    this.server = server;
    this.pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: 8 });
    this.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  }

  /** Has so many calls at the same time, and returns what each reply took. */
  async call(content: object, count: number, script: Script, durationMs: number): Promise<readonly TurnLatency[]> {
    const { id: agentId } = await this.send('POST', '/agents', content);
    const body = { type: 'web', agentId, agentVersion: 'latest' };
    const calls: JoinableCall[] = [];
    for (let index = 0; index < count; index += 1) {
      const { id, access } = await this.send('POST', '/calls', body);
      calls.push({ id, token: access.token });
    }
    this.responsesMs = await converse(this.server.port, calls, script, durationMs);
    return this.latenciesOf(calls.map(({ id }) => id));
  }

  /** What the replies of these calls took. */
  async latenciesOf(callIds: readonly string[]): Promise<readonly TurnLatency[]> {
    const latencies: TurnLatency[] = [];
    for (const id of callIds) {
      const { turns } = await this.send('GET', `/calls/${id}/transcript`);
      for (const { latency, startMs } of turns) if (latency !== null && startMs > joiningMs) latencies.push(latency);
    }
    return latencies;
  }

  /** The same. Fails if most callers got no answer. */
  async measure(...work: Parameters<Service['call']>): Promise<readonly TurnLatency[]> {
    const [, count, { frames }, durationMs] = work;
    const latencies = await this.call(...work);
    // Each caller has a turn per period; the last one may not be answered in time.
    const expected = count * (durationMs / (frames.length * frameMs) - 1);
    if (latencies.length < 0.5 * expected) throw new Error(`${latencies.length} of ${expected} turns were answered`);
    return latencies;
  }

  /** Has single calls until one is answered, which takes as long as the models are loaded. */
  async warmUp(content: object, script: Script): Promise<void> {
    for (let attempt = 0; attempt < maxWarmUps; attempt += 1) {
      if ((await this.call(content, 1, script, 2 * spokenTurnMs)).length > 0) return;
    }
    throw new Error('no call was answered');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the bench reads few fields of its own requests.
  async send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<any> {
    const request = { method, path: `/api/v1${path}`, headers: this.headers };
    const response = await this.pool.request(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    const text = await response.body.text();
    if (response.statusCode > 299) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text);
  }

  get residentMegabytes(): number {
    return this.server.pids().reduce((sum, pid) => sum + residentBytesOf(pid), 0) / 1e6;
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.server.stop();
  }
}

const ownOf = (latencies: readonly TurnLatency[]): number[] => latencies.map(({ ownMs }) => ownMs ?? 0);

export function p99Target(title: string, latencies: readonly TurnLatency[], goal: number, also = ''): Target {
  const own = ownOf(latencies);
  const note = `median ${median(own)} ms of ${own.length} turns${also}, ${loadText()}`;
  return atMost(title, percentileOf(own, 0.99), goal, 'ms', note);
}

/** The same from the outside, with the network, and with timers and frames that were processed late on either side. */
function atCaller({ responsesMs }: Service): string {
  const beyond = responsesMs.map((ms) => ms - endpointMs);
  return `, at the caller ${figure(median(beyond))} ms, p99 ${figure(percentileOf(beyond, 0.99))} ms`;
}

async function ownOverhead(service: Service, count: number, script: Script, goal: number): Promise<Target> {
  const latencies = await service.measure(doubles, count, script, doublesMs);
  return p99Target(`own overhead per turn, ${count} calls, p99`, latencies, goal, atCaller(service));
}

async function besideReads({ generator }: BenchContext, seed: Seed, service: Service, script: Script): Promise<Target> {
  const { server } = service;
  const read = (durationMs: number, limit: { maxRequestsPerSecond?: number }): Promise<LoadResult> =>
    generator.run({
      port: server.port,
      connections: manyConnections,
      warmupMs: 200,
      durationMs,
      minRequests: 1,
      pids: server.pids(),
      isUntilIdle: false,
      plan: getPlan(seed),
      ...limit,
    });
  const { requestsPerSecond } = await read(3000, {});
  const [latencies] = await Promise.all([
    service.measure(doubles, 100, script, doublesMs),
    read(doublesMs, { maxRequestsPerSecond: requestsPerSecond / 2 }),
  ]);
  const also = `${atCaller(service)}, ${Math.round(requestsPerSecond / 2)} reads/s`;
  return p99Target('own overhead per turn, 100 calls beside reads at half of the peak, p99', latencies, 25, also);
}

async function detection(service: Service, script: Script): Promise<Target> {
  await service.warmUp(detected, script);
  const latencies = await service.measure(detected, 100, script, spokenMs);
  return p99Target('own overhead per turn, 100 calls with embedded detection, p99', latencies, 25);
}

/** Conversations on embedded speech: recognition, detection and voice. */
async function embeddedSpeech(service: Service, script: Script): Promise<Target[]> {
  const idleMegabytes = service.residentMegabytes;
  await service.warmUp(embedded, script);
  const loadedMegabytes = service.residentMegabytes;
  const one = await service.measure(embedded, 1, script, spokenTurnMs * 6);
  const withoutWait = one.map(({ e2eMs, endpointingMs }) => (e2eMs ?? 0) - (endpointingMs ?? 0));
  const response = `worst ${Math.max(...withoutWait)} ms of ${withoutWait.length} turns, ${loadText()}`;
  let sustained = 0;
  let also = '';
  for (const count of conversations) {
    const latencies = await service.measure(embedded, count, script, spokenMs);
    const p95 = percentileOf(
      latencies.map(({ e2eMs }) => e2eMs ?? Number.POSITIVE_INFINITY),
      0.95,
    );
    also = `${also}${count}: ${p95} ms, `;
    if (p95 >= maxResponseMs) break;
    sustained = count;
  }
  return [
    atMost(
      'spoken response without deliberate wait, embedded speech, one call',
      median(withoutWait),
      700,
      'ms',
      response,
    ),
    atLeast('conversations on embedded speech, p95 under 1.5 s', sustained, 1, `p95 of ${also}${loadText()}`, 'calls'),
    atMost('resident memory before the first spoken call', idleMegabytes, null, 'MB'),
    atMost('resident memory with embedded speech loaded', loadedMegabytes, null, 'MB', 'after one call'),
    atMost('resident memory after all conversations', service.residentMegabytes, null, 'MB'),
  ];
}
