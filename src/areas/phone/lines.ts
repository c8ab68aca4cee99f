import type { Agent } from '../../contract/agents/agent.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { PhoneNumber } from '../../contract/phone/phone-number.ts';
import { providerNotConfigured, unprocessable } from '../../core/errors.ts';
import type { Queries } from '../../storage/database.ts';
import type { CarrierStore } from './carriers/store.ts';
import { type Destinations, forbiddenError } from './destinations.ts';
import type { LegJobs } from './dials/jobs.ts';
import { callLeg, type DialStore } from './dials/store.ts';
import type { DoNotCallStore } from './do-not-call/store.ts';
import type { NumberStore } from './numbers/store.ts';
import { maxLegMs } from './time-limits.ts';
import type { Line, TransferRequest, Transfers } from './transfers/transfers.ts';

export interface LineParts {
  readonly carriers: CarrierStore;
  readonly numbers: NumberStore;
  readonly dials: DialStore;
  readonly doNotCall: DoNotCallStore;
  readonly destinations: Destinations;
  readonly transfers: Transfers;
  readonly jobs: LegJobs;
  readonly now: () => number;
}

interface OutboundLine extends Line {
  readonly provider: string;
  readonly from: string;
  readonly ringTimeoutMs: number;
}

interface OutboundRequest {
  readonly phoneNumberId: string;
  readonly to: string;
  readonly agentId: string;
  readonly ringTimeoutMs: number | undefined;
}

/** A carrier that waits for a lost process to be replaced asks more often than this. */
const maxSilentMs = 10_000;
/** What must be right before a call can be made. Those about inbound calls do not matter. */
const outboundChecks: ReadonlySet<string> = new Set(['credentials', 'public_address', 'number_owned']);

export type Lines = ReturnType<typeof createLines>;

/** What calls need of phone numbers and carriers. */
export function createLines(parts: LineParts) {
  const { carriers, numbers, dials, doNotCall, destinations, transfers, jobs, now } = parts;
  return {
    /** Checks a new outbound call, and throws the errors of `calls.create`. Locks the carrier, and with it its limits. */
    outbound: async (queries: Queries, workspaceId: string, request: OutboundRequest): Promise<OutboundLine> => {
      const { phoneNumberId, to, agentId } = request;
      const row = await numbers.read(queries, workspaceId, phoneNumberId);
      if (row === undefined) throw unprocessable({ fromPhoneNumberId: ['is not a phone number of this workspace'] });
      const { phoneNumber } = row;
      const locked = await carriers.lock(queries, workspaceId, phoneNumber.carrierId);
      if (locked === undefined) throw new Error('the carrier of a phone number is missing');
      if (carriers.publicBase(locked) === null) throw providerNotConfigured('carrier');
      const issue = outboundIssue(phoneNumber);
      if (issue !== null) throw unprocessable({ fromPhoneNumberId: [issue] });
      const { agentIds, ringTimeoutMs } = phoneNumber.outbound;
      if (agentIds.length > 0 && !agentIds.includes(agentId)) {
        throw unprocessable({ agentId: ['may not call from this number: it is not in outbound.agentIds'] });
      }
      const { carrier } = locked;
      const forbidden = await destinations.forbiddenBy(queries, { carrier, to, moment: 'create' });
      if (forbidden !== null) throw forbiddenError(forbidden, carrier);
      const { id: carrierId, provider } = carrier;
      const line = { phoneNumberId, carrierId, provider, from: phoneNumber.number, to };
      return { ...line, ringTimeoutMs: request.ringTimeoutMs ?? ringTimeoutMs };
    },

    /** How many calls of the carrier may be open at a time; null: any number. */
    maxConcurrent: async (queries: Queries, workspaceId: string, carrierId: string): Promise<number | null> =>
      (await carriers.read(queries, workspaceId, carrierId))?.carrier.limits.maxConcurrent ?? null,

    /** The call is registered: writes its dial and the job that dials, in the same transaction. */
    dial: async (
      queries: Queries,
      { id: callId, workspaceId }: Call,
      line: Line & { readonly ringTimeoutMs: number },
      agent: Agent,
    ): Promise<void> => {
      const { carrierId, from, to, ringTimeoutMs } = line;
      const carrier = await carriers.read(queries, workspaceId, carrierId);
      if (carrier === undefined || from === null) throw providerNotConfigured('carrier');
      const key = { callId, leg: callLeg, workspaceId };
      await dials.insert(queries, {
        ...key,
        ...{ carrierId, direction: 'outbound', state: 'intended', providerCallId: null, mode: null },
        destination: destinations.digestOf(workspaceId, to),
        createdAt: now(),
        plan: {
          ...{ from, to, ringTimeoutMs, maxDurationMs: maxLegMs(agent) },
          ...{ detectsMachine: detectsMachine(agent), brief: null, language: agent.language },
          hasTestSpeech: carrier.carrier.provider === 'test' && agent.sttProvider === 'test',
        },
      });
      const at = await carriers.reserveDialTime(queries, carrier, now());
      await jobs.dial(queries, key, at - now());
    },

    checkTransfer: (queries: Queries, call: Call, line: Line, to: string): Promise<void> =>
      transfers.check(queries, call, line, to),

    /** The process that owns the call is told how it ends. */
    transfer: (call: Call, line: Line, request: TransferRequest): Promise<void> => transfers.start(call, line, request),

    /** The process of the call was lost: points its line here again, unless the carrier asks for it by itself. */
    reconnect: (queries: Queries, { id: callId, workspaceId }: Call): Promise<void> =>
      jobs.rejoin(queries, { callId, leg: callLeg, workspaceId, closedAt: now() - maxSilentMs }, 0),

    /** The person at the other end does not want to be called again. */
    doNotCall: async (queries: Queries, { workspaceId }: Call, number: string): Promise<void> => {
      await doNotCall.add(queries, workspaceId, [number], { reason: null, source: 'call' });
    },
  };
}

/** Why no call can be made from a number; null if it can. */
function outboundIssue({ outbound, checks, verifiedAt }: PhoneNumber): string | null {
  if (!outbound.enabled) {
    return 'is not allowed to make calls: someone with the scope phone-numbers:write has to set outbound.enabled';
  }
  if (verifiedAt === null) return 'has not been checked yet: wait a moment, or verify the phone number';
  const failed = checks.find(({ name, status }) => status === 'failed' && outboundChecks.has(name));
  return failed === undefined ? null : `cannot make calls: ${failed.message} ${failed.remedy ?? ''}`.trim();
}

/** Whether the carrier's own detection of answering machines is wanted. */
function detectsMachine({ agentSettings }: Agent): boolean {
  const { phone } = (agentSettings ?? {}) as { readonly phone?: { readonly voicemail?: { readonly detect?: string } } };
  return phone?.voicemail?.detect === 'carrier';
}
