import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findCollector } from '../scripts/collector.js';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import { startOpenAiDouble } from '../test/providers/openai-double.ts';
import { scriptOf } from './live-caller.ts';
import { freePort } from './processes.ts';
import type { Seed } from './seed.ts';
import { startProduct, workingCopy } from './servers.ts';
import { median, percentileOf } from './statistics.ts';
import { atMost, type Target } from './targets.ts';
import { doubles, doublesMs, doubleTurnMs, loadText, Service } from './web-calls.ts';

const calls = 100;
const rounds = 3;
const maxAddedMs = 2;

interface Round {
  readonly ownMs: readonly number[];
  readonly startMs: number;
  readonly megabytes: number;
  /** The spans that were sent. */
  readonly sent: number;
}

/** Spoken calls on a language model, without traces and with a span for everything: one after the other, in turns. */
export async function measureTracing(seed: Seed): Promise<readonly Target[]> {
  const model = await startOpenAiDouble({ replyTo: () => ({ text: 'We open at nine in the morning.' }) });
  const collector = await startCollector();
  const off: Round[] = [];
  const on: Round[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      off.push(await measureRound(seed, { OPENAI_BASE_URL: model.baseUrl }));
      on.push(await measureRound(seed, { OPENAI_BASE_URL: model.baseUrl, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }));
    }
  } finally {
    await collector.stop();
    await model.close();
  }
  const p99 = ({ ownMs }: Round): number => percentileOf([...ownMs], 0.99);
  const [offMs, onMs] = [median(off.map(p99)), median(on.map(p99))];
  const turns = on.reduce((sum, { ownMs }) => sum + ownMs.length, 0);
  const spans = on.reduce((sum, { sent }) => sum + sent, 0);
  const each = (name: 'startMs' | 'megabytes') =>
    [off, on].map((results) => Math.round(median(results.map((result) => result[name])))).join(' and ');
  const note = [
    `${offMs} and ${onMs} ms of ${turns} turns`,
    `off ${off.map(p99).join(' ')}, on ${on.map(p99).join(' ')}`,
    `${spans} spans to ${collector.name}`,
    `first response after ${each('startMs')} ms, ${each('megabytes')} MB resident`,
    loadText(),
  ].join(', ');
  return [atMost(`own overhead per turn that traces add, ${calls} calls, p99`, onMs - offMs, maxAddedMs, 'ms', note)];
}

async function measureRound(seed: Seed, variables: Record<string, string>): Promise<Round> {
  const environment = { CALL_CONCURRENCY: '10000', CALL_RATE: 'off', RATE_LIMIT: 'off', ...variables };
  const server = await startProduct(seed, workingCopy(seed.databaseFile), environment);
  const service = new Service(server, seed.keys[0] as string);
  try {
    const script = { frames: scriptOf(testFrames('tomorrow', 10), doubleTurnMs), lastVoiced: 9 };
    const latencies = await service.measure({ ...doubles, llmModel: 'gpt-5.4-mini' }, calls, script, doublesMs);
    const ownMs = latencies.map((latency) => latency.ownMs ?? 0);
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const sent = Number(/^trace_spans_sent_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
    if (variables.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && sent === 0) throw new Error('no span was sent');
    return { ownMs, startMs: server.firstAnswerMs, megabytes: service.residentMegabytes, sent };
  } finally {
    await service.close();
  }
}

/** Rotel if the tests have installed it, which drops what it has read; otherwise a server that reads nothing of it. */
async function startCollector(): Promise<{ url: string; name: string; stop(): Promise<unknown> }> {
  const program = findCollector();
  if (program === undefined) {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
    return { url: `http://127.0.0.1:${port}`, name: 'a server', stop };
  }
  const [port, grpcPort] = [await freePort(), await freePort()];
  const addresses = ['--otlp-http-endpoint', `127.0.0.1:${port}`, '--otlp-grpc-endpoint', `127.0.0.1:${grpcPort}`];
  const child = spawn(program, ['start', ...addresses, '--exporter', 'blackhole'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const stop = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { url: `http://127.0.0.1:${port}`, name: 'Rotel', stop };
}
