import { setTimeout as delay } from 'node:timers/promises';
import { makeKeys } from '../campaigns/keys.ts';
import { testFrames } from '../src/voice/providers/test/frames.ts';
import { scriptOf } from './live-caller.ts';
import { startProduct } from './servers.ts';
import { median } from './statistics.ts';
import type { Target } from './targets.ts';
import { doubles, doublesMs, doubleTurnMs, p99Target, Service } from './web-calls.ts';

const calls = 100;
const maxOwnMs = 25;
/** What `Retry-After` says. */
const retryMs = 1000;

/** Spoken calls of a service that answers one query after the other, without a pause, in the workspace of the calls. */
export async function measureCallsBesideQueries(
  { engine, url, workspaceId }: { readonly engine: string; readonly url: string; readonly workspaceId: string },
  query: object,
): Promise<Target> {
  // The name of the workspace is its id.
  const [key] = await makeKeys(url, [{ workspace: workspaceId }]);
  if (key?.workspaceId !== workspaceId) throw new Error('the key is for another workspace');
  const keys = [key.secret];
  const environment = { CALL_CONCURRENCY: '10000', CALL_RATE: 'off', RATE_LIMIT: 'off', DATABASE_URL: url };
  const service = new Service(await startProduct({ keys }, '', environment), key.secret);
  try {
    const script = { frames: scriptOf(testFrames('tomorrow', 10), doubleTurnMs), lastVoiced: 9 };
    let isOver = false;
    const times: number[] = [];
    let refused = 0;
    const querying = (async () => {
      while (!isOver) {
        const start = performance.now();
        try {
          await service.send('POST', '/analytics/query', query);
          times.push(performance.now() - start);
        } catch (error) {
          // On a busy machine, the service refuses requests for the sake of its calls.
          if (!(error as Error).message.includes('SERVICE_UNAVAILABLE')) throw error;
          refused += 1;
          await delay(retryMs);
        }
      }
    })();
    const latencies = await service.measure(doubles, calls, script, doublesMs).finally(() => {
      isOver = true;
    });
    await querying;
    const also = `, beside ${times.length} queries, median ${median(times).toFixed(0)} ms, ${refused} refused`;
    return p99Target(`own overhead per turn, ${calls} calls beside queries, ${engine}, p99`, latencies, maxOwnMs, also);
  } finally {
    await service.close();
  }
}
