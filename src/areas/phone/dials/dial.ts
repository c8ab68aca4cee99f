import type { JobContext, JobKind } from '../../../jobs/kind.ts';
import type { Database } from '../../../storage/database.ts';
import type { DialOutcome, DialRequest } from '../../../voice/carriers/carrier.ts';
import { callAddresses } from '../addresses.ts';
import type { CarrierRow, CarrierStore } from '../carriers/store.ts';
import type { Destinations } from '../destinations.ts';
import type { PhoneCalls, PhoneEnding } from '../phone-calls.ts';
import type { Confirm } from './confirm.ts';
import type { FindCall } from './find-call.ts';
import { type LegJob, type LegJobs, legJobs } from './jobs.ts';
import { type LegReport, reportOf } from './reports.ts';
import { callLeg, type Dial, type DialPlan, type DialStore } from './store.ts';

export interface DialParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly calls: PhoneCalls;
  readonly carriers: CarrierStore;
  readonly jobs: LegJobs;
  readonly confirm: Confirm;
  readonly findCall: FindCall;
  readonly destinations: Destinations;
  readonly apply: (dial: Dial, report: LegReport) => Promise<boolean>;
  /** The leg of a transfer could not be dialed. */
  readonly onTransferFailed: (dial: Dial, reason: PhoneEnding['reason']) => Promise<void>;
  readonly now: () => number;
}

/** How long a call that the carrier did not confirm is looked for. */
export const lookUpMs = 60_000;
/** Signed requests of the carrier, which name the call, usually arrive before its list has it. */
const firstLookUpMs = 3000;
const nextLookUpMs = 5000;
/** How often, and after what time, a request may be repeated that did not reach the carrier. */
const resendDelaysMs = [1000, 3000, 10_000] as const;

const notConfirmed = 'The carrier did not confirm the call. It was not dialed again.';

/**
 * Dials a leg. The carrier has no idempotency key: a request is sent at most once, and what is unknown is looked up,
 * never repeated.
 */
export function createDialJob(parts: DialParts): JobKind<LegJob> {
  const { database, dials } = parts;
  return {
    ...legJobs.dial,
    run: async ({ payload }, context) => {
      const dial = await dials.find(database, payload);
      if (dial === undefined || dial.settledAt !== null) return;
      const carrier = await parts.carriers.read(database, dial.workspaceId, dial.carrierId);
      const leg = { dial, carrier, context };
      if (dial.state === 'intended') await send(parts, leg);
      else if (dial.state === 'sent') await lookUp(parts, leg);
      // A restored backup does not know what was dialed since.
      else if (dial.state === 'refused') {
        const detail = 'The call was not dialed, because the service was restored from a backup.';
        await fail(parts, leg, { reason: 'canceled', by: 'system', detail });
      }
    },
  };
}

interface LegInJob {
  readonly dial: Dial;
  /** Undefined: it was deleted. */
  readonly carrier: CarrierRow | undefined;
  readonly context: JobContext;
}

async function send(parts: DialParts, leg: LegInJob): Promise<void> {
  const { database, dials, carriers, destinations, now } = parts;
  const { dial, carrier, context } = leg;
  const { plan } = dial;
  const base = carrier === undefined ? null : carriers.publicBase(carrier);
  if (carrier === undefined || base === null || plan === null || !hasCredentials(parts, carrier)) {
    const detail = carrier === undefined ? 'The carrier was deleted.' : 'The carrier is not configured.';
    return fail(parts, leg, { reason: 'carrier_failed', by: 'system', detail });
  }
  const client = await carriers.client(carrier);
  const moment = dial.leg === callLeg ? 'dial' : 'transfer';
  const { isOurs, forbidden } = await database.transaction(async (queries) => {
    const found = await destinations.forbiddenBy(queries, { carrier: carrier.carrier, to: plan.to, moment });
    if (found !== null) return { forbidden: found, isOurs: false };
    return { forbidden: null, isOurs: await dials.markSent(queries, dial, now()) };
  });
  if (forbidden !== null) {
    const detail = `The number ${forbidden.issue}.`;
    return fail(parts, leg, { reason: 'destination_not_allowed', by: 'system', detail });
  }
  if (!isOurs) return;
  const outcome = await client.dial(requestOf(dial, plan, base), context.signal);
  await record(parts, { ...leg, dial: { ...dial, state: 'sent', attempts: dial.attempts + 1 } }, outcome);
}

/** The credentials may have been lost with the data key. */
function hasCredentials({ carriers }: DialParts, carrier: CarrierRow): boolean {
  try {
    return carriers.credentials(carrier).authToken !== '';
  } catch {
    return false;
  }
}

