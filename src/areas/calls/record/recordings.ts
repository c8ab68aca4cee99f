import type { Call } from '../../../contract/calls/call.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { MediaStore } from '../../../storage/media.ts';
import type { StoredCall } from './call-row.ts';
import type { Journal } from './journal.ts';
import type { LockedCall } from './locked-call.ts';
import type { CallStore } from './store.ts';

/** A recording that is complete on the disk. */
export interface FinishedRecording {
  readonly durationMs: number;
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** Completes files that a call was recorded to. */
export interface RecordingFiles {
  /** Completes the file, also one whose process was lost. Null if there is nothing in it. May be called again. */
  finish(name: string): Promise<FinishedRecording | null>;
}

export interface RecordingParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly media: MediaStore;
  readonly files: RecordingFiles;
  readonly store: Pick<CallStore, 'moveLastEvent'>;
  /** The call has no recording, which its caller cannot know. */
  readonly logFailure: (callId: string) => void;
}

interface SettlePayload {
  readonly callId: string;
  readonly name: string;
}

export type Recordings = ReturnType<typeof createRecordings>;

/** In the log. */
export const recordingFailure = 'a call could not be recorded';

/** In the events of a call whose recording has failed. */
export const recordingWarning = {
  code: 'recording_failed',
  message: 'The recording of the call could not be written. There is no recording of this call.',
} as const;

const settling = { name: 'calls.recording.settle', maxAttempts: 3 };

export function recordingNameOf(callId: string): string {
  return `calls/${callId}.wav`;
}

/** What becomes of the recording of a call after its end. */
export function createRecordings({ database, jobs, media, files, store, logFailure }: RecordingParts) {
  /** Writes the outcome; removes the file of a call that was deleted or redacted in the meantime. */
  const settle = async (
    journal: Journal,
    workspaceId: string,
    { callId, name }: SettlePayload,
    finished: FinishedRecording | null,
  ): Promise<void> => {
    const isKept = await database.transaction(async (queries) => {
      const locked = await journal.lock(queries, workspaceId, callId);
      if (locked === undefined || locked.row.recording === null) return false;
      if (locked.call.recording.status !== 'processing') return locked.call.recording.status === 'available';
      locked.setCall({ recording: outcomeOf(finished) });
      locked.set({ recording: { name: finished === null ? null : name, sha256: finished?.sha256 ?? null } });
      if (finished === null) {
        await store.moveLastEvent(queries, callId, locked.row.nextEvent - 1);
        locked.addEventBeforeEnd('warning', recordingWarning);
        queries.atEnd((isCommitted) => isCommitted && logFailure(callId));
      }
      await journal.write(queries, locked);
      return finished !== null;
    });
    if (!isKept) await media.remove(name);
  };

  const settleKind = (journal: Journal): JobKind<SettlePayload> => ({
    ...settling,
    // A recording is processed for 30 seconds at most.
    retryDelaysMs: [1000, 5000],
    timeoutMs: 8000,
    concurrency: 4,
    concurrencyPerWorkspace: 2,
    run: async ({ payload, workspaceId, attempt, maxAttempts }) => {
      const workspace = workspaceId as string;
      try {
        await settle(journal, workspace, payload, await files.finish(payload.name));
      } catch (error) {
        if (attempt < maxAttempts) throw error;
        await settle(journal, workspace, payload, null);
        throw error;
      }
    },
  });

  const removeKind: JobKind<{ readonly name: string }> = {
    name: 'calls.recording.remove',
    // About half a year: content must not stay because a disk was away.
    maxAttempts: 4000,
    retryDelaysMs: [1000, 10_000, 60_000, 600_000, 3_600_000],
    timeoutMs: 60_000,
    concurrency: 4,
    concurrencyPerWorkspace: 2,
    run: ({ payload }) => media.remove(payload.name),
  };

  return {
    /** In the transaction that ends the call. */
    ending: (locked: LockedCall): void => {
      if (locked.call.recording.status !== 'recording') return;
      locked.setCall({ recording: { status: 'processing', durationMs: null, sizeBytes: null } });
    },

    /** After it, in the same transaction. */
    ended: async (queries: Queries, { call, recording }: StoredCall): Promise<void> => {
      const name = recording?.name ?? null;
      const {
        id: callId,
        workspaceId,
        recording: { status },
      } = call;
      if (name === null) return;
      if (status === 'processing') await jobs.add(queries, settling, { payload: { callId, name }, workspaceId });
      // What there is of it has a gap that nothing tells.
      if (status === 'failed') await jobs.add(queries, removeKind, { payload: { name }, workspaceId });
    },

    /** In the transaction that deletes or redacts the call. */
    remove: async (queries: Queries, { call, recording }: StoredCall): Promise<void> => {
      const name = recording?.name ?? null;
      if (name === null) return;
      await jobs.add(queries, removeKind, { payload: { name }, workspaceId: call.workspaceId });
    },

    kinds: (journal: Journal): readonly JobKind[] => [settleKind(journal) as JobKind, removeKind as JobKind],
  };
}

function outcomeOf(finished: FinishedRecording | null): Call['recording'] {
  if (finished === null) return { status: 'failed', durationMs: null, sizeBytes: null };
  const { durationMs, sizeBytes } = finished;
  return { status: 'available', durationMs, sizeBytes };
}
