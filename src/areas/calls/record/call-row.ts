import type { Call } from '../../../contract/calls/call.ts';
import { haveSameSearchValues, searchValuesOf } from '../../../core/call-values.ts';
import { etagOf } from '../../../core/etag.ts';
import { boundedJson } from '../../../core/json-limits.ts';
import { StoredJson } from '../../../core/stored-json.ts';
import type { Database, Value } from '../../../storage/database.ts';
import type { DocumentKind } from '../../../storage/documents/document-kind.ts';
import type { StoredDocuments } from '../../../storage/documents/rewriting.ts';
import { callColumnNames, callColumnValues, haveSameColumns } from './filter-values.ts';

/** A call and what the service knows about it besides. */
export interface StoredCall {
  readonly call: Call;
  readonly etag: string;
  /** The language of the agent; this and the digest are empty in a call without an agent. */
  readonly language: string;
  readonly agentDigest: string;
  /** Null unless it is a phone call. */
  readonly carrierId: string | null;
  /** When the service has to act next, if nothing happens before. */
  readonly dueAt: number | null;
  /** The process that is replying, and until when nobody else may. */
  readonly owner: string | null;
  readonly ownerEpoch: number;
  readonly leaseUntil: number | null;
  /** The numbers of the next turn, call event and webhook event, and of the newest token. */
  readonly nextTurn: number;
  /** The length of the transcript as JSON, before anything is left out of it. */
  readonly transcriptBytes: number;
  readonly nextEvent: number;
  readonly nextSequence: number;
  readonly tokenNumber: number;
  readonly joinedToken: string | null;
  /** What the conversation needs to continue; null if it needs nothing, and once it is over. */
  readonly state: object | null;
  /** Null if the call is not to be recorded. */
  readonly recording: StoredRecording | null;
}

/** What is known about the recording of a call besides what the call says. */
export interface StoredRecording {
  /** In the media store; null before it exists, and after its deletion. */
  readonly name: string | null;
  /** In hex; null until it is complete. */
  readonly sha256: string | null;
  /** Before it is in the media store, if that is a bucket: the files of the processes that had the call, in order. */
  readonly pieces?: readonly RecordingPiece[];
}

/** What one process has recorded of a call. */
export interface RecordingPiece {
  /** The id of the spool that the file is in. */
  readonly spool: string;
  readonly name: string;
  /** `stored`: in the bucket, under the same name. `lost`: its instance is gone. */
  readonly status: 'spooled' | 'stored' | 'lost';
}

export interface CallDocument {
  readonly body: StoredJson<Call>;
  readonly etag: string;
}

export interface StateRow extends Record<string, unknown> {
  state: string | null;
  sealed_state: Uint8Array | null;
}

export interface CallRow extends Record<string, unknown> {
  doc: string;
  doc_version: number;
  etag: string;
  language: string;
  agent_digest: string;
  carrier_id: string | null;
  due_at: number | null;
  owner: string | null;
  owner_epoch: number;
  lease_until: number | null;
  next_turn: number;
  transcript_bytes: number;
  next_event: number;
  next_sequence: number;
  token_number: number;
  joined_token: string | null;
  recording: string | null;
}

/** Columns that are written together. */
export const columnGroups = {
  pinned: ['language', 'agent_digest', 'carrier_id'],
  /** What changes with every turn. */
  progress: [
    'due_at',
    'owner',
    'owner_epoch',
    'lease_until',
    'next_turn',
    'transcript_bytes',
    'next_event',
    'next_sequence',
    'token_number',
    'joined_token',
  ],
  state: ['state', 'sealed_state'],
  recording: ['recording'],
  document: ['etag', 'doc', 'doc_version'],
  filtered: [...callColumnNames, 'search_values'],
} as const satisfies Record<string, readonly string[]>;

export type ColumnGroup = keyof typeof columnGroups;

export const allGroups = Object.keys(columnGroups) as ColumnGroup[];
export const writtenColumns = ['workspace_id', 'id', ...allGroups.flatMap((group) => columnGroups[group])];

export function filterValues(call: Call): Value[] {
  return [...callColumnValues(call), searchValuesOf(call)];
}

export function haveSameFilterValues(one: Call, other: Call): boolean {
  return haveSameColumns(one, other) && haveSameSearchValues(one, other);
}

/** In the order of the group. */
export function progressOf(stored: Omit<StoredCall, 'etag'>): Value[] {
  return [
    stored.dueAt,
    stored.owner,
    stored.ownerEpoch,
    stored.leaseUntil,
    stored.nextTurn,
    stored.transcriptBytes,
    stored.nextEvent,
    stored.nextSequence,
    stored.tokenNumber,
    stored.joinedToken,
  ];
}

/** As JSON. */
export function recordingOf({ recording }: Pick<StoredCall, 'recording'>): Value {
  return recording === null ? null : JSON.stringify(recording);
}

/** Rarely read: most writes that do not change the document do not return it either. */
export function unchangedDocument({ call, etag }: StoredCall): CallDocument {
  return {
    etag,
    get body() {
      return new StoredJson<Call>(boundedJson(call));
    },
  };
}

export function documentOf(call: Call): CallDocument {
  const document = boundedJson(call);
  return { body: new StoredJson(document), etag: etagOf(document) };
}

/** A stored document in the current version. */
export function currentDocument(kind: DocumentKind, stored: Buffer, row: Pick<CallRow, 'doc_version' | 'etag'>) {
  const document = kind.current(stored, row.doc_version);
  return { body: new StoredJson<Call>(document), etag: document === stored ? row.etag : etagOf(document) };
}

export function storedCall(kind: DocumentKind, row: CallRow, state: object | null): StoredCall {
  const document = kind.current(row.doc, row.doc_version);
  const etag = document === row.doc ? row.etag : etagOf(document);
  return { ...storedColumns(row), etag, call: JSON.parse(document), state };
}

export function storedCalls({ documents: { agent, call, turn, callEvent } }: Database): StoredDocuments[] {
  const derived = (document: Call, text: string) => {
    const values = filterValues(document);
    const filtered = columnGroups.filtered.map((name, index) => [name, values[index] ?? null]);
    return { etag: etagOf(text), ...Object.fromEntries(filtered) };
  };
  return [
    { kind: call, table: 'calls', key: ['workspace_id', 'id'], derived },
    { kind: turn, table: 'call_turns', key: ['call_id', 'turn_index'] },
    { kind: callEvent, table: 'call_events', key: ['call_id', 'sequence'] },
    { kind: agent, table: 'call_agents', key: ['workspace_id', 'digest'] },
  ];
}

/** Without the document and the state. */
export function storedColumns(row: CallRow): Omit<StoredCall, 'call' | 'state'> {
  return {
    etag: row.etag,
    language: row.language,
    agentDigest: row.agent_digest,
    carrierId: row.carrier_id,
    dueAt: row.due_at,
    owner: row.owner,
    ownerEpoch: row.owner_epoch,
    leaseUntil: row.lease_until,
    nextTurn: row.next_turn,
    transcriptBytes: row.transcript_bytes,
    nextEvent: row.next_event,
    nextSequence: row.next_sequence,
    tokenNumber: row.token_number,
    joinedToken: row.joined_token,
    recording: row.recording === null ? null : JSON.parse(row.recording),
  };
}
