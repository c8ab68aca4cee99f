import type { Call } from '../../../contract/calls/call.ts';
import type { Queries } from '../../../storage/database.ts';
import type { EndedCallDetails, MissedCall, SettledCall } from '../../area.ts';
import { callColumnNames, callColumnValues } from './columns.ts';
import { turnColumnNames, turnColumnValues } from './turns.ts';

const key = ['workspace_id', 'created_at', 'call_id'];
const allColumns = [...key, ...callColumnNames, ...turnColumnNames];
const isCall = key.map((name, index) => `${name} = $${index + 1}`).join(' AND ');

const sql = {
  write: `INSERT INTO call_facts (${allColumns.join(', ')}) VALUES (${allColumns.map((_, index) => `$${index + 1}`).join(', ')})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET
      ${[...callColumnNames, ...turnColumnNames].map((name) => `${name} = excluded.${name}`).join(', ')}`,
  change: `UPDATE call_facts SET ${callColumnNames.map((name, index) => `${name} = $${index + key.length + 1}`).join(', ')}
    WHERE ${isCall}`,
  remove: `DELETE FROM call_facts WHERE ${isCall}`,
};

/** Writes all facts of a call that is over. */
export async function writeFacts(queries: Queries, call: Call, details: EndedCallDetails): Promise<void> {
  await queries.write(sql.write, [...keyOf(call), ...callColumnValues(call), ...turnColumnValues(details)]);
}

/** Keeps the facts as the calls are, in the transactions that change them. */
export async function onCallSettled(queries: Queries, settled: SettledCall): Promise<void> {
  const { what, call } = settled;
  switch (what) {
    case 'ended':
      return writeFacts(queries, call, await settled.details());
    case 'changed':
    case 'redacted':
      // An older call may have no facts yet. They will be filled in from the call as it is then.
      await queries.write(sql.change, [...keyOf(call), ...callColumnValues(call)]);
      return;
    case 'deleted':
      await queries.write(sql.remove, keyOf(call));
      return;
    default:
      return what satisfies never;
  }
}

/** An instance of an earlier release has written them, if at all, and perhaps without the columns that it does not know. */
export async function onCallMissed(queries: Queries, missed: MissedCall): Promise<void> {
  const { workspaceId, createdAt, id, call, details } = missed;
  if (call === null) await queries.write(sql.remove, [workspaceId, createdAt, id]);
  else await writeFacts(queries, call, await details());
}

function keyOf({ workspaceId, createdAt, id }: Call): [string, number, string] {
  return [workspaceId, Date.parse(createdAt), id];
}
