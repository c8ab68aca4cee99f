import type { Analysis } from '../../contract/analysis/index.ts';
import type { Call } from '../../contract/calls/call.ts';
import { stateConflict, unprocessable } from '../../core/errors.ts';
import type { Queries } from '../../storage/database.ts';
import type { RemovedContent } from '../../storage/removed-content.ts';
import type { OnCallSettled } from '../area.ts';
import { isTerminal, terminal } from './call.ts';
import type { CallDocument, StoredCall } from './call-row.ts';
import type { HeldCall } from './held-call.ts';
import type { Journal } from './journal.ts';
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
} from './storage-setting.ts';
import type { CallStore } from './store.ts';

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
    redact: async (queries: Queries, held: HeldCall, to: StorageSetting): Promise<CallDocument | null> => {
      requireTerminal(held);
      const { id, workspaceId, dataStorageSetting } = held.call;
      if (to === dataStorageSetting) return null;
      if (isLooser(to, dataStorageSetting)) {
        throw unprocessable({ to: [`must not be looser than the present setting, ${dataStorageSetting}`] });
      }
      await removeRecording(queries, held.row);
      if (held.row.recording !== null) held.set({ recording: { name: null, sha256: null } });
      const at = new Date(held.now).toISOString();
      const { analysis } = held.call;
      const dropped: string[] = [];
      held.setCall({
        ...reducedCall(held.call, to, (field) => dropped.push(field)),
        analysis: keptAnalysis(analysis, to, at),
      });
      if (held.call.analysis.status !== analysis.status) held.publish('call_analyzed', { call: held.call });
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
          await store.moveLastEvent(queries, id, held.row.nextEvent - 1);
          held.addEventBeforeEnd('warning', warning);
        }
      }
      await analyses.rewrite(queries, id, (one) => keptAnalysis(one, to, at));
      await events.redactCall(queries, workspaceId, id, (body) => reducedBody(body, to));
      await removeSavedResponses(queries, id, false);
      held.publish('call_deleted', { callId: id, level: to });
      removedContent.removeFromLog(queries);
      await onSettled(queries, { what: 'redacted', call: held.call });
      return journal.write(queries, held);
    },

    /** The event is written before the call disappears, because it needs the agent of the call. */
    remove: async (queries: Queries, held: HeldCall): Promise<void> => {
      requireTerminal(held);
      const { id, workspaceId } = held.call;
      await removeRecording(queries, held.row);
      await events.clearCall(queries, workspaceId, id);
      await analyses.remove(queries, id);
      await removeSavedResponses(queries, id, true);
      held.publish('call_deleted', { callId: id, level: 'deleted' });
      removedContent.removeFromLog(queries);
      await onSettled(queries, { what: 'deleted', call: held.call });
      await journal.write(queries, held);
      await store.remove(queries, workspaceId, id);
    },
  };
}

function requireTerminal({ call }: HeldCall): void {
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
