import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { eventually } from '../support.ts';
import { audioStart, connect, joined, newWebCall, withResume, withToken } from './support.ts';

const calls = 20;
const resumesPerCall = 50;
/** Sockets, timers and sessions of a thousand connections would take many times as much. */
const maxGrowthBytes = 12 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a thousand joins and drops', () => {
  const service = useService(sqliteEngine(), { calls: { concurrency: 1000 } });

  it('leave no socket, timer or memory behind', { timeout: 240_000 }, async () => {
    const { key } = await service.newKey();
    const metric = async (name: string) => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    const used = async () => {
      for (let count = 0; count < 3; count += 1) {
        collectGarbage();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const active = process.getActiveResourcesInfo();
      const timers = active.filter((name) => name === 'Timeout').length;
      return {
        timers,
        sockets: active.filter((name) => name.startsWith('TCP')).length,
        heap: process.memoryUsage().heapUsed,
      };
    };
    const churn = async (resumes: number) => {
      const call = await newWebCall(service, key, { agent: { sttProvider: 'test', ttsProvider: 'test' } });
      let protocols = withToken(call.accessToken);
      for (let count = 0; count < resumes; count += 1) {
        const client = await joined(connect(service, call.id, protocols));
        const { resumeKey } = await client.start(audioStart);
        protocols = withResume(String(resumeKey));
        await client.drop();
      }
      await call.end();
    };
    // The REST connections of all callers stay open, so they are opened first.
    await Promise.all(Array.from({ length: calls }, () => churn(1)));
    await eventually(async () => (await metric('live_sockets_open')) === 0);
    const before = await used();
    await Promise.all(Array.from({ length: calls }, () => churn(resumesPerCall)));
    await eventually(async () => (await metric('live_sockets_open')) === 0);
    assert.equal(await metric('voice_calls_ongoing'), 0);
    const after = await eventually(async () => {
      const now = await used();
      return now.timers <= before.timers + 5 && now.sockets <= before.sockets + 5 && now;
    });
    assert.ok(after.heap - before.heap < maxGrowthBytes, `${Math.round((after.heap - before.heap) / 1024)} KiB more`);
  });
});
