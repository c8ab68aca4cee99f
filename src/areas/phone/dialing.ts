import type { Agent } from '../../contract/agents/agent.ts';
import type { Call } from '../../contract/calls/call.ts';
import { packageVersion } from '../../core/package-version.ts';
import type { PlainRoute } from '../../http/plain-routes.ts';
import type { SocketRoute } from '../../http/sockets.ts';
import type { JobKind } from '../../jobs/kind.ts';
import type { Guard } from '../../net/guard.ts';
import type { Clock } from '../../voice/clock.ts';
import type { Kernel, OnCallSettled } from '../area.ts';
import { createCarrierRoutes } from './carrier-routes.ts';
import type { CarrierStore } from './carriers/store.ts';
import type { Destinations } from './destinations.ts';
import { createConfirm } from './dials/confirm.ts';
import { createDialJob } from './dials/dial.ts';
import { createFindCall } from './dials/find-call.ts';
import { createFollowUps } from './dials/follow-up.ts';
import { createHangUpJob } from './dials/hang-up.ts';
import { createLegJobs } from './dials/jobs.ts';
import { createReports } from './dials/reports.ts';
import { createOnCallSettled } from './dials/settled.ts';
import { createDialStore } from './dials/store.ts';
import type { DoNotCallStore } from './do-not-call/store.ts';
import { createInbound, type FindAgentVersion } from './inbound/inbound.ts';
import { createInboundRequest } from './inbound/request.ts';
import { createLines, type Lines } from './lines.ts';
import { createJoinDocuments } from './media/join-documents.ts';
import { createMediaRoute } from './media/socket.ts';
import { createMediaTokens } from './media/token.ts';
import type { NumberStore } from './numbers/store.ts';
import type { PhoneCalls } from './phone-calls.ts';
import { createTransfers } from './transfers/transfers.ts';

export interface DialingParts {
  readonly carriers: CarrierStore;
  readonly numbers: NumberStore;
  readonly doNotCall: DoNotCallStore;
  readonly destinations: Destinations;
  readonly calls: PhoneCalls;
  readonly guard: Guard;
  readonly findAgent: FindAgentVersion;
  /** The secrets that sign the requests of an agent, the newest first. */
  readonly secrets: (workspaceId: string, agentId: string) => Promise<readonly string[]>;
  /** False once the process is about to exit. */
  readonly isServing: () => boolean;
  /** The time of calls. */
  readonly clock: Clock;
  /** How long the request before answering may take; replaced in tests. */
  readonly requestTimeoutMs?: number;
}

const defaultRequestTimeoutMs = 5000;

export interface Dialing {
  /** What the calls area needs. */
  readonly lines: Lines;
  readonly plainRoutes: readonly PlainRoute[];
  readonly sockets: readonly SocketRoute[];
  readonly jobs: readonly JobKind[];
  readonly onCallSettled: OnCallSettled;
  /** Finishes what is being written. */
  readonly onClose: () => Promise<void>;
}

/** Everything between carriers and calls: the legs of calls, their jobs, and the requests of carriers. */
export function createDialing(kernel: Kernel, parts: DialingParts): Dialing {
  const { database, newId, now, sealer, logger } = kernel;
  const { carriers, calls, guard, findAgent, secrets } = parts;
  const dials = createDialStore(database, sealer);
  const jobs = createLegJobs(kernel.jobs);
  const tokens = createMediaTokens(sealer);
  const pending = new Set<Promise<void>>();
  const tell: PhoneCalls['tell'] = async (workspaceId, callId, message) => {
    try {
      await calls.tell(workspaceId, callId, message);
    } catch (error) {
      // The message may be lost: the process that takes over the call will notice.
      const { name, message: text } = error as Error;
      logger.warn({ callId, err: { type: name, message: text } }, 'the process that owns the call did not respond');
    }
  };
  const shared = { ...parts, database, dials, jobs, tokens, tell, now };
  const agentOf = async ({ workspaceId, agentId, agentVersion }: Call): Promise<Agent | undefined> => {
    if (agentId === null || agentVersion === null) return undefined;
    return (await findAgent(database, workspaceId, agentId, agentVersion))?.agent;
  };
  const languageOf = async (call: Call): Promise<string> => (await agentOf(call))?.language ?? 'en';
  const transfers = createTransfers({ ...shared, languageOf });
  const confirm = createConfirm(shared);
  const reports = createReports({ ...shared, confirm, onTransferReport: transfers.report });
  const { apply } = reports;
  const documents = createJoinDocuments(shared);
  const userAgent = `voice-agents/${packageVersion()}`;
  const { requestTimeoutMs: timeoutMs = defaultRequestTimeoutMs } = parts;
  const ask = createInboundRequest({ guard, secrets, now, userAgent, timeoutMs });
  const inbound = createInbound({ ...shared, documents, ask, newId });
  const findCall = createFindCall(database, dials);
  const followUps = createFollowUps({
    ...shared,
    agentOf,
    apply,
    onTransferTimeout: transfers.timeOut,
    onTransferAccepted: transfers.accepted,
  });
  const onTransferFailed = transfers.failDial;
  return {
    lines: createLines({ ...shared, carriers, transfers }),
    plainRoutes: createCarrierRoutes({ ...shared, reports, documents, transfers, inbound }),
    sockets: [createMediaRoute({ ...shared, logger, pending })],
    jobs: [
      createDialJob({ ...shared, confirm, findCall, apply, onTransferFailed }),
      createHangUpJob({ ...shared, findCall, apply }),
      followUps.check,
      followUps.settle,
      followUps.rejoin,
      followUps.limit,
    ] as JobKind[],
    onCallSettled: createOnCallSettled(shared),
    onClose: async () => void (await Promise.all(pending)),
  };
}
