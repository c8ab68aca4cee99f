import { setTimeout as delay } from 'node:timers/promises';
import { errorsIn } from '../../../campaigns/phone/scene.ts';
import type { Call } from '../../../sdk/src/index.ts';
import type { Load } from './load.ts';
import { answerTo, type Scene } from './scene.ts';

/** Jobs of a lost process go on after 31 seconds, and some follow others. */
const maxSettleMs = 120_000;

/** How many of each are still open. */
const openThings = {
  calls: `SELECT count(*) AS count FROM calls WHERE status NOT IN ('ended', 'not_connected', 'error')`,
  analyses: `SELECT count(*) AS count FROM calls WHERE analysis_status = 'pending'`,
  recordings: `SELECT count(*) AS count FROM calls WHERE doc::json -> 'recording' ->> 'status' IN ('pending', 'recording', 'processing')`,
  deliveries: `SELECT count(*) AS count FROM deliveries WHERE status <> 'succeeded'`,
  runs: 'SELECT count(*) AS count FROM workflow_runs WHERE completed_at IS NULL',
} as const;

/** Waits until nothing is left to do, and says what never ended. */
export async function settle({ database }: Scene, found: (what: string) => void): Promise<void> {
  const deadline = performance.now() + maxSettleMs;
  for (;;) {
    const open: string[] = [];
    for (const [name, sql] of Object.entries(openThings)) {
      const row = await database.get<{ count: number }>(sql);
      if (Number(row?.count) > 0) open.push(`${row?.count} ${name}`);
    }
    if (open.length === 0) return;
    if (performance.now() > deadline) return found(`still open: ${open.join(', ')}`);
    await delay(500);
  }
}

/** Nothing is lost, and nothing was done twice. `isKilled`: what a process had not written yet is lost with it. */
export async function checkAll(
  scene: Scene,
  load: Load,
  { isKilled, found }: { readonly isKilled: boolean; readonly found: (what: string) => void },
): Promise<void> {
  const { database, instances, carrier, client } = scene;
  const rows = await database.all<{ doc: string }>('SELECT doc FROM calls');
  const calls = new Map(rows.map(({ doc }) => JSON.parse(doc) as Call).map((call) => [call.id, call]));
  for (const { id, type, status, endReason } of calls.values())
    if (status !== 'ended' && type !== 'phone') found(`the ${type} call ${id} is ${status} (${endReason})`);
  for (const { id, messages } of load.chats) {
    const { turns } = await client.calls.transcript.get(id);
    const texts = turns.map(({ role, text }) => `${role}: ${text}`);
    const expected = messages.flatMap((text) => [`caller: ${text}`, `agent: ${answerTo(text)}`]);
    if (texts.join('\n') !== expected.join('\n')) found(`a chat has the turns ${texts.join(', ')}`);
  }
  for (const { id, words, answered, answeredAtLoss } of load.web) {
    const { turns } = await client.calls.transcript.get(id);
    const heard = turns
      .filter(({ role }) => role === 'caller')
      .flatMap(({ text }) => text.match(/w[a-j]+x[a-j]+/g) ?? []);
    if (new Set(heard).size < heard.length) found('a word is in a transcript twice');
    if (heard.join() !== words.filter((word) => heard.includes(word)).join())
      found('the words of a call are in another order');
    // A process that is killed may not have written the last quarter of a second.
    const losable = new Set(isKilled ? answeredAtLoss.map((count) => answered[count - 1]) : []);
    const lost = answered.filter((word) => !heard.includes(word) && !losable.has(word));
    if (lost.length > 0) found(`a transcript lacks ${lost.length} of ${answered.length} words that were answered`);
  }
  await checkEnded(scene, calls, found);
  await checkFollowUps(scene, calls, found);
  const legs = Map.groupBy(carrier.calls(), ({ to }) => to);
  for (const [number, id] of load.dialed) {
    const count = legs.get(number)?.length ?? 0;
    // Whether the carrier was asked is not known of a process that is killed meanwhile: then the call fails.
    const isUnknown = isKilled && count === 0 && calls.get(id)?.status !== 'ended';
    if (count !== 1 && !isUnknown) found(`a number was dialed ${count} times`);
  }
  for (const { message } of await carrier.violations()) found(`the carrier was misused: ${message}`);
  for (const error of errorsIn(instances.output())) found(`the log has an error: ${error}`);
}

/** Every call in which something was said is analyzed, and its recording can be read. */
async function checkEnded(
  { database, client }: Scene,
  calls: ReadonlyMap<string, Call>,
  found: (what: string) => void,
): Promise<void> {
  const spoken = await database.all<{ id: string }>(
    "SELECT DISTINCT call_id AS id FROM call_turns WHERE role = 'caller'",
  );
  for (const { id } of spoken) {
    const { type, endReason, analysis, recording } = calls.get(id) as Call;
    const what = `of a ${type} call (${endReason}) is`;
    if (analysis.status !== 'completed') found(`the analysis ${what} ${analysis.status}`);
    if (type === 'chat') continue;
    if (recording.status !== 'available') found(`the recording ${what} ${recording.status}`);
    else if (!(await fetch((await client.calls.recording.get(id)).url)).ok) found(`the recording ${what} unreadable`);
  }
}

/** Every event was delivered, and every chat has its run. */
async function checkFollowUps(
  { database, delivered, reported }: Scene,
  calls: ReadonlyMap<string, Call>,
  found: (what: string) => void,
) {
  const events = await database.all<{ id: string; type: string; subject: string }>(
    'SELECT id, type, subject_id AS subject FROM events WHERE is_test = 0',
  );
  for (const { id, type } of events) if (!delivered.has(id)) found(`an event ${type} was not delivered`);
  const ended = new Set(events.filter(({ type }) => type === 'call_ended').map(({ subject }) => subject));
  const runs = await database.all<{ call: string; status: string }>(
    'SELECT call_id AS call, status FROM workflow_runs',
  );
  const runsOf = Map.groupBy(runs, ({ call }) => call);
  for (const { id, type, status, metadata } of calls.values()) {
    if (status === 'ended' && !ended.has(id)) found(`the end of a ${type} call has no event`);
    if (type !== 'chat') continue;
    const own = (runsOf.get(id) ?? []).map((run) => run.status);
    if (own.join() !== 'succeeded') found(`a chat has the runs ${own.join() || 'none'}`);
    if (!reported.has(id) || metadata.reported !== 'yes') found('a run has left out a step');
  }
}

/** How long each phone call was without a process, when its own was replaced or lost. */
export async function phoneGapsMs({ database }: Scene, killsMs: readonly number[]): Promise<number[]> {
  const rows = await database.all<{ id: string; at: number; owner: string | null }>(
    'SELECT id, at, owner FROM owner_changes ORDER BY number',
  );
  const gaps: number[] = [];
  for (const changes of Map.groupBy(rows, ({ id }) => id).values()) {
    for (const [index, { owner, at }] of changes.entries()) {
      if (owner === null || index === 0) continue;
      const before = changes[index - 1] as { at: number; owner: string | null };
      // The process was lost, and says nothing about it.
      const lostAt = before.owner === null ? before.at : (killsMs.findLast((killMs) => killMs < at) ?? before.at);
      gaps.push(at - lostAt);
    }
  }
  return gaps;
}
