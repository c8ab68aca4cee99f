import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RequestOptions } from '../connection.ts';

/** The last acknowledged state of an agent. */
export interface KnownAgent {
  readonly id: string;
  /** The only writer that changes it. */
  readonly owner: number;
  document: string;
  etag: string;
  /** Earlier versions, by number. */
  readonly older: Map<number, string>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The expected result of an operation. The fields are those of the document, without values that only the service
 * knows.
 */
export type Outcome =
  | { readonly kind: 'made'; readonly fields: Fields }
  | { readonly kind: 'changed'; readonly fields: Fields }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'gone' };

/** A request that changes something. */
export interface Operation {
  readonly requestId: string;
  readonly routeId: string;
  readonly owner: number;
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
  /** Its Idempotency-Key. */
  readonly repeatKey: string | null;
  /** The agent it applies to; null if it creates a new one. */
  readonly target: KnownAgent | null;
  readonly outcome: Outcome;
  readonly sentAt: number;
}

export interface SavedResponse {
  readonly body: string;
  readonly etag: string | null;
}

/** Everything acknowledged to the clients: the database must contain exactly this. */
export class Ledger {
  readonly agents = new Map<string, KnownAgent>();
  /** One line for each expected entry of the audit log. */
  readonly entries = new Set<string>();
  readonly #entriesOf = new Map<string, number>();
  /** By digest of the Idempotency-Key. */
  readonly savedResponses = new Map<string, SavedResponse>();

  ownedBy(owner: number): KnownAgent[] {
    return [...this.agents.values()].filter((agent) => agent.owner === owner);
  }

  /** The number of audit entries that one agent must have. */
  entriesOf(id: string): number {
    return this.#entriesOf.get(id) ?? 0;
  }

  /** Records the result of an operation. `id` is the agent that it changed or created. */
  note(operation: Operation, id: string, answer: SavedResponse, requestId = operation.requestId): void {
    const { target, outcome, routeId } = operation;
    if (outcome.kind === 'made') {
      const { body: document, etag } = answer;
      this.agents.set(id, { id, owner: operation.owner, document, etag: etag ?? '', older: new Map() });
      if (target !== null) this.#addEntry(requestId, routeId, target.id);
    } else if (outcome.kind === 'gone') {
      this.agents.delete(id);
    } else if (outcome.kind === 'changed' && target !== null) {
      const before = versionOf(target.document);
      if (versionOf(answer.body) !== before) target.older.set(before, target.document);
      target.document = answer.body;
      target.etag = answer.etag ?? '';
    }
    this.#addEntry(requestId, routeId, id);
    if (operation.repeatKey !== null) this.savedResponses.set(digestOf(operation.repeatKey), answer);
  }

  #addEntry(requestId: string, routeId: string, resourceId: string): void {
    this.entries.add(entryLine(requestId, routeId, resourceId));
    this.#entriesOf.set(resourceId, this.entriesOf(resourceId) + 1);
  }
}

export function entryLine(requestId: string | null, routeId: string, resourceId: string): string {
  return `${requestId} ${routeId} ${resourceId}`;
}

/** The digest that the service stores. */
export function digestOf(repeatKey: string): string {
  return createHash('sha256').update(repeatKey).digest('base64url');
}

export function versionOf(document: string): number {
  return (JSON.parse(document) as { version: number }).version;
}

/** Null if this text is the expected result of the operation, otherwise the problem with it. */
export function issueWith(operation: Operation, text: string): string | null {
  const { target, outcome } = operation;
  if (outcome.kind === 'unchanged') return text === target?.document ? null : 'changed where nothing was to change';
  if (outcome.kind === 'gone') {
    return text === JSON.stringify({ id: target?.id, deleted: true }) ? null : 'is not the answer of a deletion';
  }
  const found = JSON.parse(text) as Record<string, unknown>;
  const { id, createdAt, updatedAt } = found;
  const isTimely = Date.parse(String(updatedAt)) >= operation.sentAt && Date.parse(String(updatedAt)) <= Date.now();
  if (!isTimely) return 'has a time at which nobody asked for it';
  const own = outcome.kind === 'made' ? { id, createdAt, updatedAt } : { updatedAt };
  if (outcome.kind === 'made' && createdAt !== updatedAt) return 'was made at one time and changed at another';
  return isDeepStrictEqual({ ...outcome.fields, ...own }, found) ? null : 'is not what was asked for';
}
