import type { Call as StoredCall } from '../../../src/contract/calls/call.ts';
import type { CallEvent as StoredEvent } from '../../../src/contract/calls/call-events.ts';
import type { Turn } from '../../../src/contract/turn.ts';

export type Call = StoredCall;
export type CallEvent = StoredEvent;

const startedAt = Date.now() - 3_600_000;

/** A chat that has ended, unless the fields say otherwise. `place` makes its id and its times. */
export function newCall(place: number, fields: Partial<Call> = {}): Call {
  const number = String(place).padStart(4, '0');
  const isOpen = ['queued', 'registered', 'ringing', 'ongoing'].includes(fields.status ?? 'ended');
  const createdAt = new Date(isOpen ? Date.now() - 42_000 : startedAt + place * 60_000).toISOString();
  return {
    id: `call_01m7f8np1p0000f5kznwj47tan${number}`,
    workspaceId: 'ws_01m7f8nje00000m9s346q3d25vt4f5',
    type: 'chat',
    direction: 'inbound',
    status: 'ended',
    agentId: 'agt_01m7f8nkmj0000v37e3s3e28jt97kb',
    agentVersion: 3,
    isDraft: false,
    engine: 'prompt',
    phoneNumberId: null,
    from: null,
    to: null,
    batchId: null,
    workflowRunId: null,
    externalId: null,
    variables: {},
    collectedVariables: {},
    metadata: {},
    dataStorageSetting: 'everything',
    createdAt,
    scheduledAt: null,
    startedAt: createdAt,
    endedAt: isOpen ? null : createdAt,
    durationMs: isOpen ? null : 102_408,
    endReason: isOpen ? null : 'caller_hangup',
    endedBy: isOpen ? null : 'caller',
    endDetail: null,
    transcriptStatus: isOpen ? 'live' : 'available',
    recording: { status: 'none', durationMs: null, sizeBytes: null },
    latency: {
      turns: 4,
      e2eMs: distribution(610, 940),
      endpointingMs: null,
      sttMs: null,
      knowledgeMs: null,
      llmFirstTokenMs: distribution(604, 933),
      ttsFirstAudioMs: null,
      ownMs: distribution(5, 7),
    },
    usage: {
      llm: { model: 'gpt-5.4-mini', promptTokens: 2210, cachedTokens: 1024, completionTokens: 188, totalTokens: 2398 },
      stt: { provider: null, audioMs: 0 },
      tts: { provider: null, characters: 0 },
      carrier: { provider: null, billedMs: 0 },
      knowledge: { searches: 0 },
      breakdown: [usageOf('llm', 'openai', 'gpt-5.4-mini')],
    },
    cost: null,
    conversation: null,
    analysis: {
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
    },
    knowledgeBases: [],
    notApplied: [],
    providerCallId: null,
    access: null,
    updatedAt: createdAt,
    ...fields,
  };
}

export function distribution(p50: number, max: number) {
  return { p50, p90: max, p95: max, p99: max, min: Math.round(p50 * 0.8), max, count: 3 };
}

export function usageOf(capability: 'llm' | 'stt' | 'tts', provider: string, model: string | null) {
  const isModel = capability === 'llm';
  return {
    capability,
    provider,
    model,
    requests: 4,
    promptTokens: isModel ? 2210 : 0,
    cachedTokens: isModel ? 1024 : 0,
    completionTokens: isModel ? 188 : 0,
    audioMs: capability === 'stt' ? 48_200 : 0,
    characters: capability === 'tts' ? 412 : 0,
  };
}

export function newTurn(fields: Partial<Turn>): Turn {
  const index = fields.index ?? 0;
  return {
    index,
    role: 'agent',
    source: fields.role === undefined || fields.role === 'agent' ? 'engine' : null,
    text: '',
    unspokenText: null,
    startMs: index * 3200,
    endMs: index * 3200 + 2400,
    words: [],
    interrupted: false,
    latency: null,
    sources: [],
    toolCall: null,
    ...fields,
  };
}

/** The reply of a chat. */
export function latencyOf(e2eMs: number, ownMs = 6) {
  return {
    e2eMs,
    endpointingMs: null,
    sttMs: null,
    knowledgeMs: null,
    llmFirstTokenMs: e2eMs - ownMs,
    ttsFirstAudioMs: null,
    ownMs,
  };
}

export function newEvent(callId: string, sequence: number, type: string, data: object): CallEvent {
  return {
    id: `cev_01m7f8nret0000p1xpa7z3dj${String(sequence).padStart(6, '0')}`,
    callId,
    sequence,
    type,
    at: new Date(startedAt + sequence * 1000).toISOString(),
    offsetMs: sequence === 1 ? null : (sequence - 1) * 1000,
    data,
  } as CallEvent;
}
