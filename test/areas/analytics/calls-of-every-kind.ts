import { Random } from '../../../campaigns/random.ts';
import { type Call, endedByValues } from '../../../src/contract/calls/call.ts';
import { endReasonsOf } from '../../../src/contract/calls/end-reasons.ts';
import { latencyStages } from '../../../src/contract/calls/latency.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import type { Database } from '../../../src/storage/database.ts';
import { analysisWith, callWith, insertCall } from '../../support/stored-calls.ts';

/** A call that is over, with its turns and what its tools returned. */
export interface GeneratedCall {
  readonly call: Call;
  readonly turns: readonly Turn[];
  readonly toolErrors: readonly boolean[];
}

export const firstDay = Date.UTC(2026, 2, 1);
export const lastDay = Date.UTC(2026, 10, 30);
/** Clocks change in New York and on Lord Howe Island. */
export const clockChanges = [
  Date.UTC(2026, 2, 8, 7),
  Date.UTC(2026, 3, 4, 15),
  Date.UTC(2026, 9, 3, 15, 30),
  Date.UTC(2026, 10, 1, 6),
];
const dayMs = 86_400_000;

export function generateCalls(workspaceId: string, count: number, seed: number): GeneratedCall[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => generateCall(random, workspaceId, index));
}

const agents = ['agt_01m7f8nkmj0000v37e3s3e28jt97k1', 'agt_01m7f8nkmj0000v37e3s3e28jt97k2'];

function generateCall(random: Random, workspaceId: string, index: number): GeneratedCall {
  const created = random.chance(0.4)
    ? random.pick(clockChanges) + random.int(-2 * dayMs, 2 * dayMs)
    : random.int(firstDay, lastDay - 1);
  const type = random.pick(['chat', 'web', 'phone'] as const);
  const status = random.pick(['ended', 'ended', 'ended', 'error', 'not_connected'] as const);
  const isConnected = status === 'ended' || (status === 'error' && random.chance(0.5));
  const isBasic = random.chance(0.05);
  const agentId = random.chance(0.03) ? null : random.pick(agents);
  const durationMs = isConnected ? random.int(0, 600_000) : null;
  const iso = (ms: number) => new Date(ms).toISOString();
  const turns = isConnected ? generateTurns(random) : [];
  const call = callWith({
    workspaceId,
    type,
    direction: type === 'phone' ? random.pick(['inbound', 'outbound'] as const) : 'inbound',
    status,
    agentId,
    agentVersion: agentId === null ? null : random.int(1, 4),
    engine: agentId === null ? null : random.pick(['prompt', 'flow', 'custom_llm', 'rehearsal'] as const),
    isDraft: random.chance(0.05),
    phoneNumberId: type === 'phone' ? `num_01m7f8nkmj0000v37e3s3e28jt97k${random.int(1, 3)}` : null,
    from: type === 'phone' && random.chance(0.8) ? `+8190000000${random.int(10, 15)}` : null,
    to: type === 'phone' ? `+8131234000${random.int(0, 3)}` : null,
    externalId: random.chance(0.3) ? `visit-${random.int(1, 50)}` : null,
    dataStorageSetting: isBasic
      ? 'basic_attributes_only'
      : random.pick(['everything', 'everything_except_pii'] as const),
    createdAt: iso(created),
    startedAt: isConnected ? iso(created + random.int(0, 5000)) : null,
    endedAt: iso(created + 5000 + (durationMs ?? 0)),
    durationMs,
    endReason: random.pick(endReasonsOf[status]),
    endedBy: random.pick(endedByValues),
    transcriptStatus: isBasic ? 'not_stored' : isConnected ? 'available' : 'none',
    variables: isBasic ? {} : { shop: random.pick(['銀座店', 'Ginza', '"q"']), guests: random.int(1, 8) },
    collectedVariables: isBasic || random.chance(0.5) ? {} : { 'date.day': random.pick(['2026-11-20', '2026-11-21']) },
    metadata: isBasic ? {} : metadataOf(random, index),
    usage: usageOf(random, isConnected),
    cost: costOf(random),
    conversation: isConnected && type !== 'chat' ? conversationOf(random) : null,
    analysis:
      isConnected && !isBasic ? analysisOf(random) : analysisWith({ status: 'skipped', reason: 'not_connected' }),
    updatedAt: iso(created + 700_000),
  });
  const toolErrors = turns.flatMap(({ toolCall }) => (toolCall === null ? [] : [toolCall.isError]));
  return { call: { ...call, latency: latencyOf(turns) }, turns, toolErrors };
}

function metadataOf(random: Random, index: number): Call['metadata'] {
  return {
    page: random.pick(['/booking', '/', '=cmd()', 'a"b\nc']),
    ...(random.chance(0.7) && { score: random.int(0, 40) / 8 }),
    // Values of several types, and objects and lists, which are no values.
    mixed: random.pick<unknown>([1, '1', true, false, null, { a: 1 }, [1], 'x'.repeat(250)]),
    unique: `value ${index}`,
  };
}

function usageOf(random: Random, isConnected: boolean): Call['usage'] {
  const none = callWith({ workspaceId: '' }).usage;
  if (!isConnected) return none;
  const [promptTokens, completionTokens] = [random.int(0, 5000), random.int(0, 900)];
  const searches = random.int(0, 3);
  return {
    ...none,
    llm: {
      model: random.chance(0.1) ? null : random.pick(['gpt-5.4-mini', 'claude', 'gemini']),
      promptTokens,
      cachedTokens: random.int(0, promptTokens),
      completionTokens,
      totalTokens: promptTokens + completionTokens,
    },
    stt: { provider: random.pick([null, 'deepgram', 'test']), audioMs: random.int(0, 100_000) },
    tts: { provider: random.pick([null, 'openai', 'test']), characters: random.int(0, 3000) },
    carrier: { provider: null, billedMs: random.int(0, 3) * 60_000 },
    knowledge: { searches, empty: random.int(0, searches), timedOut: 0 },
  };
}

