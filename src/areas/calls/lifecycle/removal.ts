import type { Analysis } from '../../../contract/analysis/index.ts';
import type { Call } from '../../../contract/calls/call.ts';
import { stateConflict, unprocessable } from '../../../core/errors.ts';
import type { Queries } from '../../../storage/database.ts';
import type { RemovedContent } from '../../../storage/removed-content.ts';
import type { OnCallSettled } from '../../area.ts';
import { isTerminal, terminal } from '../record/call.ts';
import type { CallDocument, StoredCall } from '../record/call-row.ts';
import type { Journal } from '../record/journal.ts';
import type { LockedCall } from '../record/locked-call.ts';
import {
  contentDropped,
  endedWithContent,
  isLooser,
  partialRedaction,
  reducedAnalysis,
  reducedCall,
  type StorageSetting,
  storedKeys,
  storedTurnJson,
} from '../record/storage-setting.ts';
import type { CallStore } from '../record/store.ts';

export interface RemovalParts {
  readonly store: CallStore;
  readonly journal: Journal;
  /** The copies of a call's content in webhook events. */
  readonly events: {
    redactCall(
      queries: Queries,
      workspaceId: string,
      callId: string,
      reduce: (body: { readonly data: unknown }) => object | null,
    ): Promise<void>;
    clearCall(queries: Queries, workspaceId: string, callId: string): Promise<void>;
  };
  /** Its analyses, of which the call has the last. */
  readonly analyses: {
    rewrite(queries: Queries, callId: string, change: (analysis: Analysis) => Analysis): Promise<void>;
    remove(queries: Queries, callId: string): Promise<void>;
  };
  readonly removeSavedResponses: (queries: Queries, callId: string, isDeleted: boolean) => Promise<void>;
  /** Removes the file, after the transaction. */
  readonly removeRecording: (queries: Queries, stored: StoredCall) => Promise<void>;
  readonly onSettled: OnCallSettled;
  readonly removedContent: RemovedContent;
}

export type Removal = ReturnType<typeof createRemoval>;

/** Removes the content of calls that are over, from everywhere. */
export function createRemoval(parts: RemovalParts) {
  const { store, journal, events, analyses, removeSavedResponses, removeRecording, onSettled, removedContent } = parts;

  return {
    redact: async (queries: Queries, locked: LockedCall, to: StorageSetting): Promise<CallDocument | null> => {
      requireTerminal(locked);
      const { id, workspaceId, dataStorageSetting } = locked.call;
      if (to === dataStorageSetting) return null;
      if (isLooser(to, dataStorageSetting)) {
        throw unprocessable({ to: [`must not be looser than the present setting, ${dataStorageSetting}`] });
      }
      await removeRecording(queries, locked.row);
      if (locked.row.recording !== null) locked.set({ recording: { name: null, sha256: null } });
      const at = new Date(locked.now).toISOString();
      const { analysis } = locked.call;
      const dropped: string[] = [];
      locked.setCall({
        ...reducedCall(locked.call, to, (field) => dropped.push(field)),
        analysis: keptAnalysis(analysis, to, at),
      });
      if (locked.call.analysis.status !== analysis.status) locked.publish('call_analyzed', { call: locked.call });
      await store.rewriteTurns(queries, id, (turn) => {
        const { doc, isDropped } = storedTurnJson(turn, to);
        if (isDropped) dropped.push(`turn ${turn.index}`);
        return doc;
      });
      await store.rewriteKeys(queries, id, (keys) => storedKeys(keys, to));
      if (to === 'basic_attributes_only') await store.removeTurnEvents(queries, id);
      else {
        const warnings = [partialRedaction, ...(dropped.length === 0 ? [] : [contentDropped(listOf(dropped))])];
        for (const warning of warnings) {
          await store.moveLastEvent(queries, id, locked.row.nextEvent - 1);
          locked.addEventBeforeEnd('warning', warning);
        }
      }
      await analyses.rewrite(queries, id, (one) => keptAnalysis(one, to, at));
      await events.redactCall(queries, workspaceId, id, (body) => reducedBody(body, to));
      await removeSavedResponses(queries, id, false);
      locked.publish('call_deleted', { callId: id, level: to });
      removedContent.removeFromLog(queries);
      await onSettled(queries, { what: 'redacted', call: locked.call });
      return journal.write(queries, locked);
    },

    /** The event is written before the call disappears, because it needs the agent of the call. */
    remove: async (queries: Queries, locked: LockedCall): Promise<void> => {
      requireTerminal(locked);
      const { id, workspaceId } = locked.call;
      await removeRecording(queries, locked.row);
      await events.clearCall(queries, workspaceId, id);
      await analyses.remove(queries, id);
      await removeSavedResponses(queries, id, true);
      locked.publish('call_deleted', { callId: id, level: 'deleted' });
      removedContent.removeFromLog(queries);
      await onSettled(queries, { what: 'deleted', call: locked.call });
      await journal.write(queries, locked);
      await store.remove(queries, workspaceId, id);
    },
  };
}

function requireTerminal({ call }: LockedCall): void {
  if (!isTerminal(call)) throw stateConflict('call', { status: call.status, allowed: terminal });
}

function keptAnalysis<A extends Call['analysis']>(analysis: A, to: StorageSetting, at: string): A {
  return reducedAnalysis(endedWithContent(analysis, to, at), to);
}

/** A call has up to 5000 turns. */
const maxNamed = 10;

function listOf(dropped: readonly string[]): string {
  const named = dropped.slice(0, maxNamed).join(', ');
  return `The content of ${named}${dropped.length > maxNamed ? ` and ${dropped.length - maxNamed} more` : ''}`;
}

/** The body of a webhook event with the call as it is kept now. */
function reducedBody(body: { readonly data: unknown }, to: StorageSetting): object {
  const data = body.data as { readonly call?: Call };
  return data.call === undefined ? body : { ...body, data: { ...data, call: reducedCall(data.call, to) } };
}
