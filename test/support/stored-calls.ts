import { noAnalysis } from '../../src/areas/calls/record/call.ts';
import { callColumnNames, callColumnValues } from '../../src/areas/calls/record/filter-values.ts';
import type { Call } from '../../src/contract/calls/call.ts';
import { searchValuesOf } from '../../src/core/call-values.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import type { Database, Queries, Value } from '../../src/storage/database.ts';

const newId = createIdGenerator();

/** A new workspace, without keys. */
export async function newWorkspace(database: Database): Promise<string> {
  const id = newId('ws');
  await database.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)', [id, id, 0]);
  return id;
}

/** A chat that has just been created, with these changes. */
export function callWith(changes: Partial<Call> & Pick<Call, 'workspaceId'>): Call {
  return {
    id: newId('call'),
    type: 'chat',
    direction: 'inbound',
    status: 'registered',
    agentId: 'agt_01m7f8nkmj0000v37e3s3e28jt97kb',
    agentVersion: 1,
    isDraft: false,
    engine: 'rehearsal',
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
    createdAt: '2026-11-15T09:30:03.702Z',
    scheduledAt: null,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    endReason: null,
    endedBy: null,
    endDetail: null,
    transcriptStatus: 'none',
    recording: { status: 'none', durationMs: null, sizeBytes: null },
    latency: null,
    usage: {
      llm: { model: null, promptTokens: 0, cachedTokens: 0, completionTokens: 0, totalTokens: 0 },
      stt: { provider: null, audioMs: 0 },
      tts: { provider: null, characters: 0 },
      carrier: { provider: null, billedMs: 0 },
      knowledge: { searches: 0, empty: 0, timedOut: 0 },
      breakdown: [],
    },
    cost: null,
    conversation: null,
    analysis: analysisWith({}),
    knowledgeBases: [],
    notApplied: [],
    providerCallId: null,
    access: null,
    updatedAt: '2026-11-15T09:30:03.702Z',
    ...changes,
  };
}

export function analysisWith(changes: Partial<Call['analysis']>): Call['analysis'] {
  return { ...noAnalysis, ...changes };
}

function columnsOf(call: Call): Record<string, Value> {
  return {
    workspace_id: call.workspaceId,
    id: call.id,
    ...Object.fromEntries(callColumnValues(call).map((value, index) => [callColumnNames[index] as string, value])),
    language: 'ja',
    agent_digest: 'digest',
    owner_epoch: 0,
    next_turn: 0,
    transcript_bytes: 0,
    next_event: 0,
    next_sequence: 0,
    token_number: 0,
    search_values: searchValuesOf(call),
    etag: '"etag"',
    doc: JSON.stringify(call),
  };
}

export async function insertCall(queries: Queries, call: Call): Promise<void> {
  const columns = columnsOf(call);
  const names = Object.keys(columns);
  await queries.run(
    `INSERT INTO calls (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(columns),
  );
}

/** Writes all columns of the call again. */
export async function updateCall(queries: Queries, call: Call): Promise<void> {
  const columns = columnsOf(call);
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 1}`);
  await queries.run(
    `UPDATE calls SET ${changes.join(', ')} WHERE workspace_id = $1 AND id = $2`,
    Object.values(columns),
  );
}

/** In one transaction per thousand. */
export async function insertCalls(database: Database, calls: readonly Call[]): Promise<void> {
  for (let first = 0; first < calls.length; first += 1000) {
    await database.transaction(async (queries) => {
      for (const call of calls.slice(first, first + 1000)) await insertCall(queries, call);
    });
  }
}
