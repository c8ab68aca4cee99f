import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../connection.ts';
import type { Random } from '../random.ts';

/** What writers and readers share. */
export interface Work {
  readonly key: string;
  readonly agentId: string;
  /** Every value that was ever put into a call. */
  readonly plants: string[];
  readonly random: Random;
  found(what: string): void;
}

const changes = ['none', 'update', 'redact', 'analyze', 'delete'] as const;

/** A call with a planted value, which is ended, and maybe changed, redacted, analyzed again or deleted. */
export async function writeCall({ key, agentId, plants, random, found }: Work, connection: Connection): Promise<void> {
  const must = async (method: string, path: string, body?: object, others: readonly number[] = []) => {
    const reply = await connection.request(method, `/api/v1/calls${path}`, { key, ...(body && { body }) });
    const isExpected = reply.status < 300 || others.includes(reply.status);
    if (!isExpected) found(`${method} ${path} was answered ${reply.status}: ${reply.body}`);
    return isExpected && reply.status < 300 ? JSON.parse(reply.body.toString()) : null;
  };
  const plant = () => {
    const value = `planted${random.int(10 ** 8, 10 ** 9 - 1)}x${plants.length}`;
    plants.push(value);
    return value;
  };
  const created = await must('POST', '', { type: 'chat', agentId, metadata: { note: plant(), round: 1 } });
  if (created === null) return;
  for (let turn = random.int(0, 3); turn > 0; turn -= 1)
    await must('POST', `/${created.id}/messages`, { text: plant() });
  await must('POST', `/${created.id}/end`, {});
  if (random.chance(0.5)) await delay(random.int(0, 100));
  for (let count = random.int(1, 3); count > 0; count -= 1) {
    const change = random.pick(changes);
    if (change === 'update') await must('PATCH', `/${created.id}`, { metadata: { note: plant() } }, [404, 422]);
    if (change === 'redact') await must('POST', `/${created.id}/redact`, { to: 'basic_attributes_only' }, [404]);
    if (change === 'analyze') await must('POST', `/${created.id}/analysis`, {}, [404, 409, 422, 429]);
    if (change === 'delete') await must('DELETE', `/${created.id}`, undefined, [404, 409]);
  }
}

export interface Reader {
  stop(): Promise<number>;
}

/** Queries without a pause: the parts of every answer add up to its whole. */
export function readers({ key, found }: Work, port: number, count: number): Reader {
  let isStopped = false;
  let queries = 0;
  const body = { range: { last: '2d' }, metrics: ['calls', 'connectedCalls', 'agentTurns.sum'], groupBy: ['status'] };
  const read = async (): Promise<void> => {
    const connection = new Connection(port);
    try {
      while (!isStopped) {
        const reply = await connection.request('POST', '/api/v1/analytics/query', { key, body });
        if (reply.status === 503) continue;
        queries += 1;
        if (reply.status !== 200) found(`a query was answered ${reply.status}: ${reply.body}`);
        else {
          const { rows, calls } = JSON.parse(reply.body.toString());
          const sum = (rows as { values: { calls: number } }[]).reduce((total, { values }) => total + values.calls, 0);
          if (sum !== calls) found(`the groups have ${sum} calls, and the whole has ${calls}`);
        }
      }
    } catch {
      // The process was killed.
    } finally {
      connection.close();
    }
  };
  const all = Promise.all(Array.from({ length: count }, read));
  return {
    stop: async () => {
      isStopped = true;
      await all;
      return queries;
    },
  };
}
