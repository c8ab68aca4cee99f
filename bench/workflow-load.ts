import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../src/storage/database.ts';
import { send } from '../test/support/client.ts';

interface Target {
  readonly url: string;
}

const maxWaitMs = 300_000;
/** Counting thousands of runs every few milliseconds would be a load of its own. */
const pollMs = 200;
/** The unit of `utime` and `stime` in /proc, on every Linux. */
const tickMs = 10;

async function must(service: Target, method: string, path: string, key: string, body?: object) {
  const answer = await send(service, method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  if (answer.status > 299) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
  return answer.json;
}

export async function newAgent(service: Target, key: string): Promise<string> {
  const body = { name: 'Reception', voiceId: 'voice-1', llmModel: 'test-echo', prompt: 'Echo.', beginMessage: '' };
  return (await must(service, 'POST', '/agents', key, body)).id;
}

export async function enabledWorkflow(
  service: Target,
  key: string,
  steps: readonly object[],
  filter: object | null = null,
): Promise<string> {
  const trigger = { event: 'call_ended', includeDrafts: true, filter };
  const { id } = await must(service, 'POST', '/workflows', key, { name: 'Bench', trigger, steps });
  await must(service, 'PATCH', `/workflows/${id}`, key, { enabled: true });
  return id;
}

async function openChat(service: Target, key: string, agentId: string, messages: number): Promise<string> {
  const { id } = await must(service, 'POST', '/calls', key, { type: 'chat', agentId, agentVersion: 'latest' });
  for (let number = 0; number < messages; number += 1)
    await must(service, 'POST', `/calls/${id}/messages`, key, { text: `Message ${number}` });
  return id;
}

export async function endedChat(service: Target, key: string, agentId: string, messages: number): Promise<string> {
  const id = await openChat(service, key, agentId, messages);
  await must(service, 'POST', `/calls/${id}/end`, key);
  return id;
}

export async function timeOfEnd(service: Target, key: string, agentId: string): Promise<number> {
  const id = await openChat(service, key, agentId, 5);
  const start = performance.now();
  await must(service, 'POST', `/calls/${id}/end`, key);
  return performance.now() - start;
}

export async function untilNoneIsOpen(database: Database): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const row = await database.get<{ open: number; matching: number }>(
      `SELECT (SELECT count(*) FROM workflow_runs WHERE completed_at IS NULL) AS open,
        (SELECT count(*) FROM jobs WHERE kind LIKE '%workflow%' AND finished_at IS NULL) AS matching`,
    );
    if (Number(row?.open) + Number(row?.matching) === 0) return;
    if (performance.now() - startMs > maxWaitMs) throw new Error('runs did not end');
    await delay(pollMs);
  }
}

/** Processor time that processes have used so far. */
export function busyMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * tickMs;
  }, 0);
}

interface InsertedRuns {
  readonly workflows: readonly string[];
  /** In turn, for the runs of each workflow. */
  readonly callIds: readonly string[];
  readonly count: number;
  readonly dueInMs: number;
}

/** Runs as matching inserts them, without the calls that would start them. */
export class WorkflowRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async insert({ workflows, callIds, count, dueInMs }: InsertedRuns): Promise<void> {
    const call = await this.#database.get<{ workspace_id: string }>('SELECT workspace_id FROM calls WHERE id = $1', [
      callIds[0] ?? null,
    ]);
    const [id, callId] =
      this.#database.dialect.engine === 'sqlite'
        ? ["printf('run_%030d', number)", "json_extract($5, '$[' || cast(number % $8 as integer) || ']')"]
        : ["'run_' || lpad(number::text, 30, '0')", '(CAST($5 AS json) ->> CAST(number % $8 AS int))'];
    const each = Math.ceil(count / workflows.length);
    for (const [place, workflow] of workflows.entries()) {
      await this.#database.run(
        `INSERT INTO workflow_runs (workspace_id, id, workflow_id, workflow_version, call_id, status, triggered_by, depth,
            due_at, attempt, content_removed, created_at)
          WITH RECURSIVE numbers (number) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT number + 1 FROM numbers WHERE number < $2)
          SELECT $3, ${id}, $4, 1, ${callId}, 'pending', 'manual', 1, CAST($6 AS BIGINT), 0, 0, CAST($7 AS BIGINT) FROM numbers`,
        [
          place * each + 1,
          (place + 1) * each,
          call?.workspace_id ?? '',
          workflow,
          JSON.stringify(callIds),
          Date.now() + dueInMs,
          Date.now(),
          callIds.length,
        ],
      );
    }
  }
}
