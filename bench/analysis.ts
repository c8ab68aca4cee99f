import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { echoAgent } from './echo-agent.ts';
import type { Seed } from './seed.ts';
import { type ProductServer, startProduct, workingCopy } from './servers.ts';
import { atLeast, type Target } from './targets.ts';

const calls = 500;
const minPerSecond = 100;
const concurrent = 64;

const agent = {
  ...echoAgent,
  postCallAnalysisModel: 'test-extract',
  postCallAnalysisData: [
    { name: 'booked', type: 'boolean', description: 'Whether a booking was made.' },
    { name: 'guests', type: 'number', description: 'How many.' },
    { name: 'menu', type: 'enum', description: 'Which.', options: ['cut', 'color'] },
  ],
};
const said = 'booked: true\nguests: 2\nmenu: cut\nsummary: A booking for two.\nsuccessful: true\nsentiment: positive';

/** Analyses with a model of the service's own, from the request until all of them are completed. */
export async function measureAnalysis(seed: Seed): Promise<readonly Target[]> {
  const environment = { CALL_CONCURRENCY: '100000', CALL_RATE: 'off', RATE_LIMIT: 'off' };
  const server = await startProduct(seed, workingCopy(seed.databaseFile), environment);
  const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: concurrent });
  const headers = { authorization: `Bearer ${seed.keys[0]}`, 'content-type': 'application/json' };
  const send = async (path: string, body: object): Promise<string> => {
    const request = { method: 'POST', path: `/api/v1${path}`, headers, body: JSON.stringify(body) } as const;
    const response = await pool.request(request);
    const text = await response.body.text();
    if (response.statusCode > 299) throw new Error(`POST ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text).id;
  };
  try {
    const agentId = await send('/agents', agent);
    const ids = await Promise.all(
      Array.from({ length: calls }, async () => {
        const id = await send('/calls', { type: 'chat', agentId, agentVersion: 'latest' });
        await send(`/calls/${id}/messages`, { text: said });
        await send(`/calls/${id}/end`, {});
        return id;
      }),
    );
    await until(server, calls);
    const startMs = performance.now();
    await Promise.all(ids.map((id) => send(`/calls/${id}/analysis`, {})));
    await until(server, 2 * calls);
    const perSecond = calls / ((performance.now() - startMs) / 1000);
    const note = `${calls} requested over HTTP at once, until the last is completed`;
    return [atLeast('analyses with test-extract', perSecond, minPerSecond, note, '/s')];
  } finally {
    await pool.close();
    await server.stop();
  }
}

/** Waits until so many have succeeded. */
async function until({ port }: ProductServer, count: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const match = /^job_runs_total\{kind="analysis",outcome="succeeded"\} (\d+)$/m.exec(text);
    if (Number(match?.[1] ?? 0) >= count) return;
    await delay(10);
  }
}
