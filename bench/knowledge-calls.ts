import { setTimeout as delay } from 'node:timers/promises';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import { scriptOf } from './live-caller.ts';
import { figure } from './report.ts';
import type { Seed } from './seed.ts';
import { startProduct, workingCopy } from './servers.ts';
import { median, percentileOf } from './statistics.ts';
import { atMost, type Target } from './targets.ts';
import { doubles, doublesMs, doubleTurnMs, loadText, Service } from './web-calls.ts';

const calls = 100;
const maxKnowledgeMs = 30;
const indexingMs = 120_000;

/** Spoken calls of an agent that looks everything up: how long its replies wait for what it finds. */
export async function measureKnowledgeInCalls(seed: Seed, documents: readonly string[]): Promise<Target> {
  const environment = { CALL_CONCURRENCY: '10000', CALL_RATE: 'off', RATE_LIMIT: 'off' };
  const server = await startProduct(seed, workingCopy(seed.databaseFile), environment);
  const service = new Service(server, seed.keys[0] as string);
  try {
    const baseId = await createBase(service, documents);
    const agent = {
      ...doubles,
      llmModel: 'test-knowledge',
      language: 'ja',
      agentSettings: { knowledge: { bases: [{ id: baseId }] } },
    };
    const script = { frames: scriptOf(testFrames('営業時間', 10), doubleTurnMs), lastVoiced: 9 };
    const latencies = await service.measure(agent, calls, script, doublesMs);
    // A reply that nothing was looked up for would look like a fast one.
    const times = latencies.map(({ knowledgeMs }) => knowledgeMs).filter((ms) => ms !== null);
    if (times.length < 0.9 * latencies.length) throw new Error(`${times.length} of ${latencies.length} turns searched`);
    const own = latencies.map(({ ownMs }) => ownMs ?? 0);
    const note = `median ${figure(median(times))} ms of ${times.length} turns, own overhead p99 ${figure(percentileOf(own, 0.99))} ms, ${loadText()}`;
    const title = `knowledge: time added to a spoken turn, ${calls} calls, p99`;
    return atMost(title, percentileOf(times, 0.99), maxKnowledgeMs, 'ms', note);
  } finally {
    await service.close();
  }
}

async function createBase(service: Service, documents: readonly string[]): Promise<string> {
  const { id } = await service.send('POST', '/knowledge-bases', { name: 'bench', language: 'ja' });
  for (const [number, text] of documents.entries()) {
    await service.send('POST', `/knowledge-bases/${id}/documents`, { name: `案内${number}`, text });
  }
  const deadline = performance.now() + indexingMs;
  while (performance.now() < deadline) {
    const { status } = await service.send('GET', `/knowledge-bases/${id}`);
    if (status === 'ready') return id;
    if (status === 'degraded') throw new Error('a document has failed');
    await delay(200);
  }
  throw new Error('the documents were not indexed in time');
}
