import { callColumnNames, callColumnValues } from '../../src/areas/analytics/facts/columns.ts';
import { turnColumnNames, turnColumnValues } from '../../src/areas/analytics/facts/turns.ts';
import { createCallStore } from '../../src/areas/calls/record/store.ts';
import type { Call } from '../../src/contract/calls/call.ts';
import type { Database } from '../../src/storage/database.ts';
import { testSealer } from '../../test/support/sealer.ts';
import type { Connection } from '../connection.ts';

interface Place {
  readonly database: Database;
  readonly workspaceId: string;
  readonly connection: Connection;
  readonly key: string;
  readonly plants: readonly string[];
  found(what: string): void;
}

export interface Check {
  readonly calls: number;
  readonly facts: number;
  /** Planted values that no call has any more. */
  readonly gone: number;
}

/** Compares the facts with the calls, and looks for values of calls that are gone or redacted. Nothing else runs. */
export async function checkFacts(place: Place): Promise<Check> {
  const { database, workspaceId, found } = place;
  const rows = await database.all<{ doc: string; doc_version: number }>(
    'SELECT doc, doc_version FROM calls WHERE workspace_id = $1',
    [workspaceId],
  );
  const calls = rows.map(({ doc, doc_version }) => database.documents.call.parse<Call>(doc, doc_version));
  const facts = await database.all(`SELECT * FROM call_facts WHERE workspace_id = $1`, [workspaceId]);
  const stored = new Map(facts.map((row) => [row.call_id as string, textOf(row)]));
  for (const call of calls) {
    const expected = await recomputed(database, call);
    const actual = stored.get(call.id);
    if (actual !== expected) found(`the facts of a call are ${actual ?? 'missing'}, and should be ${expected}`);
    stored.delete(call.id);
  }
  if (stored.size > 0) found(`${stored.size} facts of calls that do not exist`);
  await checkQuery(place, calls);
  return { calls: calls.length, facts: facts.length, gone: await checkPlants(place, calls) };
}

const names = [...callColumnNames, ...turnColumnNames];

function textOf(row: Record<string, unknown>): string {
  return JSON.stringify(names.map((name) => plain(row[name])));
}

/** Bytes and numbers differ between the drivers. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'bigint' ? Number(value) : value;
}

async function recomputed(database: Database, call: Call): Promise<string> {
  const details = await createCallStore(database, testSealer).endedDetails(database, call.id);
  return JSON.stringify([...callColumnValues(call), ...turnColumnValues(details)].map(plain));
}

/** The figures of the service, by counting. */
async function checkQuery({ connection, key, found }: Place, calls: readonly Call[]): Promise<void> {
  const body = { range: { last: '2d' }, metrics: ['calls', 'connectedCalls', 'analyzedRate'] };
  const reply = await connection.request('POST', '/api/v1/analytics/query', { key, body });
  const values = JSON.parse(reply.body.toString()).rows?.[0]?.values;
  const connected = calls.filter(({ startedAt }) => startedAt !== null).length;
  const analyzed = calls.filter(({ analysis }) => analysis.status === 'completed').length;
  const expected = {
    calls: calls.length,
    connectedCalls: connected,
    analyzedRate: connected === 0 ? null : Number((analyzed / connected).toFixed(6)),
  };
  if (JSON.stringify(values) !== JSON.stringify(expected)) {
    found(`the figures are ${JSON.stringify(values)}, and should be ${JSON.stringify(expected)}`);
  }
}

/** What no call says any more is in no table. Returns how many there are. */
async function checkPlants({ database, plants, found }: Place, calls: readonly Call[]): Promise<number> {
  const turns = await database.all<{ call_id: string; doc: string | null }>('SELECT call_id, doc FROM call_turns');
  const said = new Set(
    [...calls.map((call) => JSON.stringify(call)), ...turns.map(({ doc }) => doc ?? '')].flatMap(plantsIn),
  );
  // A metadata that was replaced stays in events for webhooks that were written before.
  const gone = plants.filter((plant) => !said.has(plant));
  const facts = await database.all<{ search_values: string }>('SELECT search_values FROM call_facts');
  const left = new Set(facts.flatMap(({ search_values }) => plantsIn(search_values)));
  for (const plant of gone) if (left.has(plant)) found('a value that no call has any more is in the facts');
  return gone.length;
}

function plantsIn(text: string): string[] {
  return text.match(/planted\d+x\d+/g) ?? [];
}
