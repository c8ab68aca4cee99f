import type { LoggedCall } from '../../src/voice/carriers/local/call-log.ts';
import type { PhoneScene } from '../phone/scene.ts';
import type { AskedCall } from './caller.ts';
import { endReasons } from './phones.ts';

interface StoredLeg {
  readonly call_id: string;
  readonly state: string;
  readonly rank: number;
  readonly attempts: number;
  readonly provider_call_id: string | null;
  readonly settled_at: number | null;
  readonly hasNumbers: number;
}

interface StoredCall {
  readonly id: string;
  readonly status: string;
  readonly endReason: string | null;
}

/** The first, and three more if there was certainly no connection. Whether it was dialed twice, only the carrier knows. */
const maxAttempts = 4;
const callStatuses = ['ended', 'not_connected', 'error'];
/** What ends a call by the API, or is as quick as that. */
const byRequest = ['canceled', 'api_end'];

/** Compares what was asked for, what is stored, and what the carrier has dialed. */
export async function checkDials(
  scene: PhoneScene,
  asked: readonly AskedCall[],
  found: (what: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const { database } = scene;
  const rows = await database.all<{ id: string; status: string; doc: string }>('SELECT id, status, doc FROM calls');
  const stored = new Map<string, StoredCall>(
    rows.map(({ id, status, doc }) => [id, { id, status, endReason: JSON.parse(doc).endReason ?? null }]),
  );
  const legs = await database.all<StoredLeg & { [column: string]: string | number | null }>(
    `SELECT call_id, state, rank, attempts, provider_call_id, settled_at,
        CASE WHEN sealed IS NULL THEN 0 ELSE 1 END AS "hasNumbers" FROM phone_dials`,
  );
  const log = scene.carrier.calls();
  if (stored.size !== asked.length) found(`${stored.size} calls for ${asked.length} answers`);
  checkNumbers(asked, log, found);
  checkLegs(legs, found);
  checkLog(legs, log, asked, found);
  const byCall = new Map(legs.map((leg) => [leg.call_id, leg]));
  const reasons = new Map<string, number>();
  for (const call of asked) {
    const known = stored.get(call.id);
    if (known === undefined) found('an acknowledged call is not stored');
    else checkEnd(call, known, byCall.get(call.id), found);
    const reason = known?.endReason ?? 'none';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return Object.fromEntries([...reasons].sort().map(([reason, count]) => [`ended as ${reason}`, count]));
}

/** No number is dialed more often than somebody asked for it. */
function checkNumbers(asked: readonly AskedCall[], log: readonly LoggedCall[], found: (what: string) => void): void {
  const wanted = Map.groupBy(asked, ({ to }) => to);
  for (const [to, dialed] of Map.groupBy(log, (call) => call.to)) {
    const count = wanted.get(to)?.length ?? 0;
    if (dialed.length > count)
      found(`a call was dialed twice (${dialed.length} times for ${count} calls, …${to.slice(-2)})`);
  }
  for (const { endedAt, to } of log)
    if (endedAt === null) found(`a leg was left open at the carrier (…${to.slice(-2)})`);
}

function checkLegs(legs: readonly StoredLeg[], found: (what: string) => void): void {
  for (const { attempts, settled_at, hasNumbers, state, rank } of legs) {
    if (attempts > maxAttempts) found('a request to dial was sent too often');
    if (settled_at === null) found('the leg of a call that is over is not settled');
    if (hasNumbers === 1) found('the numbers of a call that is over are still there');
    if (state === 'confirmed' && rank < 3) found('the end of a leg is not known');
  }
}

/** Every call at the carrier is a leg of ours, and the other way round. */
function checkLog(
  legs: readonly StoredLeg[],
  log: readonly LoggedCall[],
  asked: readonly AskedCall[],
  found: (what: string) => void,
): void {
  const sids = new Set(log.map(({ sid }) => sid));
  const linked = new Set<string>();
  for (const { provider_call_id: id } of legs) {
    if (id === null) continue;
    if (!sids.has(id)) found('a leg has an id that the carrier does not know');
    linked.add(id);
  }
  const byCall = new Map(legs.map((leg) => [leg.call_id, leg]));
  for (const { sid, to, status, endedAt } of log) {
    if (linked.has(sid)) continue;
    const candidates = asked.filter((call) => call.to === to).map(({ id }) => byCall.get(id));
    const unconfirmed = candidates.filter((leg) => leg?.state === 'sent' && leg.provider_call_id === null);
    // Neither of two requests to one number has a response: nobody can know which of them it was, and it is over.
    if (unconfirmed.length > 1 && endedAt !== null) continue;
    const states = candidates.map(
      (leg) => `${leg?.state} ${leg?.provider_call_id === null ? 'without' : 'with'} an id`,
    );
    found(`a call at the carrier belongs to no leg (…${to.slice(-2)}, ${status}; ${states.sort().join(', ')})`);
  }
}

function checkEnd(
  { phone, isEnded }: AskedCall,
  { status, endReason }: StoredCall,
  leg: StoredLeg | undefined,
  found: (what: string) => void,
): void {
  if (leg === undefined) found('a call has no leg');
  if (!callStatuses.includes(status)) found(`a call is ${status} when everything is over`);
  if (leg === undefined || !callStatuses.includes(status)) return;
  const expected = [...(endReasons[phone] ?? []), ...(isEnded ? byRequest : [])];
  // The process was lost before it had sent the request: the carrier has never heard of the call.
  if (endReason === 'carrier_failed' && leg.provider_call_id === null) return;
  if (!expected.includes(String(endReason))) found(`a call to …${phone} ended as ${status}/${endReason}`);
}
