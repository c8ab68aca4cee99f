import type { Agent } from '../../../contract/agents/agent.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import { carrierLimitReached, notAccepting, validationFailed } from '../../../core/errors.ts';
import type { Queries } from '../../../storage/database.ts';
import { engineFor } from '../../../voice/engines/choose.ts';
import { channelOf } from '../conversation/channel.ts';
import { type BasesOfCall, basesOfCall, type CallKnowledge } from '../conversation/knowledge.ts';
import type { StateBeforeStart } from '../conversation/state.ts';
import { newCall } from '../record/call.ts';
import type { Journal } from '../record/journal.ts';
import type { LockedCall } from '../record/locked-call.ts';
import { recordingNameOf } from '../record/recordings.ts';
import { isSealed, partialRedaction } from '../record/storage-setting.ts';
import type { CallStore } from '../record/store.ts';
import {
  type AgentVersion,
  type CallAgents,
  callIssues,
  findVersion,
  notAppliedIn,
  recordingOf,
  refuse,
  type SpeechChoice,
  versionOfCall,
} from './call-agent.ts';
import { type Concurrency, poolOf } from './concurrency.ts';
import { dialDeadlines, joinMs } from './due.ts';
import type { PhoneLine, PhoneLines } from './phone-lines.ts';

export interface CreateParts {
  readonly agents: CallAgents;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly concurrency: Concurrency;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Whether a language model is connected. */
  readonly hasModel: (workspaceId: string) => boolean;
  readonly speechOf: (workspaceId: string) => SpeechChoice;
  readonly phone: PhoneLines;
  readonly knowledge: CallKnowledge;
  /** Whether this process is too busy for another voice call. */
  readonly isBusy: () => boolean;
  /** A phone is about to ring: loads the speech of the agent, and has its first words spoken. */
  readonly prepareSpeech: (agent: Agent, isRecorded: boolean) => void;
  /** Creates the webhook of the agent if the version needs its secret. */
  readonly ensureWebhook: (queries: Queries, agent: Agent) => Promise<unknown>;
}

const maxStartMs = 30 * 24 * 3_600_000;

/** Creates a call in the caller's transaction. The order of the checks is part of the contract. */
export async function createCall(
  parts: CreateParts,
  queries: Queries,
  workspaceId: string,
  body: CreateCall,
  workflowRunId: string | null = null,
): Promise<LockedCall> {
  const { concurrency, newId } = parts;
  const now = parts.now();
  const startAt = startTime(body, now);
  const channel = channelOf(body);
  const pool = poolOf(body.type);
  // Before the limits of a carrier are locked, as when a queued call starts.
  const freeEarly = channel.needsCarrier ? await concurrency.free(queries, workspaceId, pool) : null;
  const line = channel.needsCarrier ? await outboundLine(parts, queries, workspaceId, body) : null;
  const version = await findVersion(parts.agents, queries, workspaceId, body);
  const pinned = versionOfCall(version, body);
  refuse(await callIssues(parts, queries, version, body));

  const free = freeEarly ?? (await concurrency.free(queries, workspaceId, pool));
  const carrier = line === null ? null : await carrierSlots(parts, queries, workspaceId, line);
  const isFull = free <= 0 || (carrier !== null && carrier.free <= 0);
  const isQueued = startAt !== null || (isFull && body.queue);
  if (isFull && !isQueued) {
    const limit = carrier?.limit ?? null;
    if (free <= 0 || carrier === null || limit === null) throw await concurrency.refusal(queries, workspaceId, pool);
    throw carrierLimitReached(limit, limit - carrier.free);
  }
  if (channel.isSpoken && !isQueued && parts.isBusy()) throw tooBusy();

  const dueFrom = startAt ?? now;
  const queue = isQueued ? { mayWait: body.queue, expiresAt: dueFrom + body.expiresInSeconds * 1000 } : null;
  const dial = line === null ? null : { direction: 'outbound' as const, line, providerCallId: null };
  const locked = lockedCall(parts, {
    id: newId('call'),
    workspaceId,
    version: pinned,
    bases: await basesOfCall(parts.knowledge, queries, pinned.agent),
    body,
    workflowRunId,
    status: isQueued ? 'queued' : 'registered',
    phone: dial,
    answerBy: now + dialDeadlines.answeredMs,
    queue,
    dueAt: isQueued ? dueFrom : now + (line === null ? joinMs : dialDeadlines.answeredMs),
    leaseUntil: queue === null ? null : queue.mayWait ? queue.expiresAt : dueFrom,
  });
  const { agent } = pinned;
  await keepAgent(parts, queries, pinned);
  if (line !== null && !isQueued) await dialPhone(parts, queries, locked, line, agent);
  return locked;
}

/** Everything is ready to dial: the job that does so is added, and the agent's first words are prepared meanwhile. */
export async function dialPhone(
  { phone, prepareSpeech }: Pick<CreateParts, 'phone' | 'prepareSpeech'>,
  queries: Queries,
  { call, row }: LockedCall,
  line: PhoneLine,
  agent: Agent,
): Promise<void> {
  await phone.dial(queries, call, line, agent);
  queries.atEnd((isCommitted) => isCommitted && prepareSpeech(agent, row.recording !== null));
}

