import type { Call } from '../src/contract/calls/call.ts';

/** The calls that the bench searches: about 2.5 KB as stored. The same number gives the same call. */

const shops = ['銀座店', '渋谷店', '梅田店', '札幌駅前店', '那覇店', '金沢本店', '横浜西口店', '京都四条店'];
const pages = ['/booking', '/support', '/', '/menu', '/access'];
const plans = ['free', 'standard', 'premium'];

/** How many agents the calls are spread over: each has 5 % of them. */
export const agentCount = 20;

export interface CallIdentity {
  readonly id: string;
  readonly workspaceId: string;
  readonly agentIds: readonly string[];
  readonly createdAt: number;
}

export function callDocument(number: number, { id, workspaceId, agentIds, createdAt }: CallIdentity): Call {
  const random = randomOf(number);
  const isConnected = random() < 0.9;
  const isError = random() < 0.03;
  const durationMs = isConnected ? 10_000 + Math.floor(random() * 300_000) : null;
  const e2eMs = 400 + Math.floor(random() * 800);
  const distribution = {
    p50: e2eMs,
    p90: e2eMs + 200,
    p95: e2eMs + 250,
    p99: e2eMs + 300,
    min: 300,
    max: 2000,
    count: 4,
  };
  const tokens = Math.floor(random() * 6000);
  const time = (ms: number) => new Date(createdAt + ms).toISOString();
  const rest = (value: number) => Math.floor(random() * value);
  return {
    id,
    workspaceId,
    type: random() < 0.5 ? 'chat' : 'web',
    direction: 'inbound',
    status: isError ? 'error' : isConnected ? 'ended' : 'not_connected',
    agentId: agentIds[rest(agentIds.length)] as string,
    agentVersion: 1 + rest(5),
    isDraft: false,
    engine: 'prompt',
    phoneNumberId: null,
    from: null,
    to: null,
    batchId: null,
    workflowRunId: null,
    externalId: `visit-${number}`,
    variables: {
      shop: shops[rest(shops.length)] as string,
      plan: plans[rest(plans.length)] as string,
      visits: rest(50),
    },
    collectedVariables: { date: `2026-11-${10 + rest(20)}`, guests: 1 + rest(8), name: `田中 ${number}` },
    metadata: { page: pages[rest(pages.length)] as string, campaign: `c-${rest(1000)}`, tags: ['a', 'b'] },
    dataStorageSetting: 'everything',
    createdAt: time(0),
    scheduledAt: null,
    startedAt: isConnected ? time(1400) : null,
    endedAt: time(1400 + (durationMs ?? 120_000)),
    durationMs,
    endReason: isError
      ? 'llm_failed'
      : isConnected
        ? random() < 0.6
          ? 'caller_hangup'
          : 'agent_hangup'
        : 'not_joined',
    endedBy: isError || !isConnected ? 'system' : 'caller',
    endDetail: null,
    transcriptStatus: 'available',
    recording: { status: 'none', durationMs: null, sizeBytes: null },
    latency: {
      turns: 4,
      e2eMs: distribution,
      endpointingMs: null,
      sttMs: null,
      knowledgeMs: null,
      llmFirstTokenMs: distribution,
      ttsFirstAudioMs: null,
      ownMs: distribution,
    },
    usage: {
      llm: {
        model: 'gpt-5.4-mini',
        promptTokens: tokens,
        cachedTokens: 0,
        completionTokens: 100,
        totalTokens: tokens + 100,
      },
      stt: { provider: null, audioMs: 0 },
      tts: { provider: null, characters: 0 },
      carrier: { provider: null, billedMs: 0 },
      knowledge: { searches: 0, empty: 0, timedOut: 0 },
      breakdown: [
        {
          capability: 'llm',
          provider: 'openai',
          model: 'gpt-5.4-mini',
          requests: 4,
          promptTokens: tokens,
          cachedTokens: 0,
          completionTokens: 100,
          audioMs: 0,
          characters: 0,
        },
      ],
    },
    cost: null,
    conversation: null,
    analysis: {
      status: 'completed',
      reason: null,
      revision: 1,
      model: 'gpt-5.4-mini',
      summary: 'お客様は来週の土曜日の午後にカットの予約を希望され、担当者の空きを確認した上で15時に予約が確定した。',
      successful: random() < 0.8,
      sentiment: (['positive', 'neutral', 'negative', 'mixed'] as const)[rest(4)] ?? null,
      data: { booked: random() < 0.7, menu: 'カット', score: rest(10) },
      evidence: { successful: null, sentiment: null, data: {} },
      issues: [],
      promptTokens: 900,
      completionTokens: 120,
      durationMs: 1400,
      completedAt: time(400_000),
    },
    knowledgeBases: [],
    notApplied: [],
    providerCallId: null,
    access: null,
    updatedAt: time(400_000),
  };
}

/** Reproducible numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
