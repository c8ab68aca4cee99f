import type { Call } from '../../../contract/calls/call.ts';
import type { CallEndReason } from '../../../contract/calls/end-reasons.ts';
import { notFound } from '../../../core/errors.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import { CarrierError, type TransferReport } from '../../../voice/carriers/carrier.ts';
import {
  briefDocument,
  conferenceDocument,
  dialDocument,
  hangUpDocument,
} from '../../../voice/carriers/twilio/documents.ts';
import type { GatheredAnswer } from '../../../voice/carriers/twilio/reports.ts';
import { greeterOf } from '../../../voice/spoken/voicemail-phrases.ts';
import { understandYesNo } from '../../../voice/understanding/yes-no.ts';
import { callAddresses } from '../addresses.ts';
import type { CarrierRow, CarrierStore } from '../carriers/store.ts';
import { type Destinations, forbiddenError } from '../destinations.ts';
import { endLeg } from '../dials/end-leg.ts';
import type { LegJobs } from '../dials/jobs.ts';
import { type LegReport, settleMs } from '../dials/reports.ts';
import { mayBeOpen } from '../dials/settled.ts';
import { answeredRank, callLeg, type Dial, type DialPlan, type DialStore, overRank } from '../dials/store.ts';
import type { PhoneCalls } from '../phone-calls.ts';
import { maxTransferredMs } from '../time-limits.ts';
import { briefText } from './brief-text.ts';

/** The two ends of a call. */
export interface Line {
  readonly phoneNumberId: string;
  readonly carrierId: string;
  /** Null: withheld. */
  readonly from: string | null;
  readonly to: string;
}

export interface TransferRequest {
  readonly to: string;
  readonly mode: 'cold' | 'warm';
  readonly brief: string | null;
  readonly extension: string | null;
  readonly ringTimeoutMs: number;
  readonly showCaller: boolean;
}

export interface TransferParts {
  readonly database: Database;
  readonly dials: DialStore;
  /** Tells the process that owns a call, if one does; never throws. */
  readonly tell: PhoneCalls['tell'];
  readonly carriers: CarrierStore;
  readonly jobs: LegJobs;
  readonly destinations: Destinations;
  /** The language of the agent of a call, for the carrier's voice. */
  readonly languageOf: (call: Call) => Promise<string>;
  readonly now: () => number;
}

/** How long the person who is to take over may take to answer, after the brief. */
const answerMs = 15_000;
/** How long after the ring time of a cold transfer the caller is brought back if nothing is reported. */
const spareMs = 10_000;
/** How long after its ring time a warm transfer may take for the brief and the answer. The call itself waits 60 s. */
const decisionMs = 55_000;

export type Transfers = ReturnType<typeof createTransfers>;

