import type { StoredCall } from '../../../src/areas/calls/record/call-row.ts';
import { LockedCall } from '../../../src/areas/calls/record/locked-call.ts';
import { createCallStore } from '../../../src/areas/calls/record/store.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import { testSealer } from '../../support/sealer.ts';
import type { Service } from '../../support/service.ts';
import { callWith } from '../../support/stored-calls.ts';

const newId = createIdGenerator();

const noStages = {
  e2eMs: null,
  endpointingMs: null,
  sttMs: null,
  knowledgeMs: null,
  llmFirstTokenMs: null,
  ttsFirstAudioMs: null,
  ownMs: null,
};

/** What a spoken reply took. */
function spoken(
  e2eMs: number,
  endpointingMs: number,
  sttMs: number,
  llmFirstTokenMs: number,
  ttsFirstAudioMs: number,
): NonNullable<Turn['latency']> {
  const ownMs = e2eMs - endpointingMs - sttMs - llmFirstTokenMs - ttsFirstAudioMs;
  return { ...noStages, e2eMs, endpointingMs, sttMs, llmFirstTokenMs, ttsFirstAudioMs, ownMs };
}

const usualTurns: readonly Partial<Turn>[] = [
  { source: 'begin', text: 'Sakura Salon, good afternoon. How can I help you?' },
  { role: 'caller', text: 'Hi, I would like to move my <b>appointment</b> to Friday.' },
  { source: 'waiting', text: 'One moment, please.' },
  {
    role: 'tool',
    toolCall: {
      id: 'tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdy',
      name: 'find_booking',
      arguments: { phone: '+81312345678' },
      result: { error: 'The booking system did not respond.' },
      isError: true,
      isExample: false,
      durationMs: 5000,
    },
  },
  {
    text: 'I am sorry, I cannot see your booking at the moment. May I take',
    unspokenText: ' your name and call you back within the hour?',
    interrupted: true,
    latency: spoken(12_345, 320, 140, 11_635, 130),
  },
  { role: 'caller', text: 'It is under Tanaka, on the 20th.' },
  { text: 'Thank you. A colleague will call you back.', latency: spoken(910, 320, 140, 310, 130) },
  { role: 'caller', text: 'Great, thanks.' },
  { source: 'reminder', text: 'Are you still there?' },
  { text: 'Goodbye.', latency: spoken(720, 260, 120, 220, 112) },
];

function distribution(p50: number, max: number) {
  return { p50, p90: max, p95: max, p99: max, min: p50, max, count: 3 };
}

function usageOf(capability: 'llm' | 'stt' | 'tts', provider: string, model: string | null) {
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

export interface SpokenCallPlace {
  readonly workspaceId: string;
  readonly agentId: string;
}

/** What differs from the usual call. */
export interface SpokenCallChanges {
  readonly turns?: readonly Partial<Turn>[];
  readonly durationMs?: number;
  readonly outcome?: Partial<Call>;
  readonly recording?: StoredCall['recording'];
}

/**
 * Stores a spoken call that has ended. Calls by voice cannot be made in a test of the dashboard, so this one is written
 * to the database as a call would be.
 */
export async function storeSpokenCall(
  { database }: Pick<Service, 'database'>,
  place: SpokenCallPlace,
  { turns = usualTurns, durationMs = 64_000, outcome = {}, recording = null }: SpokenCallChanges = {},
): Promise<string> {
  const startedAt = Date.now() - 3_600_000;
  const time = new Date(startedAt - 1000).toISOString();
  const clock = { newId, now: startedAt - 1000 };
  const call = callWith({ ...place, type: 'web', engine: 'prompt', createdAt: time, updatedAt: time });
  const locked = new LockedCall({ ...newRow, call, recording }, clock);
  locked.addEvent('state_changed', { from: null, to: 'registered', endReason: null });
  clock.now = startedAt;
  locked.connect();
  for (const [index, turn] of turns.entries()) {
    clock.now = startedAt + (turn.endMs ?? index * 6400 + 2400);
    locked.addTurn(newTurn(index, turn));
  }
  locked.addEvent('warning', { code: 'unknown_variable', message: 'the variable caller has no value' });
  locked.addEvent('latency_exceeded', { turnIndex: 4, e2eMs: 12_345, budgetMs: 1500 });
  clock.now = startedAt + durationMs;
  locked.setCall({ ...usualOutcome, ...outcome });
  locked.end({ reason: 'agent_hangup', by: 'agent', at: clock.now }, null, call.analysis, false);
  const store = createCallStore(database, testSealer);
  await database.transaction(async (queries) => {
    await store.insert(queries, locked.row);
    for (const turn of locked.turns) await store.writeTurn(queries, call.id, turn);
    for (const event of locked.events) await store.writeEvent(queries, event);
  });
  return call.id;
}

const newRow = {
  etag: '',
  language: 'en',
  agentDigest: 'digest',
  carrierId: null,
  dueAt: null,
  owner: null,
  ownerEpoch: 0,
  leaseUntil: null,
  nextTurn: 0,
  transcriptBytes: 0,
  nextEvent: 1,
  nextSequence: 1,
  tokenNumber: 0,
  joinedToken: null,
  recording: null,
  state: null,
};

const usualOutcome: Partial<Call> = {
  externalId: 'visit-2981',
  variables: { shop: '銀座店' },
  collectedVariables: { name: 'Tanaka', day: '2026-11-20' },
  metadata: { page: '/booking' },
  latency: {
    turns: 6,
    e2eMs: distribution(910, 12_345),
    endpointingMs: distribution(320, 320),
    sttMs: distribution(140, 140),
    knowledgeMs: null,
    llmFirstTokenMs: distribution(310, 11_635),
    ttsFirstAudioMs: distribution(130, 130),
    ownMs: distribution(10, 120),
  },
  usage: {
    ...callWith({ workspaceId: '' }).usage,
    breakdown: [
      usageOf('llm', 'openai', 'gpt-5.4-mini'),
      usageOf('stt', 'deepgram', 'nova-3'),
      usageOf('tts', 'elevenlabs', 'flash-v2.5'),
    ],
  },
  notApplied: [
    { field: 'voiceTemperature', reason: 'not_supported' },
    { field: 'voiceId', reason: 'not_supported', used: 'mei' },
    { field: 'voiceSpeed', reason: 'clamped', used: '1.2' },
    { field: 'agentSettings.calls.recordingEnabled', reason: 'data_storage_setting' },
  ],
};

function newTurn(index: number, turn: Partial<Turn>): Omit<Turn, 'index'> {
  return {
    role: 'agent',
    source: turn.role === undefined ? 'engine' : null,
    text: '',
    unspokenText: null,
    startMs: index * 6400,
    endMs: index * 6400 + 2400,
    words: [],
    interrupted: false,
    latency: null,
    sources: [],
    toolCall: null,
    ...turn,
  };
}
