import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from '../campaign.ts';
import type { Connection, Reply } from '../connection.ts';

export const rate = { requests: 12, windowSeconds: 1 };
export const stepsInWindow = 4;
const windowMs = rate.windowSeconds * 1000;
/** The time of a database round trip on a busy machine. */
const slackMs = 250;

/**
 * One key through one window: exactly its limit, no more until the window ends whatever the clock does, then the same
 * again.
 */
export async function checkWindow(
  connections: readonly Connection[],
  key: string,
  run: Run,
  step: () => Promise<void>,
): Promise<{ admitted: number; refused: number }> {
  let count = 0;
  let admitted = 0;
  let refused = 0;
  const send = async () => {
    count += 1;
    const sent = performance.now();
    const connection = connections[count % connections.length] as Connection;
    const reply = await connection.request('GET', '/api/v1/whoami', { key });
    checkHeaders(reply, run);
    if (reply.status === 200) admitted += 1;
    else if (reply.status === 429) refused += 1;
    else run.found(`rate: answered ${reply.status}`);
    return { isAdmitted: reply.status === 200, sent, answered: performance.now() };
  };

  const first = await send();
  if (!first.isAdmitted) run.found('rate: the first request of a key was refused');
  for (let count = 1; count < rate.requests; count += 1) {
    const { isAdmitted, answered } = await send();
    if (answered - first.sent >= windowMs) return { admitted, refused };
    if (!isAdmitted) run.found('rate: a key got less than its share');
  }
  for (let round = 0; round < stepsInWindow - 1; round += 1) {
    await step();
    const { isAdmitted, answered } = await send();
    if (isAdmitted && answered - first.sent < windowMs - 5) run.found('rate: a key got more than its share');
    await delay(50);
  }
  await step();
  await delay(Math.max(0, first.answered + windowMs + slackMs - performance.now()));
  if (!(await send()).isAdmitted) run.found('rate: a key was kept out after its window');
  return { admitted, refused };
}

function checkHeaders({ status, headers }: Reply, run: Run): void {
  const reset = Number(/;t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1]);
  if (!(reset >= 1 && reset <= rate.windowSeconds)) run.found(`rate: RateLimit says ${reset} s`);
  const wait = Number(headers.get('retry-after'));
  if (status === 429 && !(wait >= 1 && wait <= rate.windowSeconds)) run.found(`rate: Retry-After is ${wait} s`);
}
