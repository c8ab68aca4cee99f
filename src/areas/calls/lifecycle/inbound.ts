import type { Call } from '../../../contract/calls/call.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import type { Queries } from '../../../storage/database.ts';
import { basesOfCall, noBases } from '../conversation/knowledge.ts';
import type { PhoneLine } from '../record/phone-line.ts';
import { type AgentVersion, callIssues } from './call-agent.ts';
import { poolOf } from './concurrency.ts';
import { type CreateParts, keepAgent, lockedCall, type NewLockedCall } from './create.ts';
import { dialDeadlines } from './due.ts';

/** A call that a carrier offers. */
export interface InboundCall extends Omit<PhoneLine, 'ringTimeoutMs'> {
  readonly workspaceId: string;
  readonly callId: string;
  readonly providerCallId: string;
  /** Null: refused before its agent was known. */
  readonly agent: { readonly id: string; readonly version: number | 'published' } | null;
  readonly variables: CreateCall['variables'];
  readonly metadata: CreateCall['metadata'];
  readonly externalId: string | null;
  /** Set: the call is not connected from the start, for this reason. */
  readonly refusal: Refusal | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** At most so many calls of this carrier at a time; null: no limit. */
  readonly maxConcurrent: number | null;
  /** Records the call although the agent does not ask for it, if storage allows. */
  readonly isRecorded?: boolean;
}

interface Refusal {
  readonly reason: 'rejected' | 'concurrency_limit';
  readonly detail: string;
}

/** `ringing`: it has a slot. Otherwise it is over, and `detail` says why. */
export type InboundResult =
  | { readonly status: 'ringing'; readonly call: Call; readonly epoch: number }
  | { readonly status: 'not_connected'; readonly call: Call; readonly detail: string };

/** Creates an inbound phone call in the caller's transaction: it rings, or is refused. */
export async function createInbound(
  parts: CreateParts,
  queries: Queries,
  inbound: InboundCall,
): Promise<InboundResult> {
  const { workspaceId, agent, phoneNumberId, carrierId, provider, from, to, warnings, providerCallId } = inbound;
  const now = parts.now();
  const found =
    agent === null ? undefined : await parts.agents.readVersion(queries, workspaceId, agent.id, agent.version);
  const version = found ?? null;
  const body = bodyOf(inbound, version);
  const refusal = inbound.refusal ?? (await refusalOf(parts, queries, inbound, version, body));
  const given: NewLockedCall = {
    id: inbound.callId,
    workspaceId,
    version,
    bases: version === null ? noBases : await basesOfCall(parts.knowledge, queries, version.agent),
    body,
    status: 'ringing',
    phone: {
      direction: 'inbound',
      line: { phoneNumberId, carrierId, provider, from, to, ringTimeoutMs: 0 },
      providerCallId,
    },
    answerBy: now + dialDeadlines.mediaMs,
    queue: null,
    dueAt: now + dialDeadlines.mediaMs,
    leaseUntil: null,
  };
  const locked = lockedCall(parts, given, refusal !== null);
  for (const warning of warnings) locked.addEvent('warning', warning);
  if (version !== null) await keepAgent(parts, queries, version);
  if (refusal === null) {
    await parts.journal.insert(queries, locked);
    const isRecorded = locked.row.recording !== null;
    if (version !== null) queries.atEnd((isCommitted) => isCommitted && parts.prepareSpeech(version.agent, isRecorded));
    return { status: 'ringing', call: locked.call, epoch: locked.row.ownerEpoch };
  }
  const { reason, detail } = refusal;
  await parts.journal.insertEnded(queries, locked, { reason, by: 'system', detail, at: now });
  return { status: 'not_connected', call: locked.call, detail };
}

function bodyOf({ variables, metadata, externalId, isRecorded = false }: InboundCall, version: AgentVersion | null) {
  const mayRecord = isRecorded && version?.agent.dataStorageSetting === 'everything';
  return {
    type: 'phone' as const,
    variables,
    metadata,
    externalId,
    ...(mayRecord && { recordingEnabled: true }),
  };
}

/** Why the call cannot be taken, if it cannot. Takes a slot otherwise. */
async function refusalOf(
  parts: CreateParts,
  queries: Queries,
  { workspaceId, agent, carrierId, maxConcurrent }: InboundCall,
  version: AgentVersion | null,
  body: ReturnType<typeof bodyOf>,
): Promise<Refusal | null> {
  if (version === null) {
    const what = agent?.version === 'published' ? 'published version' : 'such version';
    const detail = agent === null ? 'The number has no agent.' : `The agent of the number has no ${what}.`;
    return { reason: 'rejected', detail };
  }
  const [issue] = await callIssues(parts, queries, version, body);
  if (issue !== undefined) {
    const detail = `The agent cannot take calls: ${issue.path.join('.')} ${issue.message}`;
    return { reason: 'rejected', detail };
  }
  const { concurrency } = parts;
  const full = (detail: string): Refusal => ({ reason: 'concurrency_limit', detail });
  if ((await concurrency.free(queries, workspaceId, poolOf(body.type), true)) <= 0) {
    return full('All slots for voice calls of this workspace are in use.');
  }
  const atCarrier = await concurrency.freeAtCarrier(queries, workspaceId, { carrierId, max: maxConcurrent });
  if (atCarrier <= 0) return full(`The carrier allows ${maxConcurrent} calls at a time, which are all in use.`);
  return parts.isBusy() ? full('The service is too busy for another voice call.') : null;
}