function costOf(random: Random): Call['cost'] {
  if (random.chance(0.3)) return null;
  const total = random.chance(0.1) ? null : random.int(0, 400_000);
  return {
    currency: random.chance(0.8) ? 'USD' : 'JPY',
    totalMicros: total,
    llmMicros: total,
    sttMicros: 0,
    ttsMicros: 0,
    carrierMicros: 0,
    analysisMicros: 0,
    pricesFrom: '2026-01-01T00:00:00.000Z',
    missing: total === null ? [{ capability: 'tts', provider: 'openai', model: 'tts-2' }] : [],
  };
}

/** Both spoke for 8,192 ms together or not at all, so that sums of their ratios are exact in any order. */
function conversationOf(random: Random): Call['conversation'] {
  const agentSpeechMs = random.chance(0.05) ? 0 : random.int(0, 8192);
  return {
    agentSpeechMs,
    callerSpeechMs: agentSpeechMs === 0 && random.chance(0.5) ? 0 : 8192 - agentSpeechMs,
    overlapMs: random.int(0, 900),
    firstWordMs: random.chance(0.1) ? null : random.int(100, 2000),
    deadAirMs: random.int(0, 9000),
    longestSilenceMs: random.int(0, 9000),
    callerInterruptions: random.int(0, 4),
    agentInterruptions: random.int(0, 2),
    falseInterruptions: random.int(0, 2),
    reminders: random.int(0, 2),
    waitingSentences: random.int(0, 2),
    backchannels: random.int(0, 5),
  };
}

function analysisOf(random: Random): Call['analysis'] {
  if (random.chance(0.2)) return analysisWith({ status: 'failed', reason: 'timeout' });
  return analysisWith({
    status: 'completed',
    successful: random.pick([true, true, false, null]),
    sentiment: random.pick(['positive', 'neutral', 'negative', null] as const),
    data: {
      booked: random.pick([true, false, null]),
      guests: random.chance(0.6) ? random.int(0, 80) / 16 : null,
      plan: random.pick(['a', 'b', 'ｶ']),
    },
  });
}

function generateTurns(random: Random): Turn[] {
  return Array.from({ length: random.int(0, 8) }, (_, index): Turn => {
    const role = random.pick(['agent', 'agent', 'caller', 'tool'] as const);
    const isReply = role === 'agent' && random.chance(0.8);
    const stages = latencyStages.map(({ name }) => [name, random.chance(0.8) ? random.int(0, 3000) : null]);
    const tool = {
      id: `tcl_${index}`,
      name: 'book',
      arguments: {},
      result: null,
      isError: random.chance(0.2),
      isExample: false,
      durationMs: 5,
    };
    return {
      index,
      role,
      source: role === 'agent' ? 'engine' : null,
      text: role === 'tool' ? '' : '予約です。',
      unspokenText: null,
      startMs: index * 1000,
      endMs: index * 1000 + 500,
      words: [],
      interrupted: false,
      latency: isReply ? Object.fromEntries(stages) : null,
      sources: [],
      toolCall: role === 'tool' ? tool : null,
    };
  });
}

/** Only what is compared: the percentiles of the replies. */
function latencyOf(turns: readonly Turn[]): Call['latency'] {
  const values = turns.flatMap(({ latency }) => (latency?.e2eMs == null ? [] : [latency.e2eMs])).sort((a, b) => a - b);
  if (values.length === 0) return null;
  const rank = (percent: number) => values[Math.ceil((percent * values.length) / 100) - 1] as number;
  const nothing = Object.fromEntries(latencyStages.map(({ name }) => [name, null]));
  const e2eMs = {
    p50: rank(50),
    p90: rank(90),
    p95: rank(95),
    p99: rank(99),
    min: values[0] as number,
    max: values.at(-1) as number,
    count: values.length,
  };
  return { ...nothing, turns: values.length, e2eMs } as Call['latency'];
}

/** Stores the calls as an older release has left them: without facts, which the service fills in. */
export async function storeCalls(database: Database, calls: readonly GeneratedCall[]): Promise<void> {
  for (let first = 0; first < calls.length; first += 500) {
    await database.transaction(async (queries) => {
      for (const { call, turns, toolErrors } of calls.slice(first, first + 500)) {
        await insertCall(queries, call);
        const isBasic = call.dataStorageSetting === 'basic_attributes_only';
        for (const turn of turns) {
          await queries.run(
            'INSERT INTO call_turns (call_id, turn_index, role, latency, doc) VALUES ($1, $2, $3, $4, $5)',
            [
              call.id,
              turn.index,
              turn.role,
              turn.latency === null ? null : JSON.stringify(turn.latency),
              isBasic ? null : JSON.stringify(turn),
            ],
          );
        }
        for (const [index, isError] of toolErrors.entries()) {
          await queries.run('INSERT INTO call_events (call_id, sequence, type, doc) VALUES ($1, $2, $3, $4)', [
            call.id,
            index + 1,
            'tool_returned',
            JSON.stringify({ data: { name: 'book', isError } }),
          ]);
        }
      }
    });
  }
  const workspaces = new Set(calls.map(({ call }) => call.workspaceId));
  const { version } = database.documents.call;
  for (const id of workspaces) {
    await database.run('UPDATE calls SET doc_version = $2 WHERE workspace_id = $1', [id, version]);
    await database.run('INSERT INTO call_facts_filling (workspace_id, before_id) VALUES ($1, $2)', [id, '~']);
  }
}