/** Moves calls to another number, at the carrier: a crash of ours cuts nobody off. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createTransfers(parts: TransferParts) {
  const { database, dials, tell, carriers, jobs, destinations, now } = parts;

  const check = async (queries: Queries, { carrier }: CarrierRow, to: string): Promise<void> => {
    const forbidden = await destinations.forbiddenBy(queries, { carrier, to, moment: 'transfer' });
    if (forbidden !== null) throw forbiddenError(forbidden, carrier);
  };

  /** The first decision counts. The process that owns the call is told. */
  const fail = async (dial: Dial, reason: string): Promise<boolean> => {
    const { workspaceId, callId } = dial;
    const isFirst = await database.transaction(async (queries) => {
      if (!(await dials.setTransfer(queries, dial, 'started', 'failed'))) return false;
      const leg = await dials.find(queries, dial);
      if (leg !== undefined && mayBeOpen(leg)) await jobs.hangUp(queries, leg);
      else if (leg !== undefined && leg.endedAt === null) await dials.refuse(queries, leg, now());
      return true;
    });
    if (isFirst) await tell(workspaceId, callId, { type: 'transfer', status: 'failed', reason });
    return isFirst;
  };

  /** From here on the people talk without us. */
  const complete = async (dial: Dial, from: 'started' | 'accepted' | 'failed'): Promise<void> => {
    const { workspaceId, callId } = dial;
    const isFirst = await database.transaction(async (queries) => {
      if (!(await dials.setTransfer(queries, dial, from, 'completed'))) return false;
      const leg = { callId, leg: callLeg, workspaceId };
      await jobs.settle(queries, { ...leg, reason: 'transferred', by: 'agent' }, settleMs);
      await jobs.limit(queries, leg, 0);
      return true;
    });
    if (isFirst) await tell(workspaceId, callId, { type: 'transfer', status: 'completed', reason: null });
  };

  const insert = (
    call: Call,
    line: Line,
    carrier: CarrierRow,
    request: TransferRequest,
    plan: DialPlan,
  ): Promise<Dial> =>
    database.transaction(async (queries) => {
      await check(queries, carrier, request.to);
      const count = (await dials.lockAll(queries, call.id)).length;
      const key = { callId: call.id, leg: `transfer-${count}`, workspaceId: call.workspaceId };
      const isCold = request.mode === 'cold';
      await dials.insert(queries, {
        ...key,
        carrierId: line.carrierId,
        direction: 'outbound',
        // The carrier dials the leg of a cold transfer.
        state: isCold ? 'sent' : 'intended',
        providerCallId: null,
        mode: request.mode,
        destination: destinations.digestOf(call.workspaceId, request.to),
        createdAt: now(),
        plan,
      });
      if (isCold) await jobs.check(queries, key, request.ringTimeoutMs + spareMs);
      else await jobs.dial(queries, key, (await carriers.reserveDialTime(queries, carrier, now())) - now());
      const dial = await dials.find(queries, key);
      if (dial === undefined) throw new Error('the leg of a transfer is missing');
      return dial;
    });

  const startCold = async (own: Dial, dial: Dial, carrier: CarrierRow, request: TransferRequest): Promise<void> => {
    const base = carriers.publicBase(carrier);
    if (base === null || own.providerCallId === null) return void (await fail(dial, 'carrier_failed'));
    const addresses = callAddresses(base, dial.carrierId, dial.callId);
    const document = dialDocument({
      to: request.to,
      callerId: dial.plan?.from ?? '',
      ringTimeoutMs: request.ringTimeoutMs,
      actionUrl: addresses.dial(dial.leg),
      extension: request.extension,
      statusUrl: addresses.dialAnswered(dial.leg),
      statusEvents: ['answered'],
    });
    const isMoved = await move(carrier, own.providerCallId, document);
    if (isMoved !== true) await fail(dial, isMoved === false ? 'caller_hung_up' : 'carrier_failed');
  };

  /** Null: the carrier failed. */
  const move = async (carrier: CarrierRow, providerCallId: string, document: string): Promise<boolean | null> => {
    try {
      return await (await carriers.client(carrier)).redirect(providerCallId, { document });
    } catch (error) {
      if (error instanceof CarrierError) return null;
      throw error;
    }
  };

  return {
    /** The second leg could not be dialed. */
    failDial: async (dial: Dial, endReason: CallEndReason): Promise<void> => {
      await fail(dial, failureOf(endReason));
    },

    /** Throws `unprocessable` if this number may not be dialed. */
    check: async (queries: Queries, { workspaceId }: Call, { carrierId }: Line, to: string): Promise<void> => {
      const carrier = await carriers.read(queries, workspaceId, carrierId);
      if (carrier === undefined) throw notFound('carrier');
      await check(queries, carrier, to);
    },

    /** Throws if the number may not be dialed. How it ends is told to the process that owns the call. */
    start: async (call: Call, line: Line, request: TransferRequest): Promise<void> => {
      const { id: callId, workspaceId, direction } = call;
      const carrier = await carriers.read(database, workspaceId, line.carrierId);
      const own = await dials.find(database, { callId, leg: callLeg });
      if (carrier === undefined || own === undefined) throw new Error('the carrier of a call is missing');
      const isInbound = direction === 'inbound';
      const ourNumber = isInbound ? line.to : (line.from ?? '');
      // The carrier accepts a foreign number as caller ID only if that is who is calling.
      const callerId = request.showCaller && isInbound ? (line.from ?? ourNumber) : ourNumber;
      const { to, ringTimeoutMs, brief } = request;
      const plan = { from: callerId, to, ringTimeoutMs, maxDurationMs: maxTransferredMs, detectsMachine: false, brief };
      const dial = await insert(call, line, carrier, request, { ...plan, language: await parts.languageOf(call) });
      if (request.mode === 'cold') await startCold(own, dial, carrier, request);
    },

    /** Both people of a warm transfer were connected. */
    accepted: (dial: Dial): Promise<void> => complete(dial, 'accepted'),

    /** The leg of a cold transfer was answered. */
    answered: async (dial: Dial): Promise<void> => {
      await database.transaction((queries) => dials.raiseRank(queries, dial, answeredRank, now()));
      await complete(dial, 'started');
      // Its request seemed to have failed, but the carrier has done it.
      await complete(dial, 'failed');
    },

    /** A cold transfer has ended. True: it was answered, and so the call is over. */
    ended: async (dial: Dial, report: TransferReport): Promise<boolean> => {
      await database.transaction((queries) => endLeg(parts, queries, dial, report));
      if (report.wasAnswered || dial.transfer === 'completed') {
        await complete(dial, 'started');
        return true;
      }
      await fail(dial, failureOf(report.endReason));
      return false;
    },

    /** A report of the second leg of a warm transfer. */
    report: async (dial: Dial, report: LegReport): Promise<void> => {
      await database.transaction(async (queries) => {
        if (report.rank === overRank) await endLeg(parts, queries, dial, report);
        else await dials.raiseRank(queries, dial, report.rank, now());
      });
      if (report.rank < overRank) return;
      const wasAnswered = report.endReason === 'caller_hangup';
      await fail(dial, wasAnswered ? 'declined' : failureOf(report.endReason));
    },

    /** Nobody has decided about the transfer in time. */
    timeOut: async (dial: Dial): Promise<void> => {
      if (!(await fail(dial, 'no_answer')) || dial.mode === 'warm') return;
      const own = await dials.find(database, { callId: dial.callId, leg: callLeg });
      const carrier = await carriers.read(database, dial.workspaceId, dial.carrierId);
      const base = carrier === undefined ? null : carriers.publicBase(carrier);
      if (carrier === undefined || base === null || own?.providerCallId == null) return;
      const url = callAddresses(base, dial.carrierId, dial.callId).rejoin;
      await (await carriers.client(carrier)).redirect(own.providerCallId, { url });
    },

    /** What the person who takes over hears first. */
    brief: async (dial: Dial, base: string): Promise<string> => {
      if (dial.transfer !== 'started' || dial.plan === null) return hangUpDocument();
      const { brief, language, ringTimeoutMs } = dial.plan;
      const leftMs = dial.createdAt + ringTimeoutMs + decisionMs - now();
      await database.transaction((queries) => jobs.check(queries, dial, leftMs));
      const actionUrl = callAddresses(base, dial.carrierId, dial.callId).briefAnswer(dial.leg);
      return briefDocument({ text: briefText(brief, language), language, actionUrl, answerTimeoutMs: answerMs });
    },

    /** What the person said or pressed. If they accept, both legs meet in a conference at the carrier. */
    briefAnswered: async (dial: Dial, { key, words }: GatheredAnswer): Promise<string> => {
      const { workspaceId, callId, plan } = dial;
      const isAccepted =
        key === null ? words !== null && understandYesNo(words, plan?.language ?? 'en') === true : key === '1';
      if (!isAccepted) {
        await fail(dial, refusalOf({ key, words }, plan?.language ?? 'en'));
        return hangUpDocument();
      }
      const own = await dials.find(database, { callId, leg: callLeg });
      const carrier = await carriers.read(database, workspaceId, dial.carrierId);
      const isFirst = await database.transaction((queries) => dials.setTransfer(queries, dial, 'started', 'accepted'));
      if (!isFirst || carrier === undefined || own?.providerCallId == null) return hangUpDocument();
      const document = conferenceDocument({ name: `${callId}-${dial.leg}` });
      const isMoved = await move(carrier, own.providerCallId, document);
      if (isMoved === true) {
        await complete(dial, 'accepted');
        return document;
      }
      await database.transaction((queries) => dials.setTransfer(queries, dial, 'accepted', 'started'));
      await fail(dial, isMoved === false ? 'caller_hung_up' : 'carrier_failed');
      return hangUpDocument();
    },
  };
}

/** Why a person, or the machine that answered for them, does not take the call. */
function refusalOf({ key, words }: GatheredAnswer, language: string): string {
  if (key === null && words === null) return 'no_answer';
  return words !== null && greeterOf(words, language) === 'machine' ? 'voicemail' : 'declined';
}

/** The carrier's end of a leg as the reason of a failed transfer. */
function failureOf(endReason: CallEndReason | null): string {
  switch (endReason) {
    case 'dial_busy':
      return 'busy';
    case 'dial_no_answer':
      return 'no_answer';
    case 'invalid_destination':
    case 'destination_not_allowed':
    case 'carrier_failed':
      return endReason;
    default:
      return 'failed';
  }
}
