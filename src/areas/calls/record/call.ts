import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import { type CallEndReason, endReasonsOf } from '../../../contract/calls/end-reasons.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import type { EngineName } from '../../../voice/engines/choose.ts';
import type { NotApplied } from '../../../voice/policy.ts';
import type { PhoneLine } from './phone-line.ts';
import { type StorageSetting, storedDetail, storedNumber, storedValues } from './storage-setting.ts';

export const terminal: readonly Call['status'][] = ['ended', 'not_connected', 'error'];

/** What the tools of a call tell about its agent, without which there is no conversation. */
export function agentOf({ id, agentId, agentVersion }: Call) {
  if (agentId === null || agentVersion === null) throw new Error('the call has no agent');
  return { id, agentId, agentVersion };
}

export function isTerminal({ status }: Pick<Call, 'status'>): boolean {
  return terminal.includes(status);
}

export interface NewCall {
  readonly id: string;
  readonly workspaceId: string;
  /** Null: the call was refused before its agent was known. */
  readonly agent: Agent | null;
  readonly body: Pick<CreateCall, 'type' | 'externalId' | 'variables' | 'metadata' | 'startAt'>;
  readonly workflowRunId: string | null;
  readonly engine: EngineName | null;
  readonly setting: StorageSetting;
  readonly status: 'queued' | 'registered' | 'ringing';
  readonly phone: NewPhoneCall | null;
  readonly knowledgeBases: Call['knowledgeBases'];
  readonly notApplied: readonly NotApplied[];
  readonly recording: 'none' | 'not_stored';
  readonly now: string;
}

/** What only phone calls have. */
export interface NewPhoneCall {
  readonly direction: Call['direction'];
  readonly line: PhoneLine;
  /** Null until the carrier has confirmed an outbound call. */
  readonly providerCallId: string | null;
}

export function newCall(given: NewCall): Call {
  const { id, workspaceId, agent, body, engine, setting, status, phone, now } = given;
  const { line } = phone ?? {};
  return {
    id,
    workspaceId,
    type: body.type,
    direction: phone?.direction ?? 'inbound',
    status,
    agentId: agent?.id ?? null,
    agentVersion: agent?.version ?? null,
    isDraft: agent !== null && !agent.isPublished,
    engine,
    phoneNumberId: line?.phoneNumberId ?? null,
    from: storedNumber(line?.from ?? null, setting),
    to: storedNumber(line?.to ?? null, setting),
    batchId: null,
    workflowRunId: given.workflowRunId,
    externalId: body.externalId,
    variables: storedValues(body.variables, setting),
    collectedVariables: {},
    metadata: storedValues(body.metadata, setting),
    dataStorageSetting: setting,
    createdAt: now,
    scheduledAt: body.startAt === undefined ? null : new Date(body.startAt).toISOString(),
    startedAt: null,
    endedAt: null,
    durationMs: null,
    endReason: null,
    endedBy: null,
    endDetail: null,
    transcriptStatus: setting === 'basic_attributes_only' ? 'not_stored' : 'none',
    recording: { status: given.recording, durationMs: null, sizeBytes: null },
    latency: null,
    usage: noUsage(agent, engine, line?.provider ?? null),
    cost: null,
    conversation: null,
    analysis: noAnalysis,
    knowledgeBases: given.knowledgeBases,
    notApplied: [...given.notApplied],
    providerCallId: phone?.providerCallId ?? null,
    access: null,
    updatedAt: now,
  };
}

/** What a call has used before it starts. `carrier`: the provider of a phone call. */
export function noUsage(agent: Agent | null, engine: Call['engine'], carrier: string | null): Call['usage'] {
  const hasModel = engine === 'prompt' || engine === 'test';
  return {
    llm: {
      model: hasModel ? (agent?.responseEngine.model ?? null) : null,
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
    },
    stt: { provider: null, audioMs: 0 },
    tts: { provider: null, characters: 0 },
    carrier: { provider: carrier, billedMs: 0 },
    knowledge: { searches: 0, empty: 0, timedOut: 0 },
    breakdown: [],
  };
}

export const noAnalysis: Call['analysis'] = {
  status: 'none',
  reason: null,
  revision: 0,
  model: null,
  summary: null,
  successful: null,
  sentiment: null,
  data: {},
  evidence: { successful: null, sentiment: null, data: {} },
  issues: [],
  promptTokens: null,
  completionTokens: null,
  durationMs: null,
  completedAt: null,
};

export interface Ending {
  readonly reason: CallEndReason;
  readonly by: NonNullable<Call['endedBy']>;
  readonly detail?: string | null;
  readonly at: number;
}

const maxDetail = 500;

export function endedCall(
  call: Call,
  { reason, by, detail = null, at }: Ending,
  hasTurns: boolean,
  analysis: Call['analysis'],
): Call {
  const endedAt = new Date(at).toISOString();
  return {
    ...call,
    status: statusOf(reason),
    endedAt,
    durationMs: call.startedAt === null ? null : Math.max(0, at - Date.parse(call.startedAt)),
    endReason: reason,
    endedBy: by,
    endDetail: storedDetail({ endReason: reason, endDetail: cutDetail(detail) }, call.dataStorageSetting),
    transcriptStatus: transcriptStatusOf(call, hasTurns),
    analysis,
    updatedAt: endedAt,
  };
}

function cutDetail(detail: string | null): string | null {
  return detail === null ? null : [...detail].slice(0, maxDetail).join('');
}

function statusOf(reason: CallEndReason): Call['status'] {
  if ((endReasonsOf.ended as readonly string[]).includes(reason)) return 'ended';
  return (endReasonsOf.error as readonly string[]).includes(reason) ? 'error' : 'not_connected';
}

function transcriptStatusOf({ transcriptStatus }: Call, hasTurns: boolean): Call['transcriptStatus'] {
  if (transcriptStatus === 'not_stored') return 'not_stored';
  return hasTurns ? 'available' : 'none';
}

/** Who ended a call that the conversation itself ended. */
export function endedByOf(reason: CallEndReason): NonNullable<Call['endedBy']> {
  if (reason === 'caller_hangup' || reason === 'caller_disconnected') return 'caller';
  if (reason === 'agent_hangup') return 'agent';
  return reason === 'api_end' ? 'api' : 'system';
}
