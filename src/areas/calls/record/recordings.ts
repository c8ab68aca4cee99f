import type { Call } from '../../../contract/calls/call.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { MediaStore } from '../../../storage/media.ts';
import type { Spool } from '../../../storage/open-media.ts';
import type { StoredCall } from './call-row.ts';
import type { Journal } from './journal.ts';
import type { LockedCall } from './locked-call.ts';
import type { FinishedRecording, RecordingFiles } from './recording-files.ts';
import { createSpooledRecordings } from './spooled-recordings.ts';
import type { CallStore } from './store.ts';

export interface RecordingParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly media: MediaStore;
  readonly spool: Spool;
  readonly files: RecordingFiles;
  readonly store: Pick<CallStore, 'moveLastEvent' | 'find'>;
  readonly now: () => number;
  /** The call has no recording, which its caller cannot know. */
  readonly logFailure: (callId: string) => void;
  readonly logDelay: (callId: string, error: unknown) => void;
}

interface SettlePayload {
  readonly callId: string;
  readonly name: string;
}

export type Recordings = ReturnType<typeof createRecordings>;

/** Longer than the job that sends a recording may take. */
const maxUploadMs = 3_600_000;

/** In the log. */
export const recordingFailure = 'a call could not be recorded';

/** In the events of a call whose recording has failed. */
export const recordingWarning = {
  code: 'recording_failed',
  message: 'The recording of the call could not be written. There is no recording of this call.',
} as const;

/** The same, for one whose instance does not come back. */
const recordingLost = {
  code: 'recording_lost',
  message: 'The instance that recorded the call was lost with its disk. There is no recording of this call.',
} as const;

/** There is a recording, with a gap. */
const recordingIncomplete = {
  code: 'recording_incomplete',
  message: 'An instance that recorded a part of the call was lost with its disk. The recording is silent there.',
} as const;

/** What fails three times has failed. A process that is lost in between is no failure, and is counted by the job, too. */
const maxFailures = 3;
const settling = { name: 'calls.recording.settle', maxAttempts: maxFailures + 10 };

export function recordingNameOf(callId: string): string {
  return `calls/${callId}.wav`;
}

/** What becomes of the recording of a call after its end. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createRecordings(parts: RecordingParts) {
  const { database, jobs, media, spool, files, store, logFailure } = parts;
  const isSpooled = spool.id !== null;

  const removeLater = async (queries: Queries, workspaceId: string, names: readonly string[], delayMs = 0) => {
    for (const name of names) await jobs.add(queries, removeKind, { payload: { name }, workspaceId, delayMs });
  };

  /** Writes the outcome; removes the file of a call that was deleted or redacted in the meantime. */
  const settle = async (
    journal: Journal,
    { workspaceId, callId, name }: SettlePayload & { readonly workspaceId: string },
    finished: FinishedRecording | null,
    lostPieces = 0,
  ): Promise<void> => {
    const isKept = await database.transaction(async (queries) => {
      const locked = await journal.lock(queries, workspaceId, callId);
      if (locked === undefined || locked.row.recording === null) return false;
      if (locked.call.recording.status !== 'processing') return locked.call.recording.status === 'available';
      const pieces = locked.row.recording.pieces ?? [];
      locked.setCall({ recording: outcomeOf(finished) });
      // A piece whose instance is lost may come back with it.
      const none = lostPieces > 0 ? { name, sha256: null, pieces } : { name: null, sha256: null };
      locked.set({ recording: finished === null ? none : { name, sha256: finished.sha256 } });
      const stored = pieces.filter(({ status }) => status === 'stored');
      await removeLater(
        queries,
        workspaceId,
        stored.map((piece) => piece.name),
      );
      const warning = warningOf(finished, lostPieces);
      if (warning !== null) {
        await store.moveLastEvent(queries, callId, locked.row.nextEvent - 1);
        locked.addEventBeforeEnd('warning', warning);
      }
      if (finished === null) queries.atEnd((isCommitted) => isCommitted && logFailure(callId));
      await journal.write(queries, locked);
      return finished !== null;
    });
    if (!isKept) await media.remove(name);
  };

  const spooled = spool.id === null ? null : createSpooledRecordings({ ...parts, settle }, spool.id);

  /** In the media store. */
  const finish = async (name: string): Promise<FinishedRecording | null> => {
    const finished = await files.finish(name);
    if (isSpooled && finished !== null) await media.writeFile(name, spool.folder.path(name));
    return finished;
  };

  const settleKind = (journal: Journal): JobKind<SettlePayload> => ({
    ...settling,
    // A recording is processed for 30 seconds at most.
    retryDelaysMs: [1000, 5000],
    timeoutMs: 8000,
    concurrency: 4,
    concurrencyPerWorkspace: 2,
    run: async ({ payload, workspaceId, attempt }) => {
      const key = { ...payload, workspaceId: workspaceId as string };
      try {
        await settle(journal, key, await finish(payload.name));
      } catch (error) {
        if (attempt < maxFailures) throw error;
        await settle(journal, key, null);
      }
      if (isSpooled) await spool.folder.remove(payload.name);
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
    ended: async (queries: Queries, stored: StoredCall): Promise<void> => {
      const { call, recording } = stored;
      const name = recording?.name ?? null;
      const {
        id: callId,
        workspaceId,
        recording: { status },
      } = call;
      if (name === null) return;
      if (spooled !== null && stored.recording?.pieces !== undefined) {
        await spooled.ended(queries, stored);
        if (status === 'failed') await removeLater(queries, workspaceId, namesOf(stored));
        return;
      }
      if (status === 'processing') await jobs.add(queries, settling, { payload: { callId, name }, workspaceId });
      // What there is of it has a gap that nothing tells.
      if (status === 'failed') await removeLater(queries, workspaceId, [name]);
    },

    /** In the transaction that deletes or redacts the call. */
    remove: async (queries: Queries, stored: StoredCall): Promise<void> => {
      const { workspaceId } = stored.call;
      const names = namesOf(stored);
      await removeLater(queries, workspaceId, names);
      if (spooled === null) return;
      if (stored.recording?.pieces !== undefined) await spooled.remove(queries, stored);
      // An upload that is in progress may end after it, in a process that is lost then or was taken for lost before.
      await removeLater(queries, workspaceId, names, maxUploadMs);
    },

    kinds: (journal: Journal): readonly JobKind[] => [
      settleKind(journal) as JobKind,
      removeKind as JobKind,
      ...(spooled?.kinds(journal) ?? []),
    ],

    /** The process stops: what it has of recordings leaves it, if that is possible within some seconds. */
    flush: async (journal: Journal): Promise<void> => spooled?.flush(journal),
  };
}

/** The names of all files that there may be of the recording. */
function namesOf({ recording }: Pick<StoredCall, 'recording'>): string[] {
  const { name = null, pieces = [] } = recording ?? {};
  return name === null ? [] : [name, ...pieces.map((piece) => piece.name)];
}

function warningOf(finished: FinishedRecording | null, lostPieces: number) {
  if (finished === null) return lostPieces > 0 ? recordingLost : recordingWarning;
  return lostPieces > 0 ? recordingIncomplete : null;
}

function outcomeOf(finished: FinishedRecording | null): Call['recording'] {
  if (finished === null) return { status: 'failed', durationMs: null, sizeBytes: null };
  const { durationMs, sizeBytes } = finished;
  return { status: 'available', durationMs, sizeBytes };
}
