import type { Database, Row } from '../../src/storage/database.ts';
import { leaseMs } from './settings.ts';

/** A change of a row that one process at a time may have, as the database saw it, in the order of its transactions. */
export interface LeaseChange {
  readonly table: string;
  readonly id: string;
  /** The process that made it. */
  readonly process: string;
  /** The time of the statement, by the clock of the database. */
  readonly atMs: number;
  readonly before: Lease;
  readonly after: Lease;
}

export interface Lease {
  readonly owner: string | null;
  readonly untilMs: number | null;
}

/** Names the process in every session of its connections. */
export function urlOfProcess(databaseUrl: string, process: string): string {
  return `${databaseUrl}?options=-c%20campaign.process%3D${encodeURIComponent(process)}`;
}

const leasedTables = ['jobs', 'deliveries', 'workflow_runs'] as const;

/**
 * Has the database itself write down who takes, renews and gives up what, and who writes into calls: a process cannot be
 * asked what it does after it has lost something. Rows are locked while they are changed, so that the changes of each are
 * numbered in the order in which they took effect.
 */
export async function watchOwnership(database: Database): Promise<void> {
  // Rounded like the clock of the service.
  const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  const noteOf = (owner: string) => `
    BEGIN
      INSERT INTO campaign.changes (process, table_name, id, at, old_owner, old_until, new_owner, new_until)
      VALUES (coalesce(current_setting('campaign.process', true), ''), TG_TABLE_NAME, NEW.id,
        ${now}, OLD.${owner}, OLD.lease_until, NEW.${owner}, NEW.lease_until);
      RETURN NULL;
    END`;
  const statements = [
    'CREATE SCHEMA campaign',
    `CREATE TABLE campaign.changes (number BIGSERIAL PRIMARY KEY, process TEXT NOT NULL, table_name TEXT NOT NULL,
      id TEXT NOT NULL, at BIGINT NOT NULL, old_owner TEXT, old_until BIGINT, new_owner TEXT, new_until BIGINT,
      turn BIGINT)`,
    `CREATE FUNCTION campaign.note_lease() RETURNS trigger LANGUAGE plpgsql AS $$ ${noteOf('lease_owner')} $$`,
    `CREATE FUNCTION campaign.note_call() RETURNS trigger LANGUAGE plpgsql AS $$ ${noteOf('owner')} $$`,
    `CREATE FUNCTION campaign.note_turn() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO campaign.changes (process, table_name, id, at, turn)
        VALUES (coalesce(current_setting('campaign.process', true), ''), 'call_turns', NEW.call_id, ${now}, NEW.turn_index);
        RETURN NULL;
      END $$`,
    ...leasedTables.map(
      (table) => `CREATE TRIGGER campaign_note AFTER UPDATE ON ${table} FOR EACH ROW
        WHEN (OLD.lease_owner IS NOT NULL OR NEW.lease_owner IS NOT NULL) EXECUTE FUNCTION campaign.note_lease()`,
    ),
    // Any process may issue a token, which changes nothing else of the call.
    `CREATE TRIGGER campaign_note AFTER UPDATE ON calls FOR EACH ROW
      WHEN ((OLD.owner IS NOT NULL OR NEW.owner IS NOT NULL) AND OLD.token_number = NEW.token_number)
      EXECUTE FUNCTION campaign.note_call()`,
    'CREATE TRIGGER campaign_note AFTER INSERT OR UPDATE ON call_turns FOR EACH ROW EXECUTE FUNCTION campaign.note_turn()',
  ];
  for (const statement of statements) await database.run(statement);
}

export interface Ownership {
  readonly changes: readonly LeaseChange[];
  /** How often another process has taken something whose lease had ended. */
  readonly takenOver: number;
}

type Stored = Row & {
  process: string;
  table_name: string;
  id: string;
  at: number;
  old_owner: string | null;
  old_until: number | null;
  new_owner: string | null;
  new_until: number | null;
  turn: number | null;
};

/** Nothing belongs to two processes: what one has is neither taken nor changed by another until its lease has ended. */
export async function checkOwnership(
  database: Database,
  { spokenCalls, found }: { readonly spokenCalls: ReadonlySet<string>; readonly found: (what: string) => void },
): Promise<Ownership> {
  const rows = await database.all<Stored>(
    'SELECT process, table_name, id, at, old_owner, old_until, new_owner, new_until, turn FROM campaign.changes ORDER BY number',
  );
  /** The process that has introduced each name of an owner. */
  const homes = new Map<string, string>();
  const leases = new Map<string, Lease>();
  const changes: LeaseChange[] = [];
  let takenOver = 0;
  for (const row of rows) {
    if (row.turn !== null) {
      checkTurn(row);
      continue;
    }
    const change: LeaseChange = {
      table: row.table_name,
      id: row.id,
      process: row.process,
      atMs: row.at,
      before: { owner: row.old_owner, untilMs: row.old_until },
      after: { owner: row.new_owner, untilMs: row.new_until },
    };
    changes.push(change);
    checkChange(change);
    if (change.table === 'calls') leases.set(change.id, change.after);
  }
  if (rows.some(({ process }) => process === '')) found('a change is of no process of the campaign');
  return { changes, takenOver };

  function checkChange({ table, id, process, atMs, before, after }: LeaseChange): void {
    const what = table === 'calls' ? (spokenCalls.has(id) ? 'a spoken call' : 'a chat') : `a row of ${table}`;
    const home = before.owner === null ? undefined : homes.get(before.owner);
    // A repeated message waits for the claim on its key, which was renewed at another time than the lease of its reply.
    const toleranceMs = table === 'calls' && !spokenCalls.has(id) ? leaseMs / 2 : 0;
    const isAlive = before.owner !== null && (before.untilMs ?? 0) - toleranceMs > atMs;
    if (after.owner !== null && !homes.has(after.owner)) homes.set(after.owner, process);
    if (after.owner !== null && after.owner !== before.owner && homes.get(after.owner) !== process)
      found(`${what} was given to a process by another one`);
    if (before.owner === null || home === process) return;
    if (after.owner !== null && after.owner !== before.owner) {
      if (isAlive) found(`${what} was taken from a process whose lease had not ended`);
      else takenOver += 1;
      return;
    }
    // Chats can be ended and changed through the API by any process.
    if (table === 'calls' && !spokenCalls.has(id)) return;
    if (after.owner === before.owner) {
      // A call whose process is lost is given more time by another one, which leaves its owner and its lease as they are.
      if (isAlive || after.untilMs !== before.untilMs) found(`${what} was changed by a process that does not have it`);
    } else if (isAlive) found(`${what} was released by a process that does not have it`);
  }

  function checkTurn({ id, process, at }: Stored): void {
    const { owner = null, untilMs = null } = leases.get(id) ?? {};
    if (owner === null || homes.get(owner) === process) return;
    // What is said in a chat through the API may follow a lost reply.
    if (!spokenCalls.has(id) && (untilMs ?? 0) <= at) return;
    found('a turn was written by a process that does not have the call');
  }
}
