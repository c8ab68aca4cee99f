import { writeFacts } from '../../../src/areas/analytics/facts/store.ts';
import type { EndedCallDetails } from '../../../src/areas/area.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Database } from '../../../src/storage/database.ts';
import { seed } from '../../support/seed.ts';
import { analysisWith, callWith, insertCall } from '../../support/stored-calls.ts';

const hourMs = 3_600_000;
const noDetails: EndedCallDetails = { turns: [], toolResults: [] };

/** A call that is over, with its figures. */
export interface MeasuredCall {
  readonly call: Call;
  readonly details?: EndedCallDetails;
}

export async function storeMeasured(database: Database, calls: readonly MeasuredCall[]): Promise<void> {
  for (let first = 0; first < calls.length; first += 500) {
    await database.transaction(async (queries) => {
      for (const { call, details = noDetails } of calls.slice(first, first + 500)) {
        await insertCall(queries, call);
        await writeFacts(queries, call, details);
      }
    });
  }
}

interface Measures {
  readonly workspaceId: string;
  readonly agentIds: readonly string[];
  /** The newest call. */
  readonly until: number;
  readonly days: number;
  readonly perDay: number;
  readonly hasCosts?: boolean;
}

/** The same for every run: mornings are busy, weekends are not, and the newer of two versions is better. */
export function measuredCalls({ days, perDay, until, ...rest }: Measures): readonly MeasuredCall[] {
  const random = randomOf(seed);
  const calls: MeasuredCall[] = [];
  for (let day = days - 1; day >= 0; day -= 1) {
    const weekday = new Date(until - day * 24 * hourMs).getUTCDay();
    const count = Math.round(perDay * (weekday % 6 === 0 ? 0.35 : 1) * (0.8 + 0.4 * random()));
    for (let number = 0; number < count; number += 1) {
      const ago = day * 24 * hourMs + Math.abs(random() + random() - 1) * 14 * hourMs;
      calls.push(measuredCall({ ...rest, at: until - ago, progress: 1 - day / days, random }));
    }
  }
  return calls;
}

interface CallContext extends Pick<Measures, 'workspaceId' | 'agentIds' | 'hasCosts'> {
  readonly at: number;
  readonly progress: number;
  readonly random: () => number;
}

function measuredCall({ workspaceId, agentIds, hasCosts, at, progress, random }: CallContext): MeasuredCall {
  const place = Math.floor(random() * random() * agentIds.length);
  const agentVersion = random() < progress ? 2 : 1;
  const isConnected = random() < 0.94;
  const endReason = isConnected ? pick(connectedReasons, random()) : 'not_joined';
  const durationMs = isConnected ? Math.round(20_000 + random() * 160_000) : null;
  const createdAt = new Date(at).toISOString();
  const startedAt = isConnected ? createdAt : null;
  const times = { createdAt, startedAt, endedAt: createdAt, updatedAt: createdAt };
  const isSuccessful = random() < (agentVersion === 2 ? 0.86 : 0.74);
  const base = callWith({ workspaceId });
  const call = {
    ...base,
    ...times,
    type: random() < 0.7 ? 'phone' : 'web',
    status: endReason.endsWith('_failed') ? 'error' : isConnected ? 'ended' : 'not_connected',
    agentId: agentIds[place] ?? null,
    agentVersion,
    engine: 'prompt',
    durationMs,
    endReason,
    conversation: isConnected ? conversationOf(durationMs ?? 0, random) : null,
    analysis: isConnected
      ? analysisWith({
          status: 'completed',
          revision: 1,
          successful: isSuccessful,
          sentiment: pick(isSuccessful ? pleased : annoyed, random()) as Call['analysis']['sentiment'],
          completedAt: createdAt,
        })
      : base.analysis,
    cost: hasCosts ? costOf(durationMs ?? 0, random()) : null,
  } as Call;
  return { call, details: isConnected ? detailsOf(random) : noDetails };
}

const connectedReasons = ['agent_hangup', 'agent_hangup', 'agent_hangup', 'caller_hangup', 'caller_hangup'].concat([
  'transferred',
  'silence_timeout',
  'caller_hangup',
  'max_duration',
  'agent_hangup',
  'stt_failed',
]);
const pleased = ['positive', 'positive', 'neutral', 'neutral', 'mixed'];
const annoyed = ['negative', 'neutral', 'mixed', 'negative'];

function conversationOf(durationMs: number, random: () => number): Call['conversation'] {
  const agentSpeechMs = Math.round(durationMs * (0.35 + 0.15 * random()));
  return {
    agentSpeechMs,
    callerSpeechMs: Math.round(durationMs * (0.25 + 0.15 * random())),
    overlapMs: Math.round(400 * random()),
    firstWordMs: Math.round(300 + 300 * random()),
    deadAirMs: Math.round(9000 * random()),
    longestSilenceMs: Math.round(2000 + 4000 * random()),
    callerInterruptions: Math.floor(2.2 * random()),
    agentInterruptions: random() < 0.12 ? 1 : 0,
    falseInterruptions: random() < 0.1 ? 1 : 0,
    reminders: random() < 0.1 ? 1 : 0,
    waitingSentences: random() < 0.3 ? 1 : 0,
    backchannels: Math.floor(4 * random()),
  } as Call['conversation'];
}

/** The turns of a usual call, the same for the same number. */
export function measuredDetails(number: number): EndedCallDetails {
  return detailsOf(randomOf(seed + number));
}

function detailsOf(random: () => number): EndedCallDetails {
  const turns = Array.from({ length: 4 + Math.floor(5 * random()) }, () => {
    const slow = random() < 0.04 ? 4 : 1;
    const parts = {
      endpointingMs: Math.round(250 + 200 * random()),
      sttMs: Math.round(80 + 120 * random()),
      knowledgeMs: random() < 0.5 ? Math.round(60 * random()) : null,
      llmFirstTokenMs: Math.round((220 + 350 * random()) * slow),
      ttsFirstAudioMs: Math.round(90 + 120 * random()),
      ownMs: Math.round(6 + 10 * random()),
    };
    const e2eMs = Object.values(parts).reduce((sum: number, part) => sum + (part ?? 0), 0);
    return { role: 'agent' as const, latency: { e2eMs, ...parts } };
  });
  const toolResults = Array.from({ length: Math.floor(3 * random()) }, () => ({
    name: 'find_free_times',
    isError: random() < 0.05,
  }));
  return { turns: turns.flatMap((turn) => [{ role: 'caller' as const, latency: null }, turn]), toolResults };
}

function costOf(durationMs: number, chance: number): Call['cost'] {
  const llmMicros = Math.round(durationMs * 0.4);
  const sttMicros = Math.round(durationMs * 0.1);
  const ttsMicros = Math.round(durationMs * 0.6);
  const isPriced = chance > 0.08;
  return {
    currency: 'USD',
    totalMicros: isPriced ? llmMicros + sttMicros + ttsMicros : null,
    llmMicros: isPriced ? llmMicros : null,
    sttMicros,
    ttsMicros,
    carrierMicros: 0,
    analysisMicros: 0,
    pricesFrom: '2025-01-01T00:00:00.000Z',
    missing: isPriced ? [] : [{ capability: 'llm', provider: 'openai', model: 'gpt-5.4' }],
  } as Call['cost'];
}

function pick(values: readonly string[], chance: number): string {
  return values[Math.floor(chance * values.length)] as string;
}

/** Mulberry32. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
