import { Random } from '../campaigns/random.ts';
import { callColumnNames } from '../src/areas/analytics/facts/columns.ts';
import { writeFacts } from '../src/areas/analytics/facts/store.ts';
import { turnColumnNames } from '../src/areas/analytics/facts/turns.ts';
import type { EndedCallDetails } from '../src/areas/area.ts';
import type { Call } from '../src/contract/calls/call.ts';
import { createIdGenerator } from '../src/core/ids.ts';
import type { Database } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { analysisWith, callWith, newWorkspace } from '../test/support/stored-calls.ts';
import { showProgress } from './progress.ts';

const agentCount = 20;
const dayMs = 86_400_000;
/** Written one by one; all others are copies with other times and ids, because a million would take a quarter of an hour. */
const writtenCalls = 10_000;

export interface SeededCalls {
  readonly workspaceId: string;
  readonly from: number;
  readonly to: number;
  readonly agentIds: readonly string[];
}

/** The facts of so many calls in a year, with 9.5 turns of the agent each. */
export async function seedFacts(database: Database, calls: number): Promise<SeededCalls> {
  await migrate(database, Date.now);
  const workspaceId = await newWorkspace(database);
  const from = Date.UTC(2026, 0, 1);
  const copies = calls / writtenCalls;
  const periodMs = Math.floor((365 * dayMs) / copies);
  const newId = createIdGenerator();
  const agentIds = Array.from({ length: agentCount }, () => newId('agt'));
  const random = new Random(1);
  const progress = showProgress(`seeding ${calls.toLocaleString('en')} calls`, copies);
  await database.transaction(async (queries) => {
    for (let number = 0; number < writtenCalls; number += 1) {
      const createdAt = from + Math.floor((number * periodMs) / writtenCalls);
      const call = randomCall(random, { workspaceId, agentId: random.pick(agentIds), createdAt, id: newId('call') });
      await writeFacts(queries, call, randomDetails(random));
    }
  });
  const rest = [...callColumnNames, ...turnColumnNames].join(', ');
  for (let copy = 1; copy < copies; copy += 1) {
    await database.run(
      `INSERT INTO call_facts (workspace_id, created_at, call_id, ${rest})
        SELECT workspace_id, created_at + ${copy * periodMs}, call_id || $2, ${rest}
        FROM call_facts WHERE workspace_id = $1 AND created_at < ${from + periodMs} ORDER BY created_at`,
      [workspaceId, `-${copy}`],
    );
    progress.advanceTo(copy);
  }
  // As autovacuum would have done during the year.
  if (database.dialect.engine === 'postgres') await database.run('VACUUM (ANALYZE) call_facts');
  progress.end();
  return { workspaceId, from, to: from + 365 * dayMs, agentIds };
}

function randomCall(
  random: Random,
  { createdAt, ...identity }: { workspaceId: string; agentId: string; id: string; createdAt: number },
): Call {
  const [created, durationMs] = [new Date(createdAt).toISOString(), random.int(5000, 600_000)];
  const call = callWith({ ...identity, createdAt: created });
  const number = (most: number) => random.int(0, most);
  return {
    ...call,
    type: 'phone',
    status: random.int(1, 50) === 1 ? 'error' : 'ended',
    engine: 'prompt',
    agentVersion: random.int(1, 8),
    startedAt: created,
    endedAt: new Date(createdAt + durationMs).toISOString(),
    durationMs,
    endReason: random.pick(['caller_hangup', 'agent_hangup', 'max_duration_reached'] as Call['endReason'][]),
    endedBy: random.pick(['caller', 'agent'] as const),
    metadata: { page: random.pick(['/booking', '/support']), campaign: `c-${number(200)}` },
    collectedVariables: { name: '佐藤', guests: number(9) },
    usage: {
      ...call.usage,
      llm: {
        model: 'gpt-5.4-mini',
        promptTokens: number(9000),
        cachedTokens: 0,
        completionTokens: 300,
        totalTokens: 9300,
      },
      stt: { provider: 'deepgram', audioMs: number(200_000) },
      tts: { provider: 'openai', characters: number(3000) },
    },
    conversation: {
      ...{ agentSpeechMs: number(90_000), callerSpeechMs: number(90_000), overlapMs: number(2000) },
      ...{ firstWordMs: number(900), deadAirMs: number(9000), longestSilenceMs: number(9000) },
      ...{ callerInterruptions: number(3), agentInterruptions: 0, falseInterruptions: number(2) },
      ...{ reminders: 0, waitingSentences: 0, backchannels: number(4) },
    },
    analysis: analysisWith({
      status: 'completed',
      successful: random.int(1, 4) > 1,
      sentiment: random.pick(['positive', 'neutral', 'negative', 'mixed'] as const),
      data: { booked: random.int(0, 1) === 1, score: number(10) },
    }),
  };
}

function randomDetails(random: Random): EndedCallDetails {
  const turns = Array.from({ length: random.int(1, 18) }, () => {
    const [endpointingMs, sttMs, llmFirstTokenMs] = [random.int(100, 900), random.int(20, 300), random.int(100, 3000)];
    const e2eMs = endpointingMs + sttMs + llmFirstTokenMs + random.int(0, 200);
    const latency = { e2eMs, endpointingMs, sttMs, knowledgeMs: null, llmFirstTokenMs, ttsFirstAudioMs: 120, ownMs: 9 };
    return [
      { role: 'caller' as const, latency: null },
      { role: 'agent' as const, latency },
    ];
  });
  return { turns: turns.flat(), toolResults: [{ name: 'book', isError: random.int(1, 30) === 1 }] };
}
