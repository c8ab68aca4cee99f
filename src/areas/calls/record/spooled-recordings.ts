import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { MediaStore } from '../../../storage/media.ts';
import type { Spool } from '../../../storage/open-media.ts';
import { isTerminal } from './call.ts';
import type { RecordingPiece, StoredCall, StoredRecording } from './call-row.ts';
import type { Journal } from './journal.ts';
import type { FinishedRecording, RecordingFiles } from './recording-files.ts';
import type { CallStore } from './store.ts';

export interface SpooledRecordingParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly media: MediaStore;
  readonly spool: Spool;
  readonly files: RecordingFiles;
  readonly store: Pick<CallStore, 'find'>;
  readonly now: () => number;
  /** The recording waits in the spool. */
  readonly logDelay: (callId: string, error: unknown) => void;
  /** Null: there is no recording. `lostPieces`: how many files are gone with their instance. */
  readonly settle: (
    journal: Journal,
    call: CallKey & { readonly name: string },
    finished: FinishedRecording | null,
    lostPieces: number,
  ) => Promise<void>;
}

interface CallKey {
  readonly workspaceId: string;
  readonly callId: string;
}

interface Payload {
  readonly callId: string;
}

/** In spools, and in the bucket until the pieces are joined. */
const piecesFolder = 'pieces';
/** A page that reconnects again and again from one instance to another must not fill the row of the call. */
const maxPieces = 100;
/** After that, a spool that no process has is lost with its instance. */
const lostAfterMs = 3_600_000;
const overdueMs = 600_000;
/** Nothing writes to a file of the spool for longer than that without being noticed here. */
const leftoverMs = 3_600_000;
/** Files of calls that are not in the database: it may be the wrong one, which somebody notices by then. */
const unknownKeptMs = 24 * 3_600_000;
/** A process that stops sends what it can. */
export const maxFlushMs = 10_000;

/** For about a month: a recording must not be lost because the storage was away. */
const uploading = { maxAttempts: 4000 };
const overdue = { name: 'calls.recording.overdue', maxAttempts: 10 };

/** Longer than an upload is repeated: the jobs of a spool that nobody has any more. */
const orphanedAfterMs = 60 * 24 * 3_600_000;

const uploadName = (spoolId: string): string => `calls.recording.upload.${spoolId}`;
const spoolName = (spoolId: string): string => `calls.recording.spool.${spoolId}`;

export type SpooledRecordings = ReturnType<typeof createSpooledRecordings>;

/**
 * The recording of a call that this process goes on with, in a file of its own: of the processes that had the call
 * before, it may not see the files.
 */
export function withPiece({ call, recording }: StoredCall, spoolId: string | null, epoch: number) {
  const pieces = recording?.pieces ?? [];
  const isRecorded = recording !== null && recording.name !== null && call.recording.status !== 'failed';
  if (spoolId === null || !isRecorded || pieces.length >= maxPieces) return recording;
  const piece: RecordingPiece = {
    spool: spoolId,
    name: pieceName({ workspaceId: call.workspaceId, callId: call.id }, epoch),
    status: 'spooled',
  };
  return { ...recording, pieces: [...pieces, piece] };
}

