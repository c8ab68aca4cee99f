import type { Random } from '../../../campaigns/random.ts';
import { writeFacts } from '../../../src/areas/analytics/facts/store.ts';
import type { EndedCallDetails } from '../../../src/areas/area.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { latencyStages } from '../../../src/contract/calls/latency.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import type { Database } from '../../../src/storage/database.ts';
import { analysisWith, callWith } from '../../support/stored-calls.ts';

export interface GeneratedCall {
  readonly call: Call;
  readonly details: EndedCallDetails;
}

const newId = createIdGenerator();
const agentIds = Array.from({ length: 5 }, () => newId('agt'));

/** Calls that are over, with every kind of value that figures are computed of, in a random order. */
export function generatedCalls(
  random: Random,
  workspaceId: string,
  { count, from, to }: { readonly count: number; readonly from: number; readonly to: number },
): GeneratedCall[] {
  return Array.from({ length: count }, () => generatedCall(random, workspaceId, random.int(from, to - 1)));
}

export async function storeFacts(database: Database, calls: readonly GeneratedCall[]): Promise<void> {
  for (let first = 0; first < calls.length; first += 500) {
    await database.transaction(async (queries) => {
      for (const { call, details } of calls.slice(first, first + 500)) await writeFacts(queries, call, details);
    });
  }
}

function generatedCall(random: Random, workspaceId: string, createdAt: number): GeneratedCall {
  const some = <T>(value: () => T): T | null => (random.chance(0.7) ? value() : null);
  const number = (most: number) => random.int(0, most);
  const isConnected = random.chance(0.85);
  const durationMs = isConnected ? number(400_000) : null;
  const startedAt = isConnected ? new Date(createdAt + number(30_000)).toISOString() : null;
  const cost = some(() => ({ currency: 'JPY', totalMicros: some(() => number(9_000_000_000)) }));
  const call = callWith({
    workspaceId,
    id: newId('call'),
    createdAt: new Date(createdAt).toISOString(),
    startedAt,
    endedAt: new Date(createdAt + 30_000 + (durationMs ?? 0)).toISOString(),
    durationMs,
    type: random.pick(['web', 'phone', 'chat'] as const),
    status: isConnected ? random.pick(['ended', 'error'] as const) : 'not_connected',
    isDraft: random.chance(0.1),
    agentId: some(() => random.pick(agentIds)),
    agentVersion: random.int(1, 3),
    engine: some(() => random.pick(['flow', 'prompt'] as const)),
    endReason: random.pick(['caller_hangup', 'agent_hangup'] as Call['endReason'][]),
    externalId: some(() => `visit-${number(9)}`),
    metadata: metadataOf(random),
    variables: { shop: random.pick(['銀座店', '"quoted", {shop}', '新宿店']) },
    collectedVariables: random.chance(0.5) ? { date: `2026-11-${10 + number(3)}`, guests: number(4) } : {},
    conversation: isConnected ? some(() => conversationOf(random)) : null,
    analysis: analysisWith({
      status: random.pick(['completed', 'failed', 'skipped'] as const),
      successful: some(() => random.chance(0.6)),
      sentiment: some(() => random.pick(['positive', 'negative'] as const)),
      data: { booked: some(() => random.chance(0.5)), score: some(() => number(100) / 7) },
    }),
    cost: cost as Call['cost'],
  });
  const { llm } = call.usage;
  return {
    call: {
      ...call,
      usage: {
        ...call.usage,
        llm: { ...llm, model: some(() => random.pick(['model "a"', 'model\nb'])), totalTokens: number(9000) },
        tts: { provider: some(() => 'openai'), characters: number(4000) },
      },
    },
    details: isConnected ? detailsOf(random) : { turns: [], toolResults: [] },
  };
}

function metadataOf(random: Random): Call['metadata'] {
  const values = [1, '1', 2.5, -3, true, false, null, 'page', { inner: 1 }, [1], '😀'.repeat(201), '😀'.repeat(202)];
  return random.chance(0.8) ? { mixed: random.pick(values), 'a.b"c': random.int(0, 2) } : {};
}

function conversationOf(random: Random): NonNullable<Call['conversation']> {
  const isSilent = random.chance(0.05);
  const number = (most: number) => random.int(0, most);
  return {
    agentSpeechMs: isSilent ? 0 : number(60_000),
    callerSpeechMs: isSilent ? 0 : number(60_000),
    overlapMs: number(900),
    firstWordMs: random.chance(0.9) ? number(2000) : null,
    deadAirMs: number(5000),
    longestSilenceMs: number(5000),
    callerInterruptions: number(3),
    agentInterruptions: number(1),
    falseInterruptions: number(2),
    reminders: number(1),
    waitingSentences: number(1),
    backchannels: number(5),
  };
}

function detailsOf(random: Random): EndedCallDetails {
  const latency = () =>
    Object.fromEntries(
      latencyStages.map(({ name }) => [name, random.chance(0.8) ? random.int(0, 4000) : null]),
    ) as EndedCallDetails['turns'][number]['latency'];
  return {
    turns: Array.from({ length: random.int(0, 8) }, () => {
      const role = random.pick(['agent', 'agent', 'caller', 'tool'] as const);
      return { role, latency: role === 'agent' && random.chance(0.8) ? latency() : null };
    }),
    toolResults: Array.from({ length: random.int(0, 2) }, () => ({ name: 'book', isError: random.chance(0.3) })),
  };
}