function requestOf({ leg, carrierId, callId }: Dial, plan: DialPlan, base: string): DialRequest {
  const { from, to, ringTimeoutMs, maxDurationMs, detectsMachine } = plan;
  const addresses = callAddresses(base, carrierId, callId);
  const isCall = leg === callLeg;
  return {
    from,
    to,
    ringTimeoutMs,
    maxDurationMs,
    answerUrl: isCall ? addresses.answer : addresses.brief(leg),
    statusUrl: isCall ? addresses.status : addresses.briefStatus(leg),
    machineDetectionUrl: detectsMachine ? addresses.machine : null,
  };
}

async function record(parts: DialParts, leg: LegInJob, outcome: DialOutcome): Promise<void> {
  const { database, confirm } = parts;
  const { dial, context } = leg;
  switch (outcome.what) {
    case 'confirmed':
      await database.transaction(async (queries) => {
        await confirm(queries, dial, outcome.providerCallId);
        await context.complete(queries);
      });
      return;
    case 'refused':
      return fail(parts, leg, { reason: outcome.endReason, by: 'system', detail: outcome.detail });
    case 'unknown':
      return repeat(parts, leg, firstLookUpMs);
    case 'not_sent': {
      const delayMs = resendDelaysMs[dial.attempts - 1];
      if (delayMs === undefined) {
        return fail(parts, leg, { reason: 'carrier_failed', by: 'system', detail: outcome.detail });
      }
      return sendAgain(parts, leg, Math.max(delayMs, outcome.retryAfterMs ?? 0));
    }
    default:
      outcome satisfies never;
  }
}

/** The request takes its place among the other calls of the carrier again. */
async function sendAgain(parts: DialParts, leg: LegInJob, delayMs: number): Promise<void> {
  const { database, dials, carriers, jobs, now } = parts;
  const { dial, carrier, context } = leg;
  await database.transaction(async (queries) => {
    if (!(await dials.markUnsent(queries, dial)) || !(await context.complete(queries))) return;
    const at = carrier === undefined ? 0 : await carriers.reserveDialTime(queries, carrier, now() + delayMs);
    await jobs.dial(queries, dial, Math.max(delayMs, at - now()));
  });
}

async function repeat({ database, jobs }: DialParts, { dial, context }: LegInJob, delayMs: number): Promise<void> {
  await database.transaction(async (queries) => {
    if (await context.complete(queries)) await jobs.dial(queries, dial, delayMs);
  });
}

/** Its response was lost, or its process. */
async function lookUp(parts: DialParts, leg: LegInJob): Promise<void> {
  const { database, carriers, confirm, apply, now } = parts;
  const { dial, carrier, context } = leg;
  const { plan, sentAt } = dial;
  if (carrier === undefined || plan === null || sentAt === null) return;
  const isLast = now() >= sentAt + lookUpMs;
  const client = await carriers.client(carrier);
  const found = await parts.findCall(client, dial, { ...plan, sentAt }).catch((error: unknown) => {
    if (isLast) return undefined;
    throw error;
  });
  if (found !== undefined) {
    await database.transaction(async (queries) => {
      await confirm(queries, dial, found.providerCallId);
      await context.complete(queries);
    });
    await apply({ ...dial, providerCallId: found.providerCallId }, reportOf(found));
  } else if (isLast) await fail(parts, leg, { reason: 'carrier_failed', by: 'system', detail: notConfirmed });
  else await repeat(parts, leg, Math.min(nextLookUpMs, sentAt + lookUpMs - now()));
}

/** The leg was not dialed, or the carrier did not confirm it: then it is hung up if it turns up later. */
async function fail(parts: DialParts, leg: LegInJob, ending: PhoneEnding): Promise<void> {
  const { database, dials, calls, carriers, jobs, now } = parts;
  const { dial, context } = leg;
  const { workspaceId, callId } = dial;
  if (dial.leg !== callLeg) await parts.onTransferFailed(dial, ending.reason);
  await database.transaction(async (queries) => {
    if (dial.leg === callLeg) await calls.end(queries, workspaceId, callId, ending);
    if (ending.detail !== notConfirmed) {
      await dials.refuse(queries, dial, now());
      await jobs.cancelHangUp(queries, dial);
    }
    if (ending.reason === 'carrier_failed') {
      await carriers.noteOutcome(queries, { workspaceId, id: dial.carrierId }, 'failed');
    }
    await context.complete(queries);
  });
}