/**
 * Recordings on their way from the spools of instances to the bucket. Each process that had the call has recorded to a
 * file in its spool; the instance that is the last to send its file joins them.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createSpooledRecordings(parts: SpooledRecordingParts, spoolId: string) {
  const { database, jobs, media, spool, files, store, now, settle } = parts;
  const { folder } = spool;
  const startedAt = now();
  let tidied = 0;

  const spooledFiles = async (): Promise<(CallKey & { readonly name: string })[]> =>
    (await folder.filesIn(piecesFolder)).flatMap(({ name }) => {
      const key = callOfPiece(name);
      return key === null ? [] : [{ ...key, name }];
    });
  const spooledCalls = async (): Promise<CallKey[]> => [
    ...new Map((await spooledFiles()).map((file) => [file.callId, file])).values(),
  ];
  const removeLocal = async (callId: string): Promise<void> => {
    for (const file of await spooledFiles()) if (file.callId === callId) await folder.remove(file.name);
  };

  /** Changes pieces, or removes them, if the call still has them. */
  const setPieces = (
    journal: Journal,
    { workspaceId, callId }: CallKey,
    change: (piece: RecordingPiece) => RecordingPiece | null,
  ): Promise<void> =>
    database.transaction(async (queries) => {
      const locked = await journal.lock(queries, workspaceId, callId);
      const recording = locked?.row.recording;
      if (locked === undefined || recording?.pieces === undefined) return;
      const pieces = recording.pieces.map(change).filter((piece) => piece !== null);
      locked.set({ recording: { ...recording, pieces } });
      await journal.write(queries, locked);
    });

  /** Copies a file of the bucket to the spool, if there is one. */
  const fetched = async (name: string, localName: string): Promise<boolean> => {
    if ((await media.find(name)) === null) return false;
    await folder.write(localName, media.read(name));
    return true;
  };

  /** All files are here or in the bucket: they become one. */
  const join = async (journal: Journal, key: CallKey, recording: StoredRecording, signal: AbortSignal) => {
    const { name = '', pieces = [] } = recording as StoredRecording & { name: string };
    const present: string[] = [];
    let missing = 0;
    for (const piece of pieces.filter(({ status }) => status !== 'lost')) {
      if (piece.status === 'stored' && !(await fetched(piece.name, piece.name))) missing += 1;
      else if ((await files.finish(piece.name)) !== null) present.push(piece.name);
    }
    const whole = pieceName(key, 0);
    // If the database was restored from a backup, it may not know that they were joined before.
    const wasJoined = (present.length === 0 || missing > 0) && (await fetched(name, whole));
    if (!wasJoined && present.length > 1) await files.merge(present, whole);
    const local = wasJoined || present.length > 1 ? whole : present[0];
    const finished = local === undefined ? null : await files.finish(local);
    if (!wasJoined && local !== undefined && finished !== null) {
      await media.writeFile(name, folder.path(local), signal);
    }
    const lostPieces = wasJoined ? 0 : missing + pieces.filter(({ status }) => status === 'lost').length;
    await settle(journal, { ...key, name }, finished, lostPieces);
    await removeLocal(key.callId);
  };

  /** Sends what this instance has of the recording. May be repeated. */
  const send = async (journal: Journal, key: CallKey, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const found = await store.find(key.workspaceId, key.callId);
      const { pieces, name = null } = found?.recording ?? {};
      const status = found?.call.recording.status ?? 'none';
      // `returned` continues with this recording.
      if (status === 'failed' && pieces?.some((one) => one.status === 'lost' && one.spool === spoolId)) return;
      // Deleted, redacted, failed, or settled.
      if (found === undefined || pieces === undefined || name === null || !isPending(status)) {
        return removeLocal(key.callId);
      }
      const isOver = isTerminal(found.call);
      const isWaitingForOthers = pieces.some((piece) => piece.status === 'spooled' && piece.spool !== spoolId);
      if (isOver && !isWaitingForOthers) return join(journal, key, found.recording as StoredRecording, signal);
      // A process that has the call writes to the last one.
      const closed = isOver || found.owner === null ? pieces : pieces.slice(0, -1);
      const piece = closed.find((one) => one.status === 'spooled' && one.spool === spoolId);
      if (piece === undefined) return;
      if ((await files.finish(piece.name)) !== null) {
        await media.writeFile(piece.name, folder.path(piece.name), signal);
        await setPieces(journal, key, (one) => (one.name === piece.name ? { ...one, status: 'stored' } : one));
      } else {
        // Nothing was recorded to it.
        await setPieces(journal, key, (one) => (one.name === piece.name ? null : one));
      }
      await folder.remove(piece.name);
    }
  };

  const uploadKind = (journal: Journal): JobKind<Payload> => ({
    ...uploading,
    name: uploadName(spoolId),
    retryDelaysMs: [1000, 5000, 15_000, 60_000, 600_000],
    timeoutMs: 900_000,
    concurrency: 4,
    concurrencyPerWorkspace: 2,
    isLocal: true,
    run: async ({ payload: { callId }, workspaceId, attempt, maxAttempts }, { signal }) => {
      const key = { workspaceId: workspaceId as string, callId };
      try {
        await send(journal, key, signal);
      } catch (error) {
        if (!signal.aborted) parts.logDelay(callId, error);
        if (attempt >= maxAttempts) {
          const { name = null } = (await store.find(key.workspaceId, callId))?.recording ?? {};
          if (name !== null) await settle(journal, { ...key, name }, null, 0);
        }
        throw error;
      }
    },
  });

  const lostSpools = async (pieces: readonly RecordingPiece[]): Promise<Set<string>> => {
    const ids = new Set(pieces.filter(({ status }) => status === 'spooled').map((piece) => piece.spool));
    ids.delete(spoolId);
    const lost = new Set<string>();
    for (const id of ids) {
      const seenAt = (await jobs.recurringAt(spoolName(id))) ?? 0;
      // After a downtime of everything, others may still be about to start.
      if (now() - Math.max(seenAt, startedAt) > lostAfterMs) lost.add(id);
    }
    return lost;
  };

  /** Ends the wait for an instance that does not come back, until there is an outcome. */
  const overdueKind = (journal: Journal): JobKind<Payload> => ({
    ...overdue,
    retryDelaysMs: [60_000, overdueMs],
    timeoutMs: 60_000,
    concurrency: 2,
    concurrencyPerWorkspace: 1,
    run: async ({ payload: { callId }, workspaceId }) => {
      const key = { workspaceId: workspaceId as string, callId };
      const found = await store.find(key.workspaceId, callId);
      if (found === undefined || !isWaiting(found)) return;
      const lost = await lostSpools(found.recording?.pieces ?? []);
      await database.transaction(async (queries) => {
        const locked = await journal.lock(queries, key.workspaceId, callId);
        if (locked === undefined || !isWaiting(locked.row)) return;
        const before = locked.row.recording as StoredRecording;
        const pieces = (before.pieces ?? []).map(
          (piece): RecordingPiece =>
            piece.status === 'spooled' && lost.has(piece.spool) ? { ...piece, status: 'lost' } : piece,
        );
        if (lost.size > 0) {
          locked.set({ recording: { ...before, pieces } });
          await journal.write(queries, locked);
          for (const id of lost) await jobs.remove(queries, { name: uploadName(id) }, callId);
        }
        // Every spool can join what is in the bucket. The one that was to do it may be lost.
        if (!pieces.some(({ status }) => status === 'spooled')) await addUpload(queries, key, spoolId);
        await addOverdue(queries, key);
      });
    },
  });

  const addUpload = async (queries: Queries, { workspaceId, callId }: CallKey, id: string): Promise<void> => {
    const kind = { ...uploading, name: uploadName(id) };
    await jobs.add(queries, kind, { payload: { callId }, workspaceId, dedupeKey: callId });
  };

  const addOverdue = async (queries: Queries, { workspaceId, callId }: CallKey): Promise<void> => {
    await jobs.add(queries, overdue, { payload: { callId }, workspaceId, delayMs: overdueMs });
  };

  const addUploads = async (queries: Queries, { call, recording }: StoredCall): Promise<void> => {
    const ids = new Set(recording?.pieces?.map((piece) => piece.spool));
    // No file is left, but the call still waits for an outcome.
    if (ids.size === 0) ids.add(spoolId);
    for (const id of ids) await addUpload(queries, { workspaceId: call.workspaceId, callId: call.id }, id);
  };

  /** What processes have left behind: files of calls that are gone, and those whose job is. */
  const tidy = async (journal: Journal): Promise<void> => {
    for (const { workspaceId, callId } of await spooledCalls()) {
      const found = await store.find(workspaceId, callId);
      if (found === undefined) {
        if (now() - startedAt > unknownKeptMs) await removeLocal(callId);
      } else if (isTerminal(found.call)) await database.transaction((queries) => returned(queries, journal, found));
    }
    if (tidied % 60 === 0)
      for (const name of [uploadName(''), spoolName('')]) await jobs.removeAbandoned(name, orphanedAfterMs);
    tidied += 1;
    for (const { name, modifiedAt } of await folder.filesIn('transfers')) {
      if (Date.now() - modifiedAt > leftoverMs) await folder.remove(name);
    }
  };

  /** An instance that was taken for lost is back: the call gets its recording after all. */
  const returned = async (queries: Queries, journal: Journal, { call }: StoredCall): Promise<void> => {
    const locked = await journal.lock(queries, call.workspaceId, call.id);
    if (locked === undefined) return;
    const key = { workspaceId: call.workspaceId, callId: call.id };
    const { recording } = locked.row;
    const isOwn = ({ spool: id, status }: RecordingPiece) => id === spoolId && status === 'lost';
    const { status: outcome } = locked.call.recording;
    if (['failed', 'processing'].includes(outcome) && recording?.pieces?.some(isOwn)) {
      const pieces = recording.pieces.map((one): RecordingPiece => (isOwn(one) ? { ...one, status: 'spooled' } : one));
      locked.set({ recording: { ...recording, pieces } });
      locked.setCall({ recording: { status: 'processing', durationMs: null, sizeBytes: null } });
      await journal.write(queries, locked);
      if (outcome === 'failed') await addOverdue(queries, key);
    }
    await addUpload(queries, key, spoolId);
  };

  /** Its next time tells others that this spool is there. */
  const spoolKind = (journal: Journal): JobKind<null> => ({
    name: spoolName(spoolId),
    maxAttempts: 1,
    retryDelaysMs: [],
    timeoutMs: 60_000,
    concurrency: 1,
    recurrence: { everyMs: 60_000 },
    isLocal: true,
    run: async () => {
      await tidy(journal);
      await spool.keepId();
    },
  });

  return {
    /** In the transaction that ends the call. */
    ended: async (queries: Queries, stored: StoredCall): Promise<void> => {
      await addUploads(queries, stored);
      const { id: callId, workspaceId } = stored.call;
      if (stored.call.recording.status === 'processing') await addOverdue(queries, { workspaceId, callId });
    },

    /** In the transaction that deletes or redacts it: its files in spools. */
    remove: addUploads,

    kinds: (journal: Journal): readonly JobKind[] =>
      [uploadKind(journal), overdueKind(journal), spoolKind(journal)] as unknown as readonly JobKind[],

    /** The process stops, and may not come back: sends what is complete, for some seconds. */
    flush: async (journal: Journal): Promise<void> => {
      const signal = AbortSignal.timeout(maxFlushMs);
      const isLate = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      const sendAll = async (): Promise<void> => {
        for (const { workspaceId, callId } of await spooledCalls()) {
          if (signal.aborted) return;
          await send(journal, { workspaceId, callId }, signal).catch((error) => parts.logDelay(callId, error));
        }
      };
      // Not everything in it can be aborted, and the process must end.
      await Promise.race([sendAll(), isLate]);
    },
  };
}

function isPending(status: string): boolean {
  return status === 'recording' || status === 'processing';
}

/** The call is over, and its recording has no outcome. */
function isWaiting({ call, recording }: StoredCall): boolean {
  return call.recording.status === 'processing' && recording?.pieces !== undefined;
}

function pieceName({ workspaceId, callId }: CallKey, epoch: number): string {
  return `${piecesFolder}/${workspaceId}.${callId}.${epoch}.wav`;
}

/** Null if the file is none. One that was being written when its process was lost has another ending. */
function callOfPiece(name: string): CallKey | null {
  const match = /^pieces\/([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.\d+\.wav(\.[0-9a-f]+\.incomplete)?$/.exec(name);
  return match === null ? null : { workspaceId: match[1] as string, callId: match[2] as string };
}
