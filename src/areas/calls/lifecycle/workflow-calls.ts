import type { Call } from '../../../contract/calls/call.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { notFound } from '../../../core/errors.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import type { OnCallSettled } from '../../area.ts';
import { isTerminal } from '../record/call.ts';
import { type CallChanges, changesOf } from '../record/changes.ts';
import type { Journal } from '../record/journal.ts';
import type { CallStore } from '../record/store.ts';
import { poolOf } from './concurrency.ts';
import { type CreateParts, createCall } from './create.ts';

export interface WorkflowCallParts {
  readonly database: Database;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly create: CreateParts;
  readonly onSettled: OnCallSettled;
}

/** How many turns are read at once: a transcript can have megabytes. */
const turnsPerStep = 200;

/** What workflows need of calls, in their own transactions. */
export function createWorkflowCalls({ database, store, journal, create, onSettled }: WorkflowCallParts) {
  const { turn: kind } = database.documents;

  return {
    find: async (queries: Reads, workspaceId: string, id: string): Promise<Call | undefined> =>
      (await store.find(workspaceId, id, queries))?.call,

    /** The call, locked until the transaction ends. */
    lock: async (queries: Queries, workspaceId: string, id: string): Promise<Call | undefined> =>
      (await journal.lock(queries, workspaceId, id))?.call,

    /** What was said, in order, a part at a time. Nothing if there is no transcript. */
    turns: async function* (queries: Reads, { id, transcriptStatus }: Call): AsyncGenerator<Turn> {
      if (transcriptStatus !== 'available') return;
      for (let after = -1, count = turnsPerStep; count === turnsPerStep; ) {
        const rows = await queries.all<{ turn_index: number; doc: string; doc_version: number }>(
          `SELECT turn_index, doc, doc_version FROM call_turns
            WHERE call_id = $1 AND turn_index > $2 AND doc IS NOT NULL ORDER BY turn_index LIMIT ${turnsPerStep}`,
          [id, after],
        );
        for (const { doc, doc_version } of rows) yield kind.parse<Turn>(doc, doc_version);
        count = rows.length;
        after = rows.at(-1)?.turn_index ?? after;
      }
    },

    /** As calls.update. Throws what that would refuse. Resolves to the call. */
    update: async (queries: Queries, workspaceId: string, id: string, changes: CallChanges): Promise<Call> => {
      const locked = await journal.lock(queries, workspaceId, id);
      if (locked === undefined) throw notFound('call');
      const changed = changesOf(locked.call, changes);
      if (Object.keys(changed).length === 0) return locked.call;
      locked.setCall(changed);
      if (isTerminal(locked.call)) await onSettled(queries, { what: 'changed', call: locked.call });
      await journal.write(queries, locked);
      return locked.call;
    },

    /**
     * As calls.create. Throws what that would refuse. `isAllowed` is asked while no other call of the workspace can be
     * created; if it is not, the result is null.
     */
    create: async (
      queries: Queries,
      workspaceId: string,
      body: CreateCall,
      { runId, isAllowed }: { readonly runId: string; readonly isAllowed: () => Promise<boolean> },
    ): Promise<Call | null> => {
      await create.concurrency.free(queries, workspaceId, poolOf(body.type));
      if (!(await isAllowed())) return null;
      const locked = await createCall(create, queries, workspaceId, body, runId);
      await journal.insert(queries, locked);
      return locked.call;
    },
  };
}