export async function keepAgent(parts: CreateParts, queries: Queries, version: AgentVersion): Promise<void> {
  await parts.store.keepAgent(queries, version.agent.workspaceId, version);
  await parts.ensureWebhook(queries, version.agent);
}

export interface NewLockedCall {
  readonly id: string;
  readonly workspaceId: string;
  /** Null: the call is refused before its agent is known. */
  readonly version: AgentVersion | null;
  readonly bases: BasesOfCall;
  readonly body: Pick<
    CreateCall,
    'type' | 'externalId' | 'variables' | 'metadata' | 'startAt' | 'dataStorageSetting' | 'recordingEnabled'
  >;
  /** The run of a workflow that creates it. */
  readonly workflowRunId?: string | null;
  readonly status: 'queued' | 'registered' | 'ringing';
  readonly phone: Parameters<typeof newCall>[0]['phone'];
  /** Phone calls only: see `PhoneState`. */
  readonly answerBy: number;
  readonly queue: StateBeforeStart['queue'];
  readonly dueAt: number | null;
  readonly leaseUntil: number | null;
}

/** A new call with its first events, except that of its status if it is over from the start. */
export function lockedCall(parts: CreateParts, given: NewLockedCall, isRefused = false): LockedCall {
  const { id, workspaceId, version, bases, body, status, phone, answerBy, queue, dueAt, leaseUntil } = given;
  const agent = version?.agent ?? null;
  const setting = body.dataStorageSetting ?? agent?.dataStorageSetting ?? settingWithoutAgent;
  const engine = agent === null ? null : engineFor(agent, parts.hasModel(workspaceId));
  const recording = agent === null ? null : recordingOf(agent, body, setting);
  const notApplied = agent === null || engine === null ? [] : notAppliedIn(agent, body.type, engine, parts);
  const call = newCall({
    id,
    workspaceId,
    agent,
    body,
    workflowRunId: given.workflowRunId ?? null,
    engine,
    setting,
    status,
    phone,
    knowledgeBases: bases.knowledgeBases,
    notApplied: [...notApplied, ...bases.notApplied, ...(recording?.notApplied ?? [])],
    recording: recording?.status ?? 'none',
    now: new Date(parts.now()).toISOString(),
  });
  const locked = parts.journal.newCall({
    call,
    language: agent?.language ?? '',
    agentDigest: version?.digest ?? '',
    carrierId: phone?.line.carrierId ?? null,
    dueAt,
    owner: null,
    ownerEpoch: 0,
    leaseUntil,
    nextTurn: 0,
    transcriptBytes: 0,
    nextEvent: 1,
    nextSequence: 1,
    tokenNumber: 0,
    joinedToken: null,
    state: null,
    recording: recording?.isWanted === true ? { name: recordingNameOf(call.id), sha256: null } : null,
  });
  if (!isRefused) locked.addEvent('state_changed', { from: null, to: call.status, endReason: null });
  if (setting === 'everything_except_pii') locked.addEvent('warning', partialRedaction);
  const line = phone && { line: phone.line, answerBy };
  const state: StateBeforeStart = { variables: body.variables, queue, phone: line };
  if (isSealed(setting) || queue !== null || line !== null) locked.set({ state });
  return locked;
}

/** Nobody has said how much may be stored of a call that no agent takes. */
const settingWithoutAgent = 'everything_except_pii';

function outboundLine(
  { phone }: CreateParts,
  queries: Queries,
  workspaceId: string,
  { fromPhoneNumberId = '', to = '', agentId, ringTimeoutMs }: CreateCall,
): Promise<PhoneLine> {
  return phone.outbound(queries, workspaceId, { phoneNumberId: fromPhoneNumberId, to, agentId, ringTimeoutMs });
}

/** How many calls the carrier allows, and how many more. */
export async function carrierSlots(
  { phone, concurrency }: Pick<CreateParts, 'phone' | 'concurrency'>,
  queries: Queries,
  workspaceId: string,
  { carrierId }: Pick<PhoneLine, 'carrierId'>,
): Promise<{ readonly limit: number | null; readonly free: number }> {
  const limit = await phone.maxConcurrent(queries, workspaceId, carrierId);
  return { limit, free: await concurrency.freeAtCarrier(queries, workspaceId, { carrierId, max: limit }) };
}

function startTime({ startAt }: CreateCall, now: number): number | null {
  if (startAt === undefined) return null;
  const time = Date.parse(startAt);
  if (time <= now) throw validationFailed({ startAt: ['must be in the future'] });
  if (time > now + maxStartMs) throw validationFailed({ startAt: ['must be at most 30 days ahead'] });
  return time;
}

function tooBusy() {
  return notAccepting('This process is too busy for another voice call.');
}
